"""Record the corpus on an NVIDIA GPU: ``python -m corpus.record_gpu``.

Compiles every case to PTX, runs it through the CUDA driver alone (no toolkit is needed), and writes what each array
holds afterwards to ``corpus/gpu.npz``, with the GPU's name and the driver's version. The oracle ``gpu`` of
``python -m corpus.run`` compares with that record.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from corpus.case import Case
from corpus.oracles.gpu import RECORD, digest, key
from corpus.oracles.ptx import program
from corpus.oracles.result import OracleError, Result, after, dim3
from corpus.run import chosen
from qwengpu.cuda import to_ptx
from qwengpu.errors import QwenGPUError


class Driver:
    """The few functions of the CUDA driver that a launch needs."""

    def __init__(self) -> None:
        name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
        try:
            self._library = ctypes.CDLL(name)
        except OSError as error:
            raise OracleError(f"no CUDA driver ({error}); run this where there is an NVIDIA GPU") from None
        self("cuInit", 0)
        device = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(device), 0)
        text = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", text, len(text), device)
        version = ctypes.c_int()
        self("cuDriverGetVersion", ctypes.byref(version))
        self.name = text.value.decode()
        self.version = f"{version.value // 1000}.{version.value % 1000 // 10}"
        self.context = ctypes.c_void_p()
        self("cuCtxCreate_v2", ctypes.byref(self.context), 0, device)

    def __call__(self, function: str, *arguments: object) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(text))
            raise OracleError(f"{function}: {(text.value or b'').decode()} ({status})")

    def run(self, case: Case, ptx: str) -> Result:
        """Launch a case; its arrays and text afterwards."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
        try:
            self("cuModuleGetFunction", ctypes.byref(kernel), module, _symbol(ptx, case.kernel).encode())
            with _captured() as text, self._memory(case) as (arguments, places):
                pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
                self("cuLaunchKernel", kernel, *dim3(case.grid), *dim3(case.block), case.shared, None, pointers, None)
                self("cuCtxSynchronize")
                arrays = {index: self._read(case, index, place) for index, place in places.items()}
            return Result(arrays, text="".join(text))
        finally:
            self("cuModuleUnload", module)

    @contextmanager
    def _memory(self, case: Case) -> Iterator[tuple[Sequence[ctypes.Array[ctypes.c_char]], dict[int, ctypes.c_uint64]]]:
        """The arguments as the driver takes them, and the device's copies of the arrays."""
        arguments, places = [], {}
        try:
            for index, argument in enumerate(case.arguments):
                if isinstance(argument, np.ndarray):
                    place, data = ctypes.c_uint64(), np.ascontiguousarray(argument)
                    self("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(data.nbytes, 1)))
                    places[index] = place
                    self("cuMemcpyHtoD_v2", place, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.nbytes))
                    value = place.value
                else:
                    value = argument & (1 << 128) - 1
                arguments.append(ctypes.create_string_buffer(value.to_bytes(16, "little"), 16))
            yield arguments, places
        finally:
            for place in places.values():
                self("cuMemFree_v2", place)

    def _read(self, case: Case, index: int, place: ctypes.c_uint64) -> np.ndarray:
        argument = case.arguments[index]
        assert isinstance(argument, np.ndarray)
        data = ctypes.create_string_buffer(max(argument.nbytes, 1))
        self("cuMemcpyDtoH_v2", data, place, ctypes.c_size_t(argument.nbytes))
        return after(case, index, data.raw[: argument.nbytes])


def _symbol(ptx: str, kernel: str) -> str:
    """The kernel's name in the module."""
    return program(ptx).kernel(kernel).function.name


@contextmanager
def _captured() -> Iterator[list[str]]:
    """Catches what is written to file descriptor 1 (by the driver, for printf) in a list of one text."""
    text: list[str] = []
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield text
        finally:
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            text.append(file.read().decode(errors="replace"))


def main(
    patterns: Annotated[list[str] | None, typer.Argument(help="Parts of names of cases.")] = None,
    compiler: Annotated[str, typer.Option(help="zig, nvrtc or clang.")] = "zig",
    out: Annotated[Path, typer.Option(help="The record to write.")] = RECORD,
) -> None:
    """Record the corpus on an NVIDIA GPU."""
    try:
        driver = Driver()
    except OracleError as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    record: dict[str, np.ndarray] = {"gpu": np.array(driver.name), "driver": np.array(driver.version)}
    failed = 0
    cases = chosen(patterns or [])
    for case in cases:
        try:
            result = driver.run(case, to_ptx(case.path, compiler))
        except (OracleError, QwenGPUError) as error:
            print(f"{case.name}: {error}", file=sys.stderr)
            failed += 1
            if "ILLEGAL" in str(error) or "LAUNCH_FAILED" in str(error):
                print("the context is lost: run the rest again without this case", file=sys.stderr)
                break
            continue
        record[key(case, "digest")] = np.array(digest(case))
        record[key(case, "text")] = np.array(result.text)
        record |= {key(case, index): array for index, array in result.arrays.items()}
    temporary = out.with_suffix(".tmp.npz")
    np.savez_compressed(temporary, **record)
    temporary.replace(out)
    print(f"{driver.name}, driver {driver.version}: {len(cases) - failed} of {len(cases)} cases recorded in {out}")
    raise typer.Exit(int(failed > 0))


if __name__ == "__main__":
    typer.run(main)
