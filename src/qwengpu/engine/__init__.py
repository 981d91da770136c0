"""Engines: execute compiled weights. All give the same trace; they differ in speed and in what they need."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from typing import Protocol

import numpy as np

from qwengpu.checkpoint.weights import Weights
from qwengpu.errors import EngineError

ENGINES = ("auto", "native", "numpy", "transformers")


class Engine(Protocol):
    """One conversation with a compiled model."""

    def generate(self, prompt_ids: list[int], stop: Collection[int], max_tokens: int) -> Iterator[int]:
        """Prefill the prompt, then yield the argmax of the logits, feeding it back, up to and including a
        token of ``stop``, or ``max_tokens`` tokens."""

    def state(self, layer: int, head: int) -> np.ndarray:
        """Recurrent state of a head, float32 [key width, value width]."""


def create(name: str, weights: Weights) -> Engine:
    """An engine by name; "auto" is the native one, or NumPy's where it cannot be compiled.

    Raises:
        EngineError: for an unknown name, or one whose libraries are not installed.
    """
    if name in ("auto", "native"):
        from qwengpu.engine.native_engine import NativeEngine

        try:
            return NativeEngine(weights)
        except EngineError as error:
            if name == "native":
                raise
            warnings.warn(f"using the slow engine: {error}", RuntimeWarning, stacklevel=2)
    if name in ("auto", "numpy"):
        from qwengpu.engine.numpy_engine import NumpyEngine

        return NumpyEngine(weights)
    if name == "transformers":
        from qwengpu.engine.transformers_engine import TransformersEngine

        return TransformersEngine(weights)
    raise EngineError(f"no engine named {name!r}; choose one of {', '.join(ENGINES)}")
