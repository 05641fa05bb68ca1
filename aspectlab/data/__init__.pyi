from aspectlab.data.characters import is_mark as is_mark, is_of_word as is_of_word, is_unspaced as is_unspaced
from aspectlab.data.cleaning import (
    Change as Change,
    clean as clean,
    deduplicate as deduplicate,
    merge as merge,
    remove_conflict as remove_conflict,
)
from aspectlab.data.corpus import (
    EXCHANGE as EXCHANGE,
    Corpus as Corpus,
    Provenance as Provenance,
    annotated_parts as annotated_parts,
    example_from_dict as example_from_dict,
    example_to_dict as example_to_dict,
    quad_from_dict as quad_from_dict,
)
from aspectlab.data.example import (
    HIGHEST as HIGHEST,
    LOWEST as LOWEST,
    NEGATIVE_BELOW as NEGATIVE_BELOW,
    OPPOSITE as OPPOSITE,
    POSITIVE_ABOVE as POSITIVE_ABOVE,
    Edit as Edit,
    Example as Example,
    Intensity as Intensity,
    Origin as Origin,
    Part as Part,
    Polarity as Polarity,
    Quad as Quad,
    Span as Span,
    Term as Term,
    edit as edit,
)
from aspectlab.data.leakage import (
    Exclusion as Exclusion,
    Overlap as Overlap,
    OverlapMatch as OverlapMatch,
    join as join,
    leave_out as leave_out,
    overlap as overlap,
    prefix_ids as prefix_ids,
    refuse_overlap as refuse_overlap,
)
from aspectlab.data.splitting import (
    Split as Split,
    apply_split as apply_split,
    find_leftovers as find_leftovers,
    list_files as list_files,
    read_split as read_split,
    split as split,
    write_splits as write_splits,
)
from aspectlab.data.statistics.counting import PolarityCounts as PolarityCounts
