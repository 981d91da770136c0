"""Inputs that cases of several categories share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from corpus.case import Argument, Case


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def words(seed: int, shape: int | tuple[int, ...], dtype: type[np.integer] = np.uint32) -> np.ndarray:
    """Random integers over the whole range of the type."""
    info = np.iinfo(dtype)
    return rng(seed).integers(info.min, info.max, shape, dtype, endpoint=True)


def pack(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """(bytes of all texts one after another, int32 offsets: text i is bytes offsets[i] up to offsets[i + 1])."""
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return characters(b"".join(texts) or b"\0", np.uint8), offsets


def characters(text: bytes, dtype: type[np.integer] = np.int8) -> np.ndarray:
    """The bytes of a text as an array of ``char`` (or ``unsigned char``)."""
    return np.frombuffer(text, dtype).copy()


def zeros(shape: int | tuple[int, ...], dtype: type[np.generic] = np.uint32) -> np.ndarray:
    return np.zeros(shape, dtype)


def linear(
    file: str,
    kernel: str,
    label: str,
    threads: int,
    block: int,
    arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray],
    shared: int = 0,
) -> Case:
    """A launch of one axis with just enough blocks for so many threads."""
    return Case(file, kernel, label, (-(-threads // block),), (block,), tuple(arguments), shared, expected)


def launch(
    file: str,
    kernel: str,
    label: str,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray],
    shared: int = 0,
) -> Case:
    """A launch of the given shape; a shape of one axis may be its size alone."""
    grid, block = ((shape,) if isinstance(shape, int) else shape for shape in (grid, block))
    return Case(file, kernel, label, grid, block, tuple(arguments), shared, expected)


def i32(values: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.array(values, np.int32)


def u32(values: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.array(values, np.uint32)


def small(seed: int, shape: int | tuple[int, ...], low: int = -50, high: int = 50) -> np.ndarray:
    """Random int32 from ``low`` up to, not including, ``high``."""
    return rng(seed).integers(low, high, shape, np.int32)
