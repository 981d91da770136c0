"""Where the loader puts things, and what it refuses."""

import re
from dataclasses import replace

import pytest

import programs
from qwengpu.errors import CapacityError, LaunchError
from qwengpu.machine import Kind, MachineSpec, Vocabulary
from qwengpu.machine.loader import load

SPEC = MachineSpec()
ARGUMENTS = [[1, 2, 3], [4, 5, 6], [0], -3]


def test_arrays_are_aligned_and_address_zero_is_free() -> None:
    image = load(SPEC, programs.dot(), ARGUMENTS, block=(4, 1, 1))
    assert image.arrays == [(4, 3), (8, 3), (12, 1)]
    assert image.memory == [0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0, 0]
    assert [image.constants[row] for row in (4, 5, 6, 7)] == [16, 32, 48, 2**32 - 3]
    assert [image.constants[row] for row in (0, 1, 2, 3)] == [0, 4, 1, 1]


def test_threads_are_numbered_along_x_then_y_then_z() -> None:
    program = replace(programs.dot(), thread_index={0: 29, 1: 30, 2: 31})
    image = load(SPEC, program, ARGUMENTS, block=(3, 2, 2))
    threads = [(x, y, z) for z in range(2) for y in range(2) for x in range(3)]
    for axis, register in program.thread_index.items():
        words = [word for warp in range(3) for word in image.thread_registers[warp, register]]
        assert words == [thread[axis] for thread in threads]
    assert (image.warps, image.absent_lanes) == (3, 0)


@pytest.mark.parametrize(("threads", "warps", "absent"), [(1, 1, 0b1110), (4, 1, 0), (6, 2, 0b1100), (32, 8, 0)])
def test_lanes_the_last_warp_lacks(threads: int, warps: int, absent: int) -> None:
    image = load(SPEC, programs.dot(), ARGUMENTS, block=(threads, 1, 1))
    assert (image.warps, image.absent_lanes) == (warps, absent)


def test_prompt_uploads_everything_in_the_machines_vocabulary() -> None:
    vocabulary = Vocabulary(SPEC)
    prompt = load(SPEC, programs.reverse(), [[1, 0, 0, 0, 0], [0] * 5], block=(5, 1, 1)).prompt()
    assert [vocabulary[vocabulary.id(token)] for token in prompt] == prompt
    assert {token.index for token in prompt if token.kind is Kind.ROMC} == set(range(5))
    assert [token.index for token in prompt if token.kind is Kind.POKE] == [1]
    assert [token.index for token in prompt if token.kind is Kind.WARP] == [0, 1]
    assert [token.kind for token in prompt[-2:]] == [Kind.GEOM, Kind.CTA]


@pytest.mark.parametrize(
    ("arguments", "shape", "message"),
    [
        (ARGUMENTS[:3], {}, "takes 4 arguments (ptr a, ptr b, ptr out, s32 n); got 3"),
        ([1, [4], [0], 3], {}, "argument a of dot is a pointer"),
        ([[1], [4], [0], [3]], {}, "argument n of dot is a scalar"),
        (ARGUMENTS, {"grid": (0, 1, 1)}, "at least 1"),
        (ARGUMENTS, {"block": (4, -1, 1)}, "at least 1"),
        (ARGUMENTS, {"block": (4, -1, -1)}, "at least 1"),
    ],
)
def test_arguments_that_do_not_fit_the_kernel(arguments: list, shape: dict, message: str) -> None:
    with pytest.raises(LaunchError, match=re.escape(message)):
        load(SPEC, programs.dot(), arguments, **shape)


@pytest.mark.parametrize(
    ("spec", "arguments", "shape", "message"),
    [
        (
            SPEC,
            [[0] * 1021, [4], [0], 3],
            {},
            "1036 words, the machine has 1024; build a larger machine with --words 2048",
        ),
        (SPEC, ARGUMENTS, {"dynamic_shared": 4096}, "--words 2048"),
        (SPEC, ARGUMENTS, {"block": (33, 1, 1)}, "33 threads, the machine has 32"),
        (MachineSpec(blocks=2), ARGUMENTS, {}, "3 blocks, the machine has 2; build a larger machine with --blocks 4"),
    ],
)
def test_launches_that_do_not_fit_the_machine(spec: MachineSpec, arguments: list, shape: dict, message: str) -> None:
    with pytest.raises(CapacityError, match=re.escape(message)):
        load(spec, programs.dot(), arguments, **shape)


def test_the_size_an_error_asks_for_is_enough() -> None:
    with pytest.raises(CapacityError) as error:
        load(SPEC, programs.dot(), ARGUMENTS, block=(33, 1, 1))
    option, size = re.search(r"(--\w+) (\d+)$", str(error.value)).groups()
    assert option == "--warps"
    load(MachineSpec(warps=int(size)), programs.dot(), ARGUMENTS, block=(33, 1, 1))
