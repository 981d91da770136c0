"""The fast engine: the same layer mathematics as :mod:`numpy_engine`, in C, compiled on first use.

The C source (``native/engine.c``) is compiled with the C compiler of the ``ziglang`` package, or ``cc``, and the
library is kept in the user's cache.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from qwengpu.checkpoint.cache import cache_directory
from qwengpu.checkpoint.weights import Tensor, Weights
from qwengpu.engine.base import SingleLaunch
from qwengpu.errors import EngineError

SOURCE = Path(__file__).parent / "native" / "engine.c"
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC"]
#: Tokens generated between two looks at the outside world (interrupts, progress).
CHUNK = 256
GROUP = 256  # as in engine.c
#: Rank of channels that are never 0: they cannot switch a row off.
ALWAYS_ON = 2.0


def _compilers() -> list[list[str]]:
    found = []
    if importlib.util.find_spec("ziglang"):
        found.append([sys.executable, "-m", "ziglang", "cc"])
    if compiler := shutil.which("cc"):
        found.append([compiler])
    return found


@cache
def _library() -> ctypes.CDLL:
    """Compile the C source, or load it from the cache.

    Raises:
        EngineError: without a working C compiler.
    """
    text = SOURCE.read_bytes()
    key = hashlib.sha256(text + " ".join([*FLAGS, platform.machine(), platform.node()]).encode()).hexdigest()[:16]
    try:
        folder = cache_directory()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="qwengpu-"))
    path = folder / f"engine-{key}.so"
    if not path.exists():
        messages = []
        for compiler in _compilers():
            partial = path.with_suffix(f".{os.getpid()}.partial.so")
            run = subprocess.run(
                [*compiler, *FLAGS, str(SOURCE), "-o", str(partial), "-lm"], capture_output=True, text=True
            )
            if run.returncode == 0:
                os.replace(partial, path)
                break
            messages.append(run.stderr.strip()[-300:])
        else:
            raise EngineError(
                "the native engine needs a C compiler (pip install ziglang), or choose --engine numpy; "
                + " ".join(messages)
            )
    library = ctypes.CDLL(str(path))
    library.engine_new.restype = ctypes.c_void_p
    library.engine_state.restype = ctypes.POINTER(ctypes.c_float)
    library.engine_rows_evaluated.restype = ctypes.POINTER(ctypes.c_int64)
    return library


class NativeEngine(SingleLaunch):
    """Event-driven execution of a compiled checkpoint.

    Args:
        dtype: "bfloat16" rounds wherever stock transformers in bf16 does; "float32" does not round.

    Raises:
        EngineError: without a working C compiler.
    """

    def __init__(self, weights: Weights, dtype: str = "bfloat16") -> None:
        self._lib: Any = _library()
        self._keep: list[np.ndarray] = []
        config = weights.config
        self.layers = config["layer_types"].count("linear_attention")
        self.heads, self.width = config["linear_num_value_heads"], config["linear_value_head_dim"]
        self.hidden, vocabulary = config["hidden_size"], config["vocab_size"]
        rows = max(3 * self.heads * self.width, config["intermediate_size"], vocabulary)
        self._engine = ctypes.c_void_p(
            self._lib.engine_new(
                self.hidden, self.layers, vocabulary, self.heads, self.width,
                ctypes.c_float(config["rms_norm_eps"]), int(dtype == "bfloat16"), rows,
            )
        )  # fmt: skip
        embedding = csr_array(weights.tensors["model.embed_tokens.weight"])
        self._matrix(0, 8, embedding)
        always_on = np.bincount(embedding.indices, minlength=self.hidden) == vocabulary
        for number in range(self.layers):
            self._layer(weights, number, always_on)
        self._output(weights, embedding)

    def _hold(self, array: Any, dtype: Any) -> ctypes.c_void_p:
        """A pointer to a contiguous copy that lives as long as the engine."""
        kept = np.ascontiguousarray(array, dtype=dtype)
        self._keep.append(kept)
        return ctypes.c_void_p(kept.ctypes.data)

    def _matrix(self, layer: int, which: int, tensor: Tensor) -> None:
        compressed = tensor if isinstance(tensor, csr_array | csc_array) else csr_array(tensor)
        self._lib.engine_matrix(
            self._engine, layer, which, compressed.shape[0], self._hold(compressed.indptr, np.int32),
            self._hold(compressed.indices, np.int32), self._hold(compressed.data, np.float32),
        )  # fmt: skip

    def _layer(self, weights: Weights, number: int, always_on: np.ndarray) -> None:
        prefix = f"model.layers.{number}."

        def tensor(name: str) -> Any:
            return weights.tensors[f"{prefix}{name}"]

        for which, name in enumerate(("qkv", "z", "b", "a")):
            self._matrix(number, which, tensor(f"linear_attn.in_proj_{name}.weight"))
        self._matrix(number, 4, tensor("mlp.gate_proj.weight"))
        self._matrix(number, 5, tensor("mlp.up_proj.weight"))
        self._matrix(number, 6, csc_array(tensor("linear_attn.out_proj.weight")))
        self._matrix(number, 7, csc_array(tensor("mlp.down_proj.weight")))
        conv = tensor("linear_attn.conv1d.weight")[:, 0, :]
        delayed = np.flatnonzero(conv[:, :-1].any(axis=1))
        if (delayed < 2 * self.heads * self.width).any() or len(delayed) > 16:
            raise EngineError("the native engine takes up to 16 delayed value rows a layer; choose --engine numpy")
        rate = csr_array(tensor("linear_attn.in_proj_a.weight"))
        bias, log_rate = tensor("linear_attn.dt_bias"), tensor("linear_attn.A_log")
        at_rest = np.exp(-np.exp(log_rate) * np.logaddexp(0, bias)).astype(np.float32)
        decays = (np.diff(rate.indptr) > 0) | (at_rest != 1)
        norms = [tensor(f"{name}.weight") for name in ("input_layernorm", "post_attention_layernorm")]
        # ranges are in units of the residual; what the circuit reads is normed: unit = value 1 after the norm
        anchor = np.sqrt(self.hidden) / np.abs(weights.tensors["model.embed_tokens.weight"]).max()
        highs, ranks = [], []
        for sublayer, norm in zip((2 * number, 2 * number + 1), norms, strict=True):
            unit = anchor * (1.0 + norm)
            highs.append(np.append(weights.ranges[sublayer] * unit, unit[-1]))
            ranks.append(np.where(always_on, ALWAYS_ON, 0.0))
        self._lib.engine_vectors(
            self._engine, number, self._hold(conv, np.float32), self._hold(bias, np.float32),
            self._hold(np.exp(log_rate), np.float32), self._hold(tensor("linear_attn.norm.weight"), np.float32),
            *(self._hold(norm, np.float32) for norm in norms), *(self._hold(high, np.float32) for high in highs),
            *(self._hold(rank, np.float32) for rank in ranks),
            self._hold(delayed, np.int32), len(delayed), self._hold(decays, np.uint8),
        )  # fmt: skip

    def _output(self, weights: Weights, embedding: csr_array) -> None:
        groups = -(-embedding.shape[0] // GROUP)
        most, least = np.zeros((2, groups, self.hidden), dtype=np.float32)
        for group in range(groups):
            part = embedding[group * GROUP : (group + 1) * GROUP]
            most[group] = part.max(axis=0).toarray().ravel()
            least[group] = part.min(axis=0).toarray().ravel()
        self._lib.engine_head(
            self._engine, self._hold(weights.tensors["model.norm.weight"], np.float32),
            self._hold(most, np.float32), self._hold(least, np.float32),
        )  # fmt: skip

    def hidden_states(self, token: int) -> np.ndarray:
        """Feed one token; the residual stream [layers + 1, hidden] at the input and after every layer."""
        trail = np.empty((self.layers + 1, self.hidden), dtype=np.float32)
        self._lib.engine_feed(self._engine, token, ctypes.c_void_p(trail.ctypes.data))
        return trail

    def generate(self, prompt_ids: list[int], stop: Collection[int], max_tokens: int) -> Iterator[int]:
        """See :class:`qwengpu.engine.Engine`."""
        self._once()
        prompt = np.array(prompt_ids, dtype=np.int32)
        out = np.empty(CHUNK, dtype=np.int32)
        ends = np.array(sorted(stop), dtype=np.int32)
        left, fed = max_tokens, len(prompt)
        while left > 0:
            count = self._lib.engine_generate(
                self._engine, ctypes.c_void_p(prompt.ctypes.data), fed,
                ctypes.c_void_p(ends.ctypes.data), len(ends), min(left, CHUNK),
                ctypes.c_void_p(out.ctypes.data),
            )  # fmt: skip
            yield from out[:count].tolist()
            if out[count - 1] in stop:
                return
            left, fed = left - count, 0

    def state(self, layer: int, head: int) -> np.ndarray:
        """See :class:`qwengpu.engine.Engine`."""
        pointer = self._lib.engine_state(self._engine, layer, head)
        return np.ctypeslib.as_array(pointer, shape=(self.width, self.width)).copy()

    def __del__(self) -> None:
        if engine := getattr(self, "_engine", None):
            self._lib.engine_free(engine)

    def rows_evaluated(self) -> np.ndarray:
        """Projection rows evaluated so far in every sublayer (mixer and MLP of each layer), a measure of work."""
        return np.ctypeslib.as_array(self._lib.engine_rows_evaluated(self._engine), shape=(2 * self.layers,)).copy()
