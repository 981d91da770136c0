"""A kernel of the corpus with one set of inputs.

A category is a folder ``corpus/<category>/`` with CUDA files and a ``cases.py`` whose ``CASES`` lists its cases.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent
Argument = np.ndarray | int


@dataclass(frozen=True)
class Case:
    """One launch.

    Attributes:
        file: CUDA source, relative to this folder. kernel: the ``__global__`` function. label: names these inputs.
        grid, block: shapes, in the order x, y, z. shared: bytes of dynamic shared memory.
        arguments: in the order of the parameters. An array is copied to the device and is compared after the launch.
        expected: argument index -> its contents after the launch, where Python computes them on its own.
    """

    file: str
    kernel: str
    label: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[Argument, ...]
    shared: int = 0
    expected: Mapping[int, np.ndarray] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as ``reduce/block_sum:block_sum[ragged]``."""
        return f"{self.file.removesuffix('.cu')}:{self.kernel}[{self.label}]"

    @property
    def path(self) -> Path:
        return ROOT / self.file

    def arrays(self) -> dict[int, np.ndarray]:
        """Argument index -> fresh copy of its contents before the launch."""
        return {i: a.copy() for i, a in enumerate(self.arguments) if isinstance(a, np.ndarray)}


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, category by category in alphabetical order."""
    modules = sorted(path.parent.name for path in ROOT.glob("*/cases.py"))
    return tuple(case for name in modules for case in importlib.import_module(f"corpus.{name}.cases").CASES)
