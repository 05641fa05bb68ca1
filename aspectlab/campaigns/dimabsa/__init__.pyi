from aspectlab.campaigns.dimabsa.runfile import (
    RunFile as RunFile,
    RunLine as RunLine,
    RunTuple as RunTuple,
    fix_run as fix_run,
    read_run as read_run,
    validate as validate,
)
from aspectlab.campaigns.dimabsa.scoring import (
    BoardRow as BoardRow,
    DimabsaScore as DimabsaScore,
    list_boards as list_boards,
    rank_runs as rank_runs,
    read_board as read_board,
    score_run as score_run,
)
