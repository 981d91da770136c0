"""What a real NVIDIA GPU made of the corpus, as ``python -m corpus.record_gpu`` recorded it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np

from corpus.case import ROOT, Case
from corpus.oracles.result import OracleError, Result

RECORD = ROOT / "gpu.npz"


def key(case: Case, part: str | int) -> str:
    """Where the record keeps an array of a case, or its ``text`` or ``digest``."""
    return f"{case.name}|{part}"


def digest(case: Case) -> str:
    """Tells whether a record is of this very case: of its source, shapes and arguments."""
    parts = [case.path.read_bytes(), repr((case.kernel, case.grid, case.block, case.shared)).encode()]
    parts += [a.tobytes() if isinstance(a, np.ndarray) else str(a).encode() for a in case.arguments]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


@cache
def _record(path: Path) -> dict[str, np.ndarray]:
    if not path.exists():
        raise OracleError(f"there is no {path.name}; make it with python -m corpus.record_gpu on a machine with a GPU")
    with np.load(path) as file:
        return dict(file)


def run(case: Case, path: Path = RECORD) -> Result:
    """What is recorded of a case.

    Raises:
        OracleError: if there is no record, or it is of an older form of the case.
    """
    record = _record(path)
    known = record.get(key(case, "digest"))
    if known is None or str(known) != digest(case):
        raise OracleError(f"the GPU's record of {case.name} is missing or old; run python -m corpus.record_gpu")
    arrays = {index: record[key(case, index)] for index in case.arrays()}
    return Result(arrays, text=str(record[key(case, "text")]))
