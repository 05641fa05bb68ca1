"""Layers over the dependency graph of a sentence. R: relations; relation 0 means that there is no arc."""

import math

import torch
from torch import Tensor, nn

from aspectlab.errors import ConfigError
from aspectlab.nn.words import masked_softmax


class GraphConvolution(nn.Module):
    """Average over the neighbours in the graph, [B, W, H] -> [B, W, N].

    H' = (A H W) / (d + 1) + b with d the row sums of A, so that a word counts twice in the divisor (Zhang et
    al., 2019). The caller applies the ReLU.
    """

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(width, out)))
        self.bias = nn.Parameter(torch.zeros(out))

    def forward(self, states: Tensor, adjacency: Tensor) -> Tensor:
        """Convolve; the adjacency is 0 or 1, [B, W, W], with ones on the diagonal of the words."""
        degree = adjacency.sum(2, keepdim=True)  # [B, W, 1]
        total = adjacency.to(states.dtype) @ (states @ self.weight)  # [B, W, N]
        return total / (degree + 1) + self.bias


class RelationalAttention(nn.Module):
    """Attend to neighbours in the graph; the relation has a part in key and value (Bai et al., 2020).

    score_ij = q_i · (k_j + r_ij) / sqrt(d) and o_i = sum_j a_ij (v_j + s_ij), where r and s are linear in the
    vector of the relation and shared by the heads. Biases of keys and of relations are left out: a key's bias
    cancels in the softmax, a relation's value bias is one with that of the values.
    """

    def __init__(self, width: int, heads: int, relation_width: int, *, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise ConfigError(f"hidden = {width}, heads = {heads}: expected a multiple of heads for hidden")
        self.heads = heads
        size = width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.relation_key = nn.Linear(relation_width, size, bias=False)
        self.relation_value = nn.Linear(relation_width, size, bias=False)
        self.join = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Tensor, hot: Tensor, vectors: Tensor) -> Tensor:
        """Attend, [B, W, H] -> [B, W, H]; `hot` holds relations, [B, W, W, R], `vectors` are [R, V]."""
        query, key, value = (self._split(part(states)) for part in (self.query, self.key, self.value))
        # q · r_ij is one of R products: all are made, and a product with the one-hot picks the right one;
        # unlike a gather its gradient adds up in a fixed order, and no tensor of [B, W, W, size] is made
        offers = query @ self.relation_key(vectors).T  # [B, N, W, R]
        scores = query @ key.transpose(2, 3) + torch.einsum("bnir,bijr->bnij", offers, hot)  # [B, N, W, W]
        linked = hot[..., 0] == 0  # [B, W, W]
        weights = masked_softmax(scores / math.sqrt(query.shape[-1]), linked[:, None])
        weights = self.drop(weights).to(value.dtype)
        shares = torch.einsum("bnij,bijr->bnir", weights, hot)  # the weight that each relation gets
        joined = weights @ value + shares @ self.relation_value(vectors)  # [B, N, W, size]
        answer = self.join(joined.transpose(1, 2).flatten(2))
        assert isinstance(answer, Tensor)
        return answer

    def _split(self, states: Tensor) -> Tensor:
        batch, words, width = states.shape
        return states.view(batch, words, self.heads, width // self.heads).transpose(1, 2)  # [B, N, W, size]


class RelationalLayer(nn.Module):
    """Relational attention and a feed-forward part, each on the normalised states and added to them."""

    def __init__(
        self, width: int, heads: int, relation_width: int, *, inner: int, attention_dropout: float
    ) -> None:
        super().__init__()
        self.attention = RelationalAttention(width, heads, relation_width, dropout=attention_dropout)
        self.before_attention = nn.LayerNorm(width)
        self.before_inner = nn.LayerNorm(width)
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))

    def forward(self, states: Tensor, hot: Tensor, vectors: Tensor) -> Tensor:
        """Transform the states, [B, W, H] -> [B, W, H]."""
        states = states + self.attention(self.before_attention(states), hot, vectors)
        added = states + self.inner(self.before_inner(states))
        assert isinstance(added, Tensor)
        return added
