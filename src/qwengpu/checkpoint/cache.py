"""Built weights, kept between runs in the user's cache directory (``QWENGPU_CACHE`` names another)."""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

import qwengpu
from qwengpu.checkpoint.build import build_weights
from qwengpu.checkpoint.weights import Progress, Weights
from qwengpu.machine.spec import MachineSpec

#: Sub-packages whose source decides what the weights are.
SOURCES = ("machine", "circuits", "checkpoint")


@cache
def source_digest() -> str:
    """Short hexadecimal name of the source code that builds weights."""
    digest = hashlib.sha256()
    package = Path(qwengpu.__file__).parent
    for path in sorted(path for name in SOURCES for path in (package / name).rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def cache_directory() -> Path:
    """Where built files are kept."""
    directory = os.environ.get("QWENGPU_CACHE")
    return Path(directory) if directory else user_cache_path("qwengpu", appauthor=False)


def cache_path(spec: MachineSpec) -> Path:
    """The file that holds, or would hold, the weights of a machine built by this very code."""
    return cache_directory() / f"{spec.digest()}-{qwengpu.__version__}-{source_digest()}.npz"


def cached_weights(spec: MachineSpec, progress: Progress | None = None) -> Weights:
    """Weights of a machine, from the cache or else built and put there.

    Processes that need the same weights build them once. A file is written whole or not at all; one that cannot be
    read is built again. Where the cache cannot be written, a ``RuntimeWarning`` says so and the weights are still
    returned.

    Args:
        progress: called with what is being built and the fraction done, 0 to 1; not called on a cache hit.
    """
    path = cache_path(spec)
    if weights := _read(path, spec):
        return weights
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(FileLock(path.with_suffix(".lock")))
        except (OSError, NotImplementedError) as error:
            _warn(path, error)
            return build_weights(spec, progress)
        if weights := _read(path, spec):
            return weights
        weights = build_weights(spec, progress)
        partial = path.with_suffix(".partial.npz")
        try:
            weights.save(partial)
            os.replace(partial, path)
        except OSError as error:
            _warn(path, error)
        finally:
            partial.unlink(missing_ok=True)
    return weights


def _read(path: Path, spec: MachineSpec) -> Weights | None:
    if not path.is_file():
        return None
    try:
        weights = Weights.load(path)
    except Exception:  # a damaged archive fails in many ways, and the remedy is one: build again
        return None
    return weights if weights.spec == spec else None


def _warn(path: Path, error: Exception) -> None:
    warnings.warn(
        f"cannot keep the weights in {path.parent} ({error}); they are built again each time: "
        "set QWENGPU_CACHE to a writable directory",
        RuntimeWarning,
        stacklevel=3,
    )
