"""Qwen3.5's layer mathematics in NumPy and SciPy, in float32, on sparse weights.

Generic over weights: nothing here knows what the circuit is. It uses only that projections are sparse and that most
keys and queries are 0; both hold for any values of the weights, and neither changes a result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from scipy.sparse import csr_array

from qwengpu.checkpoint.weights import Tensor, Weights
from qwengpu.engine.base import SingleLaunch, greedy


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Logistic function."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-x))


def silu(x: np.ndarray) -> np.ndarray:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    """Qwen3.5's zero-centred RMSNorm over the last axis."""
    scale = 1.0 / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + np.float32(eps))
    return x * scale * (1.0 + weight)


def project(weight: Tensor, x: np.ndarray) -> np.ndarray:
    """``x @ weight.T`` for x of shape [tokens, in]."""
    return (weight @ x.T).T


class _DeltaNet:
    """Gated DeltaNet: projections, short convolution, delta rule on the recurrent state, gated norm."""

    def __init__(self, tensors: dict[str, Tensor], config: dict) -> None:
        self.t = tensors
        self.heads, self.width = config["linear_num_value_heads"], config["linear_value_head_dim"]
        self.eps = config["rms_norm_eps"]
        self.conv = np.asarray(tensors["conv1d.weight"])[:, 0, :]
        self.history = np.zeros((self.conv.shape[1] - 1, self.conv.shape[0]), dtype=np.float32)
        self.state = np.zeros((self.heads, config["linear_key_head_dim"], self.width), dtype=np.float32)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        tokens = len(x)
        mixed = np.concatenate([self.history, project(self.t["in_proj_qkv.weight"], x)])
        self.history = mixed[-len(self.history) :]
        taps = self.conv.shape[1]
        mixed = silu(sum(mixed[i : i + tokens] * self.conv[:, i] for i in range(taps)))
        query, key, value = (part.reshape(tokens, self.heads, -1) for part in np.split(mixed, 3, axis=1))
        beta = sigmoid(project(self.t["in_proj_b.weight"], x))
        rate = project(self.t["in_proj_a.weight"], x) + self.t["dt_bias"]
        decay = np.exp(-np.exp(self.t["A_log"]) * np.logaddexp(0, rate))
        key = _l2_norm(key)
        query = _l2_norm(query) * np.float32(key.shape[-1] ** -0.5)
        core = self._delta_rule(query, key, value, beta, decay)
        scale = 1.0 / np.sqrt(np.mean(np.square(core), axis=-1, keepdims=True) + np.float32(self.eps))
        gate = silu(project(self.t["in_proj_z.weight"], x)).reshape(core.shape)
        return project(self.t["out_proj.weight"], (self.t["norm.weight"] * core * scale * gate).reshape(tokens, -1))

    def _delta_rule(
        self, query: np.ndarray, key: np.ndarray, value: np.ndarray, beta: np.ndarray, decay: np.ndarray
    ) -> np.ndarray:
        """``S <- decay S``, ``S <- S + beta k (v - S^T k)^T``, ``o = S^T q``, skipping heads where k or q is 0."""
        core = np.zeros_like(value)
        writes, reads = np.asarray(key.any(axis=-1)), np.asarray(query.any(axis=-1))
        for t in range(len(value)):
            if (decay[t] != 1).any():
                self.state *= decay[t][:, None, None]
            for h in np.flatnonzero(writes[t]):
                rows = np.flatnonzero(key[t, h])
                k = key[t, h, rows]
                block = self.state[h, rows]
                self.state[h, rows] = block + np.outer(k, beta[t, h] * (value[t, h] - k @ block))
            for h in np.flatnonzero(reads[t]):
                rows = np.flatnonzero(query[t, h])
                core[t, h] = query[t, h, rows] @ self.state[h, rows]
        return core


def _l2_norm(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt(np.sum(np.square(x), axis=-1, keepdims=True) + np.float32(1e-6))


class NumpyEngine(SingleLaunch):
    """Runs a compiled checkpoint token by token; the recurrent state is all it keeps."""

    def __init__(self, weights: Weights) -> None:
        config = weights.config
        self.tensors = weights.tensors
        self.eps = config["rms_norm_eps"]
        self.layers: list[tuple[dict[str, Tensor], _DeltaNet]] = []
        for number, kind in enumerate(config["layer_types"]):
            prefix = f"model.layers.{number}."
            tensors = {k.removeprefix(prefix): v for k, v in self.tensors.items() if k.startswith(prefix)}
            if kind == "full_attention":
                # compiled checkpoints end with one attention layer, there only for transformers' cache
                if any(t.nnz for t in tensors.values() if isinstance(t, csr_array)):
                    raise NotImplementedError("an attention layer that is not idle")
                continue
            inner = {k.removeprefix("linear_attn."): v for k, v in tensors.items()}
            self.layers.append((tensors, _DeltaNet(inner, config)))
        self.embedding: csr_array = self.tensors["model.embed_tokens.weight"]

    def hidden(self, ids: list[int]) -> list[np.ndarray]:
        """Feed tokens; returns the residual stream [tokens, hidden] at the input and after every layer."""
        x = self.embedding[ids].toarray()
        trail = [x]
        for tensors, mixer in self.layers:
            x = x + mixer(rms_norm(x, tensors["input_layernorm.weight"], self.eps))
            normed = rms_norm(x, tensors["post_attention_layernorm.weight"], self.eps)
            gate, up = (project(tensors[f"mlp.{n}_proj.weight"], normed) for n in ("gate", "up"))
            x = x + project(tensors["mlp.down_proj.weight"], silu(gate) * up)
            trail.append(x)
        return trail

    def logits(self, ids: list[int]) -> np.ndarray:
        """Feed tokens; returns the logits [vocabulary] after the last one."""
        last = self.hidden(ids)[-1][-1:]
        return project(self.embedding, rms_norm(last, self.tensors["model.norm.weight"], self.eps))[0]

    def generate(self, prompt_ids: list[int], stop: Collection[int], max_tokens: int) -> Iterator[int]:
        """See :class:`qwengpu.engine.Engine`."""
        self._once()
        yield from greedy(lambda ids: int(np.argmax(self.logits(ids))), prompt_ids, stop, max_tokens)

    def state(self, layer: int, head: int) -> np.ndarray:
        """See :class:`qwengpu.engine.Engine`."""
        return self.layers[layer][1].state[head]
