from aspectlab.runtime.exported import import_openvino as import_openvino, make_predictor as make_predictor
from aspectlab.runtime.predictor import (
    ENGINES as ENGINES,
    GRAPH as GRAPH,
    PRECISIONS as PRECISIONS,
    SHIPPED as SHIPPED,
    TOKENIZER as TOKENIZER,
    WEIGHTS as WEIGHTS,
    ExportDescription as ExportDescription,
    Predictor as Predictor,
    check_runtime as check_runtime,
    hash_file as hash_file,
    is_exported as is_exported,
    load_predictor as load_predictor,
    read_constants as read_constants,
    read_description as read_description,
    write_description as write_description,
)
from aspectlab.runtime.spanpredictor import (
    PIECES as PIECES,
    SpanPredictor as SpanPredictor,
    hash_parts as hash_parts,
)
