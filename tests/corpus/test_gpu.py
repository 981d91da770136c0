"""The record of a GPU: what is read back is what was run; old records and missing GPUs are told."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpus import record_gpu
from corpus.case import Case, all_cases
from corpus.oracles import gpu
from corpus.oracles.result import OracleError


def write_record(path: Path, case: Case, text: str = "") -> None:
    record = {gpu.key(case, index): array + 1 for index, array in case.arrays().items()}
    np.savez(path, **record, **{gpu.key(case, "digest"): gpu.digest(case), gpu.key(case, "text"): text})


def test_record_is_read_back_and_checked(tmp_path: Path, write_case: Callable[..., Case]) -> None:
    case = write_case("__global__ void k(int *out) {}", np.arange(3, dtype=np.int32), 5)
    path = tmp_path / "gpu.npz"
    write_record(path, case, "hello\n")
    result = gpu.run(case, path)
    assert result.arrays[0].tolist() == [1, 2, 3]
    assert result.text == "hello\n"
    for other in (replace(case, block=(16,)), replace(case, arguments=(case.arguments[0], 6))):
        with pytest.raises(OracleError, match="missing or old"):
            gpu.run(other, path)
    with pytest.raises(OracleError, match=r"there is no none.npz; make it with python -m corpus.record_gpu"):
        gpu.run(case, tmp_path / "none.npz")


def test_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name} not found")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(OracleError, match=r"no CUDA driver .*NVIDIA GPU"):
        record_gpu.Driver()


@pytest.mark.skipif(not Path("/dev/nvidia0").exists(), reason="needs an NVIDIA GPU")
def test_a_case_on_the_gpu() -> None:
    case = next(case for case in all_cases() if case.expected)
    result = record_gpu.Driver().run(case, record_gpu.to_ptx(case.path, "zig"))
    for index, array in case.expected.items():
        assert (result.arrays[index] == array).all()
