from aspectlab.training.extensions.mutation import (
    OPERATORS as OPERATORS,
    find_operator as find_operator,
    mutated as mutated,
)
from aspectlab.training.extensions.violation_rates import as_predict_fn as as_predict_fn
