"""The CUDA source itself as C++ for the CPU: neither PTX nor a CUDA compiler takes part, but a shim of the language."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from corpus.case import Case
from corpus.oracles.result import OracleError, Result, after, dim3
from qwengpu.checkpoint.cache import cache_directory

SHIM = Path(__file__).parent / "cpu_shim"
#: Seconds after which a launch counts as endless.
LIMIT = 20
#: Signed overflow wraps, as in PTX; no C++ library is needed, which makes compiling quick.
OPTIONS = (
    *("-std=c++17", "-O1", "-fwrapv", "-fsigned-char", "-fno-strict-aliasing", "-fno-sanitize=all"),
    *("-nostdlib++", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-w", f"-I{SHIM}"),
)
#: ``extern __shared__ T name[];``: the block's dynamic shared memory, of which every declaration is another view.
_DYNAMIC = re.compile(r"extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?([\w\s:<>]+?)\s*(\w+)\s*\[\s*\]\s*;")


def run(case: Case) -> Result:
    """Compile a case for the CPU and run it there.

    Raises:
        OracleError: if the source does not compile as C++, or the launch traps, hangs or crashes.
    """
    program = _executable(str(case.path), case.kernel)
    with tempfile.TemporaryDirectory() as folder:
        before, behind = Path(folder, "launch"), Path(folder, "arrays")
        before.write_bytes(_launch(case))
        try:
            done = subprocess.run([program, before, behind], capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise OracleError(f"the launch does not end within {LIMIT} s on the CPU") from None
        if done.returncode:
            raise OracleError(f"on the CPU: {done.stderr.decode(errors='replace').strip() or done.returncode}")
        data = behind.read_bytes()
    arrays, at = {}, 0
    for index, array in case.arrays().items():
        arrays[index] = after(case, index, data[at : at + array.nbytes])
        at += array.nbytes
    return Result(arrays, text=done.stdout.decode(errors="replace"))


def translated(text: str) -> str:
    """The source with its arrays of dynamic shared memory as pointers."""
    return _DYNAMIC.sub(r"static \1 *const \2 = (\1 *)cuda_cpu::dynamic_shared;", text)


def _launch(case: Case) -> bytes:
    """What the program reads: shapes, then the arguments."""
    parts = [np.array([*dim3(case.grid), *dim3(case.block)], np.uint64).tobytes()]
    for argument in case.arguments:
        if isinstance(argument, np.ndarray):
            parts += [np.uint64(argument.nbytes).tobytes(), argument.tobytes()]
        else:
            parts.append((argument & (1 << 128) - 1).to_bytes(16, "little"))
    return b"".join(parts)


@cache
def _shim_digest() -> str:
    texts = [path.read_bytes() for path in sorted(SHIM.iterdir())]
    return hashlib.sha256(b"\0".join([*texts, " ".join(OPTIONS).encode()])).hexdigest()


@cache
def _executable(path: str, kernel: str) -> Path:
    """The program of a kernel, compiled unless it is at hand already."""
    source = translated(Path(path).read_text())
    entry = f"int main(int, char **argv) {{ return cuda_cpu::main({kernel}, argv); }}"
    text = f'#include "cuda_cpu.h"\n#line 1 "{path}"\n{source}\n{entry}\n'
    digest = hashlib.sha256((text + _shim_digest()).encode()).hexdigest()[:24]
    folder = cache_directory() / "cpp"
    program = folder / digest
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            file, made = Path(work, "kernel.cpp"), Path(work, "kernel")
            file.write_text(text)
            include = f"-I{Path(path).parent}"
            command = [sys.executable, "-m", "ziglang", "c++", *OPTIONS, include, str(file), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
            if done.returncode:
                raise OracleError(f"{path} does not compile as C++:\n{done.stderr.strip()}")
            os.replace(made, program)
    return program
