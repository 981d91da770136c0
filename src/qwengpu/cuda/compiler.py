"""CUDA C++ to PTX, by whichever compiler is there: zig's clang, NVRTC, or a clang on the PATH."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from qwengpu.errors import CompileError

HEADER = Path(__file__).parent / "include" / "qwengpu_cuda.h"
#: The virtual architecture: the oldest that current compilers of both families still accept.
ARCH = "75"
_REMEDY = "install one: pip install ziglang"

_CLANG_OPTIONS = (
    *("-x", "cuda", "--cuda-device-only", f"--cuda-gpu-arch=sm_{ARCH}", "-nocudainc", "-nocudalib", "-S"),
    *("-O2", "-gline-tables-only", "-fms-extensions", "-fno-exceptions", "-std=c++17"),
    # Headers of the host do not compile for the device; include/ has those that kernels need.
    *("-nostdlibinc", "-nostdinc++"),
    *("-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument"),
    # Copies of a loop body cost program memory and registers, and save this machine nothing.
    *("-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize"),
    # A pointer that runs along with the loop counter is one more register to commit; indexing is free here.
    *("-mllvm", "-disable-lsr"),
    # A sum over a loop must not become a closed form in 64 bits, nor a switch a table of addresses or values.
    *("-mllvm", "-replexitval=never", "-fno-jump-tables"),
    *("-include", str(HEADER), f"-I{HEADER.parent}"),
)


def read_source(path: Path) -> str:
    """Text of a source file; bytes that are not UTF-8 (in comments, say) do no harm."""
    return path.read_bytes().decode("utf-8", errors="replace")


def to_ptx(path: Path | str, compiler: str = "auto", options: Sequence[str] = ()) -> str:
    """Compile a CUDA source file to PTX; a ``.ptx`` file is returned as it is.

    Args:
        compiler: ``zig``, ``nvrtc``, ``clang``, or ``auto`` for the first of these that is there.
        options: more options for that compiler, such as ``-DTILE=4``.

    Raises:
        CompileError: with the compiler's own diagnostics, or saying how to get a compiler.
    """
    path = Path(path)
    if not path.is_file():
        raise CompileError(f"{path}: no such file; give a .cu or .ptx file")
    if path.suffix == ".ptx":
        return read_source(path)
    backends = available_compilers()
    if compiler == "auto":
        if not backends:
            raise CompileError(f"no CUDA compiler found; {_REMEDY}")
        compiler = backends[0]
    elif compiler not in _BACKENDS:
        raise CompileError(f"unknown compiler {compiler!r}; choose auto, {', '.join(_BACKENDS)}")
    elif compiler not in backends:
        raise CompileError(f"compiler {compiler!r} is not installed; {_INSTALL[compiler]}")
    return _BACKENDS[compiler](path, options)


@cache
def available_compilers() -> tuple[str, ...]:
    """Compilers that are there, in order of preference."""
    found = {
        "zig": importlib.util.find_spec("ziglang") is not None,
        "nvrtc": bool(_nvrtc_libraries()),
        "clang": shutil.which("clang") is not None,
    }
    return tuple(name for name in _BACKENDS if found[name])


# --- clang -----------------------------------------------------------------------------------------------------------


def _zig(path: Path, options: Sequence[str]) -> str:
    return _clang([sys.executable, "-m", "ziglang", "clang"], path, options)


def _system_clang(path: Path, options: Sequence[str]) -> str:
    return _clang([shutil.which("clang") or "clang"], path, options)


def _clang(command: list[str], path: Path, options: Sequence[str]) -> str:
    arguments = [*command, *_CLANG_OPTIONS, *options, "-o", "-", str(path)]
    done = subprocess.run(arguments, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise CompileError(f"{path} does not compile:\n{done.stderr.strip()}")
    return done.stdout


# --- NVRTC -----------------------------------------------------------------------------------------------------------


def _nvrtc_libraries() -> list[Path]:
    """The NVRTC shared libraries of the ``nvidia-cuda-nvrtc`` package, newest first."""
    try:
        spec = importlib.util.find_spec("nvidia.cuda_nvrtc") or importlib.util.find_spec("nvidia")
    except ModuleNotFoundError:
        return []
    folders = [Path(place) for place in (spec.submodule_search_locations if spec else None) or []]
    patterns = ("**/libnvrtc.so.*", "**/nvrtc64_*_0.dll")
    return sorted((p for f in folders for pattern in patterns for p in f.glob(pattern)), reverse=True)


def _nvrtc(path: Path, options: Sequence[str]) -> str:
    library = ctypes.CDLL(str(_nvrtc_libraries()[0]))
    flags = [
        f"-arch=compute_{ARCH}",
        "-lineinfo",
        "-std=c++17",
        f"-I{path.resolve().parent}",
        f"-I{HEADER.parent}",
        *options,
    ]
    program = ctypes.c_void_p()
    source = path.read_bytes()
    if library.nvrtcCreateProgram(ctypes.byref(program), source, str(path).encode(), 0, None, None):
        raise CompileError(f"{path}: NVRTC cannot read the source")
    try:
        array = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        if library.nvrtcCompileProgram(program, len(flags), array):
            log = _nvrtc_text(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
            raise CompileError(f"{path} does not compile:\n{log.strip()}")
        return _nvrtc_text(library.nvrtcGetPTXSize, library.nvrtcGetPTX, program)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _nvrtc_text(size: Callable[..., int], get: Callable[..., int], program: ctypes.c_void_p) -> str:
    count = ctypes.c_size_t()
    size(program, ctypes.byref(count))
    buffer = ctypes.create_string_buffer(count.value)
    get(program, buffer)
    return buffer.value.decode(errors="replace")


_BACKENDS: dict[str, Callable[[Path, Sequence[str]], str]] = {"zig": _zig, "nvrtc": _nvrtc, "clang": _system_clang}
_INSTALL = {
    "zig": "pip install ziglang",
    "nvrtc": "pip install nvidia-cuda-nvrtc-cu12",
    "clang": "put a clang with the NVPTX target on the PATH, or pip install ziglang",
}
