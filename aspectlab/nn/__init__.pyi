from aspectlab.nn.generation import Writer as Writer, token_vectors as token_vectors
from aspectlab.nn.graph_layers import (
    GraphConvolution as GraphConvolution,
    RelationalLayer as RelationalLayer,
)
from aspectlab.nn.output_space import (
    CopyOutputs as CopyOutputs,
    OutputSpace as OutputSpace,
    OutputVectors as OutputVectors,
    text_losses as text_losses,
    token_positions as token_positions,
    word_positions as word_positions,
)
from aspectlab.nn.quad_head import (
    MASKED as MASKED,
    SIDES as SIDES,
    QuadHead as QuadHead,
    QuadScores as QuadScores,
    mark_spans as mark_spans,
    match_spans as match_spans,
    take_rows as take_rows,
)
from aspectlab.nn.recurrent import (
    BiLSTM as BiLSTM,
    LastState as LastState,
    Trilinear as Trilinear,
    dot_scores as dot_scores,
    draw_uniform as draw_uniform,
    reverse as reverse,
    weighted_sum as weighted_sum,
)
from aspectlab.nn.transformer_layers import (
    Attention as Attention,
    DecoderLayer as DecoderLayer,
    EncoderLayer as EncoderLayer,
    StackedDecoder as StackedDecoder,
    build_decoder as build_decoder,
    fitting_heads as fitting_heads,
    hide_padding as hide_padding,
)
from aspectlab.nn.words import (
    FURTHER as FURTHER,
    Lookup as Lookup,
    PairLinear as PairLinear,
    PairLookup as PairLookup,
    PairProduct as PairProduct,
    Words as Words,
    aspect_distance as aspect_distance,
    aspect_sides as aspect_sides,
    count_words as count_words,
    counted_words as counted_words,
    cross_entropies as cross_entropies,
    gather_aspect as gather_aspect,
    masked_max as masked_max,
    masked_mean as masked_mean,
    masked_softmax as masked_softmax,
    max_runs as max_runs,
    mean_where as mean_where,
    mean_words as mean_words,
    one_hot as one_hot,
    pair_mask as pair_mask,
    pool_words as pool_words,
    tree_distance as tree_distance,
    unpack_bits as unpack_bits,
    word_distance as word_distance,
    word_mask as word_mask,
)
