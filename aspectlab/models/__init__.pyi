from aspectlab.models.config import (
    Plan as Plan,
    Precision as Precision,
    Range as Range,
    Share as Share,
    above as above,
    below as below,
    find_range_problem as find_range_problem,
)
from aspectlab.models.elements import (
    Discernible as Discernible,
    Element as Element,
    Elements as Elements,
    Seen as Seen,
    watching as watching,
)
from aspectlab.models.model import MODELS as MODELS, Model as Model, build_model as build_model
from aspectlab.models.quadspan import QuadSpan as QuadSpan
from aspectlab.models.stage import STAGE as STAGE
