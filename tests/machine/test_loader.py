"""Where the loader puts things, and what it refuses."""

import re
from dataclasses import replace

import numpy as np
import pytest

import programs
from qwengpu.errors import CapacityError, LaunchError
from qwengpu.machine import Kind, MachineSpec, Vocabulary
from qwengpu.machine.isa import Program, Symbol
from qwengpu.machine.loader import load

SPEC = MachineSpec()
ARGUMENTS = [[1, 2, 3], [4, 5, 6], [0], -3]


def test_arrays_are_aligned_and_address_zero_is_free() -> None:
    image = load(SPEC, programs.dot(), ARGUMENTS, block=(4, 1, 1))
    assert image.arrays == image.allocated == [(4, 3), (12, 3), (20, 1)]  # a row after each is not allocated
    assert image.memory == [0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0]
    assert [image.constants[row] for row in (4, 5, 6, 7)] == [16, 48, 80, 2**32 - 3]
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
            [[0] * 4081, [4], [0], 3],
            {},
            "4101 words, the machine has 4096; build a larger machine with --words 8192",
        ),
        (SPEC, ARGUMENTS, {"dynamic_shared": 16384}, "--words 8192"),
        (SPEC, ARGUMENTS, {"block": (257, 1, 1)}, "257 threads, the machine has 256"),
        (MachineSpec(blocks=2), ARGUMENTS, {}, "3 blocks, the machine has 2; build a larger machine with --blocks 4"),
    ],
)
def test_launches_that_do_not_fit_the_machine(spec: MachineSpec, arguments: list, shape: dict, message: str) -> None:
    with pytest.raises(CapacityError, match=re.escape(message)):
        load(spec, programs.dot(), arguments, **shape)


def test_the_size_an_error_asks_for_is_enough() -> None:
    with pytest.raises(CapacityError) as error:
        load(MachineSpec(warps=8), programs.dot(), ARGUMENTS, block=(33, 1, 1))
    option, size = re.search(r"(--\w+) (\d+)$", str(error.value)).groups()
    assert option == "--warps"
    load(MachineSpec(warps=int(size)), programs.dot(), ARGUMENTS, block=(33, 1, 1))


# --- elements, variables, the regions of memory ----------------------------------------------------------------------


def program(parameters: list[tuple[str, str]], constants: list[object], **more: object) -> Program:
    return replace(programs.dot(), parameters=parameters, constants=dict(enumerate(constants)), **more)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_elements_of_every_size_are_packed_and_come_back(dtype: type) -> None:
    limits = np.iinfo(dtype)
    given = np.array([[limits.min, limits.max, 1], [2, 3, limits.max - 1]], dtype)
    image = load(SPEC, program([("ptr", "a")], []), [given])
    first, count = image.arrays[0]
    assert count == -(-given.nbytes // 4)
    stored = b"".join(word.to_bytes(4, "little") for word in image.memory[first : first + count])
    assert stored == given.tobytes() + bytes(-given.nbytes % 4)
    back = image.array(0, image.memory)
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, given)


def test_integers_become_elements_of_the_kernels_type() -> None:
    image = load(SPEC, program([("ptr", "a")], [], elements={0: "u8"}), [[1, 2, -1, 4, 5]])
    assert image.memory[4:] == [0x04FF0201, 5]
    assert image.array(0, image.memory).tolist() == [1, 2, 255, 4, 5]


def test_scalars_of_every_size() -> None:
    constants = [("param", 0, 0), ("word", 0, 1), ("param", 1, 0), ("param", 2, 0), ("word", 2, 1), ("word", 2, 2)]
    kinds = [("s64", "a"), ("s8", "b"), ("b96", "c")]
    image = load(SPEC, program(kinds, constants), [-2, -1, bytes(range(12))])
    values = [2**32 - 2, 2**32 - 1, 255, 0x03020100, 0x07060504, 0x0B0A0908]
    assert list(image.constants.values()) == values
    with pytest.raises(LaunchError, match="c of dot has 12 bytes; got 3"):
        load(SPEC, program(kinds, constants), [0, 0, b"abc"])


def test_regions_follow_each_other_with_a_row_between() -> None:
    constants = [("global", 4), ("shared", 0), ("local", 8), ("spill", 0), ("spill", 1), ("output", 0)]
    image = load(
        SPEC,
        program(
            [("ptr", "a")],
            [*constants, ("output_end", -8)],
            data=[7, ("global", 0)],
            shared_bytes=6,
            local_bytes=12,
            spill_words=2,
            prints=["%d"],
        ),
        [[1]],
        block=(6, 1, 1),
        dynamic_shared=2,
    )
    assert image.allocated == [(4, 1), (12, 2), (20, 2), (28, 24), (56, 16), (76, 4096 - 76)]
    assert list(image.constants.values()) == [52, 80, 120, 224, 224 + 32, 304, 16384 - 8]
    assert image.memory[12:14] == [7, 48]
    assert image.memory[76:] == [4 * 77]
    assert (image.data, image.output) == ((12, 2), (76, 4020))


def test_room_for_printed_text_is_asked_for() -> None:
    with pytest.raises(CapacityError, match="4100 words"):
        load(SPEC, program([("ptr", "a")], [], prints=["%lld"]), [[0] * (4096 - 4 - 4 - 3)])


def test_variables_are_set_by_name() -> None:
    symbols = {"table": Symbol(2, 6, "u8"), "scale": Symbol(8, 4, "s32")}
    made = program([], [], data=[0x04030201, 5, 6], symbols=symbols)
    image = load(SPEC, made, [], symbols={"table": [9, 8], "scale": np.array([-1], np.int32)})
    assert image.memory[4:] == [0x08090201, 5, 2**32 - 1]
    assert image.symbol("table", image.memory).tolist() == [9, 8, 5, 0, 0, 0]
    assert image.symbol("scale", image.memory).tolist() == [-1]
    with pytest.raises(LaunchError, match="uses no variable size of its module; it uses: table, scale"):
        load(SPEC, made, [], symbols={"size": [1]})
    with pytest.raises(LaunchError, match="table has 6 bytes; got 7"):
        load(SPEC, made, [], symbols={"table": [0] * 7})
    with pytest.raises(LaunchError, match="it uses: none"):
        load(SPEC, programs.dot(), ARGUMENTS, symbols={"size": [1]})
