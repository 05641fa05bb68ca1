from aspectlab.graph.comparison import (
    AspectComparison as AspectComparison,
    compare_joined as compare_joined,
    join_counts as join_counts,
)
from aspectlab.graph.formats import write_graph as write_graph
from aspectlab.graph.model import (
    IMPLICIT as IMPLICIT,
    Entity as Entity,
    GraphSelection as GraphSelection,
    KnowledgeGraph as KnowledgeGraph,
    balance as balance,
    build_graph as build_graph,
    count_variants as count_variants,
)
from aspectlab.graph.report import format_balance as format_balance, format_points as format_points
from aspectlab.graph.shapes import format_signs as format_signs
from aspectlab.graph.sources import (
    GatheredStatements as GatheredStatements,
    gather_statements as gather_statements,
)
