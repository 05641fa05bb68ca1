from aspectlab.data.statistics.breakdown import (
    LABELS as LABELS,
    Breakdown as Breakdown,
    LabelCounts as LabelCounts,
    Lengths as Lengths,
    break_down as break_down,
    tally_rows as tally_rows,
)
from aspectlab.data.statistics.counting import (
    Counts as Counts,
    FiveNumbers as FiveNumbers,
    IntensityMeans as IntensityMeans,
    average_intensity as average_intensity,
    count_parts as count_parts,
    is_empty as is_empty,
    summarise as summarise,
)
from aspectlab.data.statistics.description import (
    Challenge as Challenge,
    Consistency as Consistency,
    Statistics as Statistics,
    check_consistency as check_consistency,
    count_challenge as count_challenge,
    describe as describe,
    pool as pool,
)
from aspectlab.data.statistics.triplets import (
    Ranking as Ranking,
    TripletProperties as TripletProperties,
    count_triplets as count_triplets,
)
