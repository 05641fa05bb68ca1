from aspectlab.runtime.exported import (
    KINDS as KINDS,
    import_openvino as import_openvino,
    make_predictor as make_predictor,
    read_vocabulary as read_vocabulary,
)
from aspectlab.runtime.networkpredictor import (
    NetworkPredictor as NetworkPredictor,
    Networks as Networks,
    hash_parts as hash_parts,
)
from aspectlab.runtime.predictor import (
    ENGINES as ENGINES,
    GRAPH as GRAPH,
    HOUSE as HOUSE,
    PRECISIONS as PRECISIONS,
    SHIPPED as SHIPPED,
    TOKENIZER as TOKENIZER,
    WEIGHTS as WEIGHTS,
    ExportDescription as ExportDescription,
    PredictOptions as PredictOptions,
    Predictor as Predictor,
    check_runtime as check_runtime,
    hash_file as hash_file,
    is_exported as is_exported,
    load_predictor as load_predictor,
    read_constants as read_constants,
    read_description as read_description,
    refuse_options as refuse_options,
    write_description as write_description,
)
from aspectlab.runtime.quadreader import (
    HEAD as HEAD,
    SIZES as SIZES,
    QuadSettings as QuadSettings,
)
from aspectlab.runtime.spanreader import PIECES as PIECES, SpanReader as SpanReader
