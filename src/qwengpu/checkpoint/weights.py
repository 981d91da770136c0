"""The compiled model: Hugging Face tensors by name, kept sparse, and where in its state the memory words are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from qwengpu.errors import CheckpointError
from qwengpu.machine.spec import MachineSpec

#: A NumPy array, or a SciPy CSR array (which has no types of its own).
Tensor = Any


class HasState(Protocol):
    """An engine, as far as reading its recurrent state goes."""

    def state(self, layer: int, head: int) -> np.ndarray:
        """Recurrent state [key, value] of a head."""


@dataclass
class Weights:
    """A compiled model.

    Attributes:
        spec: the machine. config: fields of its ``Qwen3_5TextConfig``.
        tensors: state-dict name -> dense or CSR float32; every value is exactly representable in bf16.
        layout: ``memory``: list of [bank, part, layer, head] (row r of part p holds memory word
            ``(128 p + r) * lanes + bank``, one bit a value dimension); ``bit``: what a stored 1 is in the state;
            ``channels``: channels in use; ``heads``: names by layer; ``neurons``: number by layer.
        ranges: uint8 [2 * layers, hidden]: the largest value of each channel at the input of every sublayer (an
            integer; 0 where nothing lives). A hint for engines, who check it.
    """

    spec: MachineSpec
    config: dict
    tensors: dict[str, Tensor]
    layout: dict
    ranges: np.ndarray

    def save(self, file: Path | IO[bytes]) -> None:
        """Write everything to one ``.npz``."""
        arrays: dict[str, np.ndarray] = {}
        for name, tensor in self.tensors.items():
            if isinstance(tensor, csr_array):
                arrays |= {f"{name}|data": tensor.data, f"{name}|indices": tensor.indices}
                arrays |= {f"{name}|indptr": tensor.indptr, f"{name}|shape": np.array(tensor.shape)}
            else:
                arrays[name] = tensor
        meta = {"spec": self.spec.asdict(), "config": self.config, "layout": self.layout}
        arrays["ranges"] = self.ranges
        arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
        np.savez(file, **arrays)  # type: ignore[arg-type]

    @staticmethod
    def load(path: Path) -> Weights:
        """Read what :meth:`save` wrote.

        Raises:
            CheckpointError: if the file is damaged.
        """
        try:
            with np.load(path) as data:
                meta = json.loads(bytes(data["meta"]))
                tensors: dict[str, Tensor] = {}
                for key in data.files:
                    name, _, part = key.partition("|")
                    if part == "data":
                        pieces = tuple(data[f"{name}|{p}"] for p in ("data", "indices", "indptr"))
                        tensors[name] = csr_array(pieces, shape=tuple(data[f"{name}|shape"]))
                    elif not part and key not in ("meta", "ranges"):
                        tensors[name] = data[key]
                ranges = data["ranges"]
        except Exception as error:
            raise CheckpointError(f"{path} is not a readable weights file ({error}); delete it") from error
        return Weights(MachineSpec(**meta["spec"]), meta["config"], tensors, meta["layout"], ranges)

    def nonzeros(self) -> int:
        """Weights that are not 0."""
        return sum(int(t.nnz if isinstance(t, csr_array) else np.count_nonzero(t)) for t in self.tensors.values())

    def parameters(self) -> int:
        """Parameters of the dense checkpoint."""
        return sum(int(np.prod(t.shape)) for t in self.tensors.values())


def read_memory(weights: Weights, engine: HasState, first: int, count: int) -> list[int]:
    """Memory words ``first .. first + count - 1`` as the model's recurrent state holds them (unsigned 32-bit).

    Nothing is computed here: each word is read off as the 32 stored bits of its row.
    """
    lanes, threshold = weights.spec.lanes, weights.layout["bit"] / 2
    words = np.zeros(weights.spec.words, dtype=np.uint64)
    place = np.uint64(1) << np.arange(32, dtype=np.uint64)
    for bank, part, layer, head in weights.layout["memory"]:
        rows = engine.state(layer, head)[:128, :32] > threshold
        numbers = (128 * part + np.arange(128)) * lanes + bank
        inside = numbers < weights.spec.words
        words[numbers[inside]] = (rows * place).sum(axis=1, dtype=np.uint64)[inside]
    return [int(w) for w in words[first : first + count]]


Progress = Callable[[str, float], None]
