from aspectlab.readers.absita import CATEGORIES as CATEGORIES
from aspectlab.readers.alignment import (
    each_term as each_term,
    find_term as find_term,
    find_term_caseless as find_term_caseless,
    locate_term as locate_term,
    term_of_tokens as term_of_tokens,
    token_spans as token_spans,
)
from aspectlab.readers.annotations import (
    TEXT as TEXT,
    TOPIC as TOPIC,
    TRIPLET as TRIPLET,
    Answer as Answer,
    Fault as Fault,
    FaultError as FaultError,
    State as State,
    find_topics as find_topics,
)
from aspectlab.readers.arts import SUFFIXES as SUFFIXES, VARIANTS as VARIANTS, read_object as read_object
from aspectlab.readers.dimabsa import SUBTASK_LISTS as SUBTASK_LISTS
from aspectlab.readers.formats import (
    READERS as READERS,
    Format as Format,
    Loss as Loss,
    find_losses as find_losses,
    format_of as format_of,
    identify as identify,
    read as read,
    sniff as sniff,
    write as write,
)
from aspectlab.readers.jsonl import dump_line as dump_line
from aspectlab.readers.labelstudio import (
    CATEGORY as CATEGORY,
    EMPTY as EMPTY,
    IMPLIED as IMPLIED,
    LABELS as LABELS,
    NO_OPINION as NO_OPINION,
    POLARITY as POLARITY,
    TERM as TERM,
    UNPLACED as UNPLACED,
)
from aspectlab.readers.opiniontable import (
    COLUMNS as COLUMNS,
    NOT_ANALYSED as NOT_ANALYSED,
    NOT_NAMED as NOT_NAMED,
    OPINIONS_CSV as OPINIONS_CSV,
    OPINIONS_PARQUET as OPINIONS_PARQUET,
    OTHER as OTHER,
    REST as REST,
    Cell as Cell,
    Opinion as Opinion,
    is_opinion_table as is_opinion_table,
)
from aspectlab.readers.quadrows import (
    EMPTY_QUAD as EMPTY_QUAD,
    NAMES as NAMES,
    QuadRow as QuadRow,
    choose_columns as choose_columns,
    read_examples as read_examples,
    read_header as read_header,
    read_predicted as read_predicted,
)
from aspectlab.readers.reviews import (
    ENDINGS as ENDINGS,
    FOLDER as FOLDER,
    SUMMARY as SUMMARY,
    Review as Review,
    ReviewFiles as ReviewFiles,
    ReviewOptions as ReviewOptions,
    find_files as find_files,
    open_reviews as open_reviews,
    store_stream as store_stream,
)
from aspectlab.readers.source import (
    MAX_LINE_BYTES as MAX_LINE_BYTES,
    CorpusDescription as CorpusDescription,
    Head as Head,
    Source as Source,
    is_clean as is_clean,
    parse_json as parse_json,
    parse_literal as parse_literal,
)
from aspectlab.readers.table import decode as decode
