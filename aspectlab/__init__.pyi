from aspectlab import (
    analysis as analysis,
    annotation as annotation,
    campaigns as campaigns,
    data as data,
    encoders as encoders,
    encodings as encodings,
    experiments as experiments,
    graph as graph,
    language as language,
    llm as llm,
    metamorphic as metamorphic,
    metrics as metrics,
    models as models,
    readers as readers,
    reports as reports,
    robustness as robustness,
    runtime as runtime,
    stats as stats,
    tasks as tasks,
    training as training,
)
from aspectlab.analyzer import Analyzer as Analyzer
from aspectlab.data import (
    Corpus as Corpus,
    Example as Example,
    Part as Part,
    Polarity as Polarity,
    Quad as Quad,
    Span as Span,
    Term as Term,
    edit as edit,
)
from aspectlab.interface import Estimator as Estimator, compare as compare, evaluate as evaluate
from aspectlab.models import Plan as Plan, build_model as build_model
from aspectlab.progress import MLflow as MLflow, TensorBoard as TensorBoard, WandB as WandB
from aspectlab.readers import read as read, write as write
from aspectlab.training import fit as fit, from_pretrained as from_pretrained, load_model as load_model

__version__: str
