from aspectlab.models.hyperparameters import Plan as Plan
from aspectlab.training.checkpoint import (
    HISTORY as HISTORY,
    UNFINISHED as UNFINISHED,
    Epoch as Epoch,
    from_pretrained as from_pretrained,
    has_checkpoint as has_checkpoint,
    history_lines as history_lines,
    is_saved_model as is_saved_model,
    live_tensors as live_tensors,
    load_model as load_model,
    refuse_foreign as refuse_foreign,
    save_model as save_model,
)
from aspectlab.training.confidence import Judged as Judged
from aspectlab.training.dataset import EncodedDataset as EncodedDataset, Rows as Rows, select as select
from aspectlab.training.export import (
    SAMPLES as SAMPLES,
    Extras as Extras,
    Parity as Parity,
    export_model as export_model,
)
from aspectlab.training.modelcard import make_record as make_record, write_card as write_card
from aspectlab.training.posttraining import (
    Effort as Effort,
    Packs as Packs,
    Posttraining as Posttraining,
    pack_texts as pack_texts,
    posttrain as posttrain,
    save_encoder as save_encoder,
    transformer_of as transformer_of,
)
from aspectlab.training.prediction import (
    converse as converse,
    predict as predict,
    predict_store as predict_store,
)
from aspectlab.training.recipe import (
    CurriculumSettings as CurriculumSettings,
    Extension as Extension,
    MatoSettings as MatoSettings,
    Recipe as Recipe,
    choose_settings as choose_settings,
    decisive_settings as decisive_settings,
    find_out_of_range as find_out_of_range,
    find_setting_problems as find_setting_problems,
    load_extensions as load_extensions,
    plan_docs as plan_docs,
    plan_to_dict as plan_to_dict,
    setting_hints as setting_hints,
    settings_of as settings_of,
    widen as widen,
)
from aspectlab.training.step import choose_device as choose_device, seed_everything as seed_everything
from aspectlab.training.trainer import (
    Fitted as Fitted,
    Trainer as Trainer,
    encode as encode,
    fit as fit,
    is_first_process as is_first_process,
)
