from aspectlab.encodings.alignment import Aligner as Aligner, Gold as Gold, Spelling as Spelling
from aspectlab.encodings.base import (
    POLARITIES as POLARITIES,
    A as A,
    Batch as Batch,
    Encoding as Encoding,
    Item as Item,
    MultiTurnEncoding as MultiTurnEncoding,
    TextItem as TextItem,
    Turn as Turn,
    WordQuad as WordQuad,
    WordSpan as WordSpan,
    encode_texts as encode_texts,
    frame_arrays as frame_arrays,
    join_windows as join_windows,
    pad_field as pad_field,
    polarity_shares as polarity_shares,
    quad_at as quad_at,
    term_at as term_at,
)
from aspectlab.encodings.categories import (
    ABSENT as ABSENT,
    GIVEN as GIVEN,
    CategoryLabels as CategoryLabels,
    check_category_labels as check_category_labels,
    complete_category_labels as complete_category_labels,
)
from aspectlab.encodings.dependency_graph import (
    LOOP as LOOP,
    N_RELATIONS as N_RELATIONS,
    GraphBatch as GraphBatch,
    GraphEncoding as GraphEncoding,
    GraphItem as GraphItem,
    arcs_among as arcs_among,
    relation_tables as relation_tables,
)
from aspectlab.encodings.grammar import (
    END as END,
    NOTHING as NOTHING,
    START as START,
    Copy as Copy,
    Grammar as Grammar,
    Slot as Slot,
    Template as Template,
    WrittenTriplet as WrittenTriplet,
    build_grammar as build_grammar,
    polarity_of as polarity_of,
    symbol_of as symbol_of,
)
from aspectlab.encodings.grid import (
    Cell as Cell,
    Cells as Cells,
    GridBatch as GridBatch,
    GridEncoding as GridEncoding,
    ScoredTriplet as ScoredTriplet,
    WordTriplet as WordTriplet,
    triplets_of as triplets_of,
)
from aspectlab.encodings.mrc import (
    Picker as Picker,
    Question as Question,
    QuestionBatch as QuestionBatch,
    QuestionItem as QuestionItem,
    build_quads as build_quads,
    collate_questions as collate_questions,
    encode_questions as encode_questions,
    gather_quads as gather_quads,
    join_marks as join_marks,
    log_shares as log_shares,
    opinions_of as opinions_of,
    question_of as question_of,
    question_texts as question_texts,
)
from aspectlab.encodings.pair import (
    Layout as Layout,
    PairBatch as PairBatch,
    PairEncoding as PairEncoding,
    PairItem as PairItem,
    words_of as words_of,
)
from aspectlab.encodings.quads import (
    ANSWER as ANSWER,
    CORNERS as CORNERS,
    QUAD_LABELS as QUAD_LABELS,
    UNKNOWN_STYLE as UNKNOWN_STYLE,
    QuadBatch as QuadBatch,
    QuadEncoding as QuadEncoding,
    QuadItem as QuadItem,
    are_rivals as are_rivals,
    spell_category as spell_category,
)
from aspectlab.encodings.spans import (
    ASPECT_BIT as ASPECT_BIT,
    N_SPAN_CLASSES as N_SPAN_CLASSES,
    OPINION_BIT as OPINION_BIT,
    SpanBatch as SpanBatch,
    SpanEncoding as SpanEncoding,
    has_alphanumeric as has_alphanumeric,
)
from aspectlab.encodings.tags import (
    BIEOS as BIEOS,
    BIO as BIO,
    TagBatch as TagBatch,
    TagEncoding as TagEncoding,
    best_polarity as best_polarity,
    count_classes as count_classes,
    read_cascaded as read_cascaded,
    read_collapsed as read_collapsed,
    read_runs as read_runs,
    softmax as softmax,
    write_tags as write_tags,
)
from aspectlab.encodings.text2text import (
    EXTRACTION as EXTRACTION,
    PARAPHRASE as PARAPHRASE,
    TERMS_FIRST as TERMS_FIRST,
    Guide as Guide,
    Text2TextEncoding as Text2TextEncoding,
    WrittenBatch as WrittenBatch,
    WrittenItem as WrittenItem,
    with_target as with_target,
    written_arrays as written_arrays,
)
from aspectlab.encodings.vocabulary import (
    Subwords as Subwords,
    Tokens as Tokens,
    Vocabulary as Vocabulary,
    WordList as WordList,
)
