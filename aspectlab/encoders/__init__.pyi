from aspectlab.encoders.encoder import (
    Decoder as Decoder,
    DecoderState as DecoderState,
    Encoder as Encoder,
    TokenBatch as TokenBatch,
    TokenInput as TokenInput,
)
from aspectlab.encoders.kinds import (
    ENCODERS as ENCODERS,
    EncoderKind as EncoderKind,
    find_encoder_problem as find_encoder_problem,
    identify_encoder as identify_encoder,
    list_encoders as list_encoders,
    load_encoder as load_encoder,
    restore_encoder as restore_encoder,
    split_options as split_options,
)
from aspectlab.encoders.lora import add_lora as add_lora, draw_lora as draw_lora, merge_lora as merge_lora
from aspectlab.encoders.pretrained import AllocationBudget as AllocationBudget
from aspectlab.encoders.transformer import (
    TransformerEncoder as TransformerEncoder,
    write_config as write_config,
)
from aspectlab.encoders.weights import (
    PRETRAINED as PRETRAINED,
    is_installed as is_installed,
    is_offline as is_offline,
    locate_weights as locate_weights,
    stay_offline as stay_offline,
)
