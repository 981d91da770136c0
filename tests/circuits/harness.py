"""Runs a circuit that is part of a machine: through the real tensors, with many inputs at once, in fp32 and in bf16."""

from __future__ import annotations

import math

import numpy as np
from ml_dtypes import bfloat16

from qwengpu.checkpoint.build import ANCHOR_SHIFT, mlp_tensors, norm_tensors
from qwengpu.circuits.builder import INPUT_TIME, Builder, Wire
from qwengpu.circuits.machine import ANCHOR, FIRST_CODE, ONE, ONE_AGAIN
from qwengpu.engine.numpy_engine import project, rms_norm, silu

HIDDEN = 1156


def new_builder() -> Builder:
    """A builder with the machine's limits."""
    return Builder(heads_per_layer=16)


def inputs(b: Builder, name: str, width: int, high: int = 1) -> list[Wire]:
    """Wires that the harness sets."""
    wires = b.bus(name, width, high)
    for wire in wires:
        wire.writes.append(INPUT_TIME)
    return wires


def run_mlps(b: Builder, values: dict[Wire, np.ndarray], keep: list[Wire], dtype: str) -> list[np.ndarray]:
    """Evaluate a circuit made of neurons only.

    Args:
        values: input wire -> value for each of N cases. keep: wires to return, each [N].
        dtype: "float32", or "bfloat16" to round where stock transformers rounds.
    """
    for wire in keep:
        wire.kept = True
    assert b.allocate(FIRST_CODE) <= HIDDEN

    def rounded(x: np.ndarray) -> np.ndarray:
        return x.astype(bfloat16).astype(np.float32) if dtype == "bfloat16" else x

    count = len(next(iter(values.values())))
    x = np.zeros((count, HIDDEN), dtype=np.float32)
    x[:, ANCHOR] = math.isqrt(HIDDEN) * 2.0**ANCHOR_SHIFT
    x[:, [ONE, ONE_AGAIN]] = 1
    for wire, column in values.items():
        x[:, wire.channel] = column
    weight = norm_tensors(HIDDEN)["input_layernorm.weight"]
    for layer in b.layers:
        tensors = mlp_tensors(HIDDEN, layer, len(layer.neurons))
        normed = rounded(rms_norm(x, weight, 1e-6))
        gate = rounded(project(tensors["gate_proj.weight"], normed))
        up = rounded(project(tensors["up_proj.weight"], normed))
        hidden = rounded(rounded(silu(gate)) * up)
        x = rounded(x + rounded(project(tensors["down_proj.weight"], hidden)))
    return [x[:, wire.channel] if wire.writes else np.zeros(count, dtype=np.float32) for wire in keep]


def word(bits: list[np.ndarray]) -> np.ndarray:
    """Unsigned value of bits, which must all be 0 or 1 to within a hundredth."""
    stacked = np.stack(bits)
    nearest = np.round(stacked)
    assert np.abs(stacked - nearest).max() < 0.01
    assert nearest.min() >= 0
    assert nearest.max() <= 1
    return (nearest.astype(np.uint64) << np.arange(len(bits), dtype=np.uint64)[:, None]).sum(axis=0)


def split(values: np.ndarray, wires: list[Wire]) -> dict[Wire, np.ndarray]:
    """Bits of unsigned values on wires, least significant first."""
    return {wire: (values >> np.uint64(i) & np.uint64(1)).astype(np.float32) for i, wire in enumerate(wires)}
