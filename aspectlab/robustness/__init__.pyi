from aspectlab.robustness.aspects import PREDICTED_SUFFIX as PREDICTED_SUFFIX
from aspectlab.robustness.aspectset import read_phrases as read_phrases
from aspectlab.robustness.augmentation import augment as augment, stages as stages
from aspectlab.robustness.generator import Generation as Generation, generate as generate
from aspectlab.robustness.predictions import (
    PredictionTable as PredictionTable,
    read_answers as read_answers,
    read_predictions as read_predictions,
    read_testset as read_testset,
)
from aspectlab.robustness.report import write_failures as write_failures
from aspectlab.robustness.scoring import (
    PUBLISHED_STRATEGIES as PUBLISHED_STRATEGIES,
    AccuracyChange as AccuracyChange,
    Robustness as Robustness,
    TestsetLayout as TestsetLayout,
    average_changes as average_changes,
    check_unit as check_unit,
    intervals as intervals,
    lay_out as lay_out,
    score_robustness as score_robustness,
    sign as sign,
)
from aspectlab.robustness.strategies import STRATEGIES as STRATEGIES
