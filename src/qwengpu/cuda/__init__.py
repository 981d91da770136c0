"""The CUDA front end: from a ``.cu`` or ``.ptx`` file to a program of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qwengpu.cuda.compiler import available_compilers, read_source, to_ptx
from qwengpu.cuda.lower import choose_kernel, lower
from qwengpu.cuda.ptx import parse
from qwengpu.cuda.signature import read_signature
from qwengpu.machine.isa import Program
from qwengpu.machine.spec import MachineSpec

__all__ = ["available_compilers", "compile_kernel", "lower", "parse", "to_ptx"]


def compile_kernel(
    path: Path | str,
    kernel: str | None = None,
    compiler: str = "auto",
    spec: MachineSpec | None = None,
    *,
    grid_axes: int = 3,
    options: Sequence[str] = (),
) -> Program:
    """Compile a kernel of a CUDA or PTX file.

    Args:
        kernel: name of the kernel; may be None if the file has only one.
        compiler: ``zig``, ``nvrtc``, ``clang`` or ``auto``.
        spec: the machine to compile for.
        grid_axes: axes on which the grid of the launch may be larger than 1.
        options: more options for the CUDA compiler.

    Raises:
        CompileError: for source that does not compile, or that the machine cannot run.
        CapacityError: if the kernel does not fit the machine.
    """
    path = Path(path)
    module = parse(to_ptx(path, compiler, options), str(path))
    chosen = choose_kernel(module, kernel)
    signature = read_signature(read_source(path), chosen.simple_name) if path.suffix != ".ptx" else None
    return lower(module, chosen.name, spec, grid_axes=grid_axes, signature=signature)
