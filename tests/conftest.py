"""Weights of the default machine, built once for all tests and all workers."""

from pathlib import Path

import pytest

from qwengpu.checkpoint.cache import cached_weights
from qwengpu.checkpoint.weights import Weights
from qwengpu.machine import MachineSpec


@pytest.fixture(scope="session")
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all workers of this test run share, away from the user's own cache."""
    return tmp_path_factory.getbasetemp().parent / "qwengpu-cache"


@pytest.fixture(scope="session")
def weights(cache_directory: Path) -> Weights:
    """The default machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QWENGPU_CACHE", str(cache_directory))
        return cached_weights(MachineSpec())
