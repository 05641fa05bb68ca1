from aspectlab.experiments.assembly import PreparedCorpus as PreparedCorpus
from aspectlab.experiments.engine import (
    Advanced as Advanced,
    Engine as Engine,
    Event as Event,
    Failed as Failed,
    Files as Files,
    Finished as Finished,
    Job as Job,
    WorkerLost as WorkerLost,
)
from aspectlab.experiments.execute import RunExecutor as RunExecutor, inspect_models as inspect_models
from aspectlab.experiments.plan import (
    Group as Group,
    ModelInfo as ModelInfo,
    ModelRequest as ModelRequest,
    Run as Run,
    Schedule as Schedule,
    plan_runs as plan_runs,
    refuse_problems as refuse_problems,
)
from aspectlab.experiments.record import (
    RunRecord as RunRecord,
    is_run_folder as is_run_folder,
    read_record as read_record,
    read_runs as read_runs,
)
from aspectlab.experiments.runner import (
    Driver as Driver,
    StudyOutcome as StudyOutcome,
    Watch as Watch,
    open_engine as open_engine,
)
from aspectlab.experiments.search import (
    SAMPLERS as SAMPLERS,
    Candidate as Candidate,
    Contest as Contest,
    find_contests as find_contests,
    mean_dev as mean_dev,
    rank as rank,
    read_dev as read_dev,
    read_finished as read_finished,
)
from aspectlab.experiments.store import RunFolder as RunFolder, stale_run_notices as stale_run_notices
from aspectlab.experiments.study import (
    AdversarialConfig as AdversarialConfig,
    SplitIndices as SplitIndices,
    Study as Study,
)
from aspectlab.experiments.studyfile import read_study as read_study
