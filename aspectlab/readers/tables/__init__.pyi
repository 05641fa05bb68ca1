from aspectlab.readers.tables.columns import (
    NUMBER as NUMBER,
    POLARITIES as POLARITIES,
    ColumnProfile as ColumnProfile,
    choose_column as choose_column,
    choose_review_columns as choose_review_columns,
    find_column as find_column,
    need_column as need_column,
    parse_polarity as parse_polarity,
)
from aspectlab.readers.tables.csvfile import (
    Row as Row,
    detect_delimiter as detect_delimiter,
    escape_formula as escape_formula,
    read_csv as read_csv,
    split_header as split_header,
    unescape_formula as unescape_formula,
    write_csv as write_csv,
)
from aspectlab.readers.tables.lenient import (
    Cells as Cells,
    CsvTable as CsvTable,
    LenientTable as LenientTable,
    ReadCounts as ReadCounts,
)
from aspectlab.readers.tables.opening import (
    StrictTable as StrictTable,
    open_lenient_table as open_lenient_table,
    open_strict_table as open_strict_table,
)
from aspectlab.readers.tables.parquetfile import (
    is_parquet as is_parquet,
    pack_lines as pack_lines,
    read_cells as read_cells,
)
from aspectlab.readers.tables.parquetfooter import read_footer as read_footer
