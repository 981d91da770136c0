"""Launches that have no result end with an error that says where and why."""

from __future__ import annotations

from pathlib import Path

import pytest

import fakes
from qwengpu.cuda import compile_kernel
from qwengpu.errors import DeviceError
from qwengpu.machine import MachineSpec
from qwengpu.machine.loader import load
from qwengpu.runtime.launch import run_image

SOURCE = """#include <assert.h>
#include <stdint.h>
extern "C" __global__ void beyond(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i + (i == 9 ? n : 0)] = i;
}
extern "C" __global__ void read(int *x, int n) { x[threadIdx.x] = x[threadIdx.x + n] + 1; }
extern "C" __global__ void loose(int *x, int n) { *(int *)((char *)x + threadIdx.x * n) = 1; }
extern "C" __global__ void asserted(int *x, int n) {
    assert(x[threadIdx.x] < n);
    x[threadIdx.x] = 1;
}
extern "C" __global__ void trapped(int *x, int n) { if (threadIdx.y == n) __trap(); x[threadIdx.x] = 1; }
extern "C" __global__ void apart(int *x, int n) { if (threadIdx.x < n) __syncthreads(); x[threadIdx.x] = 1; }
"""


@pytest.fixture(autouse=True)
def _memory_of_the_fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qwengpu.runtime.launch.read_memory", fakes.read_memory)


def test_the_error_has_what_was_printed(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text('extern "C" __global__ void k(int n) { printf("n is %d\\n", n); if (n < 0) __trap(); }')
    image = load(MachineSpec(), compile_kernel(path), [-3])
    with pytest.raises(DeviceError, match="trap in block") as caught:
        run_image(image, weights=fakes.tiny_weights(), engine=fakes.FakeEngine(image))
    assert caught.value.text == "n is -3\n"


@pytest.mark.parametrize("compiler", ["zig", "nvrtc"])
@pytest.mark.parametrize(
    ("kernel", "n", "grid", "block", "message"),
    [
        ("beyond", 5000, 3, (4, 1, 1), "access outside of any array in block (2, 0, 0), thread (1, 0, 0), line 5 (st"),
        ("read", 1 << 20, 1, (4, 1, 1), "access outside of any array in block (0, 0, 0), thread (0, 0, 0) and 3 more"),
        (
            "loose",
            6,
            1,
            (4, 1, 1),
            "misaligned access in block (0, 0, 0), thread (1, 0, 0) and 1 more of its warp, line 8",
        ),
        (
            "asserted",
            3,
            1,
            (4, 1, 1),
            "assertion `x[threadIdx.x] < n` failed in block (0, 0, 0), thread (3, 0, 0), line",
        ),
        ("trapped", 1, 1, (4, 2, 1), "trap in block (0, 0, 0), thread (0, 1, 0) and 3 more of its warp, line 13"),
        (
            "apart",
            2,
            1,
            (4, 1, 1),
            "barrier that only some threads of the warp reach in block (0, 0, 0), thread (0, 0, 0)",
        ),
    ],
)
def test_the_error_names_thread_line_and_cause(
    tmp_path: Path, compiler: str, kernel: str, n: int, grid: int, block: tuple[int, int, int], message: str
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    program = compile_kernel(path, kernel, compiler)
    image = load(MachineSpec(), program, [list(range(12)), n], (grid, 1, 1), block)
    with pytest.raises(DeviceError) as caught:
        run_image(image, weights=fakes.tiny_weights(), engine=fakes.FakeEngine(image))
    assert f"kernel {kernel}: {message}" in str(caught.value)
