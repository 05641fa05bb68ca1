from aspectlab.metrics.ars import (
    UNITS as UNITS,
    BoolArray as BoolArray,
    Unit as Unit,
    count_units as count_units,
    find_right as find_right,
    number_units as number_units,
    robustness_counts as robustness_counts,
    unit_of as unit_of,
)
from aspectlab.metrics.dimensional import (
    VALUE_DECIMALS as VALUE_DECIMALS,
    ContinuousF1 as ContinuousF1,
    ValenceArousal as ValenceArousal,
)
from aspectlab.metrics.matching import (
    Match as Match,
    TermKey as TermKey,
    assign as assign,
    count_hits as count_hits,
    is_same_term as is_same_term,
    quad_key as quad_key,
    term_key as term_key,
)
from aspectlab.metrics.metric import (
    METRICS as METRICS,
    NO_ANSWER as NO_ANSWER,
    POLARITIES as POLARITIES,
    ClassScore as ClassScore,
    Evaluation as Evaluation,
    FloatArray as FloatArray,
    IntArray as IntArray,
    Metric as Metric,
    Signature as Signature,
    default_metric as default_metric,
    evaluate as evaluate,
    format_content as format_content,
    precision_recall_f1 as precision_recall_f1,
    ratio as ratio,
)
from aspectlab.metrics.pairs import (
    ExamplePair as ExamplePair,
    Pairing as Pairing,
    find_pairs as find_pairs,
    pair_examples as pair_examples,
)
from aspectlab.metrics.tuplef1 import TupleF1 as TupleF1
