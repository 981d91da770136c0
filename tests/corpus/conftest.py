"""What the tests of the corpus share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from corpus.case import Case


@pytest.fixture
def write_case(tmp_path: Path) -> Callable[..., Case]:
    """Makes a case of a kernel ``k`` given as source; its launch is one block of 32 threads unless told otherwise."""

    def write(source: str, *arguments: np.ndarray | int, grid: int = 1, block: int = 32, shared: int = 0) -> Case:
        path = tmp_path / "k.cu"
        path.write_text(source)
        return Case(str(path), "k", "test", (grid,), (block,), arguments, shared)

    return write
