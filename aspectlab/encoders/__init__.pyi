from aspectlab.encoders.encoder import Encoder as Encoder
from aspectlab.encoders.kinds import (
    ENCODERS as ENCODERS,
    OWN as OWN,
    find_slip as find_slip,
    load_encoder as load_encoder,
    restore_encoder as restore_encoder,
)
from aspectlab.encoders.seq2seq import Seq2SeqEncoder as Seq2SeqEncoder
from aspectlab.encoders.transformer import (
    TransformerEncoder as TransformerEncoder,
    write_config as write_config,
)
from aspectlab.encoders.vectors import VectorEncoder as VectorEncoder
from aspectlab.encoders.weights import (
    GLOVE50 as GLOVE50,
    PRETRAINED as PRETRAINED,
    is_installed as is_installed,
)
