from aspectlab.models.categorymodel import CategoryModel as CategoryModel
from aspectlab.models.elements import (
    Discernible as Discernible,
    Element as Element,
    Elements as Elements,
    Seen as Seen,
    mean_spans as mean_spans,
    pick_cells as pick_cells,
    pick_gold as pick_gold,
    sample_spans as sample_spans,
    span_shares as span_shares,
    watching as watching,
)
from aspectlab.models.hyperparameters import (
    Count as Count,
    Dropout as Dropout,
    Number as Number,
    Plan as Plan,
    Precision as Precision,
    Published as Published,
    Range as Range,
    Share as Share,
    Size as Size,
    Weight as Weight,
    above as above,
    below as below,
    find_range_problem as find_range_problem,
    unscheduled_plan as unscheduled_plan,
)
from aspectlab.models.model import (
    MODELS as MODELS,
    RECIPES as RECIPES,
    Model as Model,
    apply_recipe as apply_recipe,
    build_model as build_model,
    classification_loss as classification_loss,
    default_settings as default_settings,
    draw_weights as draw_weights,
    fill_open as fill_open,
    find_encoder_misfit as find_encoder_misfit,
    weighted_mean as weighted_mean,
)
from aspectlab.models.quadspan import QuadSpan as QuadSpan
from aspectlab.models.stage import STAGE as STAGE
