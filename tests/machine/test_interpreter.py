"""The reference interpreter on hand-made programs: what they leave in memory, and the trace of their control flow."""

from collections.abc import Sequence

import pytest

import programs
from qwengpu.machine import Kind, MachineSpec, Program, Token
from qwengpu.machine.interpreter import Interpreter
from qwengpu.machine.loader import load
from qwengpu.machine.tokens import CAUSES


def execute(
    program: Program, arguments: Sequence[int | Sequence[int]], grid: int = 1, block: int = 1
) -> tuple[list[list[int]], list[Token]]:
    """Arrays after the launch, and the trace."""
    image = load(MachineSpec(), program, arguments, (grid, 1, 1), (block, 1, 1))
    interpreter = Interpreter(image)
    trace = list(interpreter.trace())
    return [interpreter.memory[first : first + count] for first, count in image.arrays], trace


def kinds(trace: list[Token], *wanted: Kind) -> list[tuple[str, int]]:
    return [(token.kind.value, token.index) for token in trace if token.kind in wanted]


def test_dot_product_of_three_in_seventeen_tokens() -> None:
    arrays, trace = execute(programs.dot(), [[1, 2, 3], [4, 5, 6], [0], 3], block=4)
    assert arrays == [[1, 2, 3], [4, 5, 6], [32]]
    assert len(trace) == 17
    assert trace[-1] == Token(Kind.HALT)
    assert [index for _, index in kinds(trace, Kind.EXEC)] == [0, 1, 2]
    assert [index for _, index in kinds(trace, Kind.MEM)] == [0, 1, 2]


@pytest.mark.parametrize(("grid", "block"), [(1, 32), (2, 11), (22, 1), (5, 5), (8, 4)])
def test_dot_product_is_the_same_for_every_launch_shape(grid: int, block: int) -> None:
    a, b = list(range(1, 23)), [k * k for k in range(22)]
    arrays, trace = execute(programs.dot(), [a, b, [5], 22], grid, block)
    assert arrays[2] == [5 + sum(x * y for x, y in zip(a, b, strict=True))]
    assert len(kinds(trace, Kind.CTA)) == grid - 1
    assert len(kinds(trace, Kind.WARP)) == grid * (-(-block // 4) - 1)


def test_atomics_wrap_at_32_bits() -> None:
    arrays, _ = execute(programs.dot(), [[0xFFFFFFFF] * 4, [1] * 4, [3], 4], block=4)
    assert arrays[2] == [0xFFFFFFFF]


def test_stores_to_different_banks_go_together() -> None:
    arrays, trace = execute(programs.scatter(), [[9] * 4, 1], block=4)
    assert arrays == [[0, 1, 2, 3]]
    assert kinds(trace, Kind.ST) == []


@pytest.mark.parametrize(("stride", "masks"), [(2, [0b1100]), (4, [0b1110, 0b1100, 0b1000]), (3, [])])
def test_stores_to_one_bank_take_turns(stride: int, masks: list[int]) -> None:
    arrays, trace = execute(programs.scatter(), [[9] * 13, stride], block=4)
    assert arrays[0][: 3 * stride + 1 : stride] == [0, 1, 2, 3]
    assert [index for _, index in kinds(trace, Kind.ST)] == masks


def test_of_stores_to_one_word_the_highest_lane_is_last() -> None:
    arrays, _ = execute(programs.scatter(), [[9], 0], block=4)
    assert arrays == [[3]]


def test_a_store_reaches_every_thread_of_a_grid() -> None:
    arrays, _ = execute(programs.scatter(), [[9] * 24, 1], grid=4, block=6)
    assert arrays == [list(range(24))]


def test_divergent_lanes_wait_and_are_woken() -> None:
    arrays, trace = execute(programs.diverge(), [[0] * 4], block=4)
    assert arrays == [[10, 11, 40, 60]]
    assert kinds(trace, Kind.EXEC, Kind.WAITF, Kind.WAITT, Kind.WAKE, Kind.EXIT) == [
        ("EXEC", 0),
        ("WAITF", 0b1100),
        ("EXEC", 1),
        ("WAITF", 0b0011),
        ("EXEC", 2),
        ("WAKE", 0b1100),
        ("EXEC", 3),
        ("WAKE", 0b0011),
        ("EXEC", 4),
    ]


def test_lanes_that_agree_do_not_wait() -> None:
    arrays, trace = execute(programs.diverge(), [[0] * 2], block=2)
    assert arrays == [[10, 11]]
    assert kinds(trace, Kind.WAITF, Kind.WAITT, Kind.WAKE) == []
    assert kinds(trace, Kind.EXIT) == [("EXIT", 0b1100)]


@pytest.mark.parametrize("block", [1, 4, 7, 32])
def test_each_lane_leaves_a_loop_at_its_own_time(block: int) -> None:
    arrays, _ = execute(programs.loop(), [[0] * block], block=block)
    assert arrays == [[i * (i + 1) // 2 for i in range(block)]]


@pytest.mark.parametrize("block", [1, 4, 10, 32])
def test_a_barrier_holds_every_warp_until_the_last(block: int) -> None:
    data = [k * 0x01010101 for k in range(1, block + 1)]
    arrays, trace = execute(programs.reverse(), [data, [0] * block], block=block)
    assert arrays[1] == data[::-1]
    warps = -(-block // 4)
    assert [index for _, index in kinds(trace, Kind.WARP)] == [*range(1, warps), *range(warps)]


def test_barriers_work_in_each_thread_block() -> None:
    arrays, trace = execute(programs.reverse(), [list(range(8)), [0] * 8], grid=3, block=8)
    assert arrays[1] == list(range(7, -1, -1))
    assert len(kinds(trace, Kind.CTA)) == 2


@pytest.mark.parametrize(("stride", "lanes"), [(2, 0b1100), (MachineSpec().words, 0b1110), (2**30 - 1, 0b1110)])
def test_a_store_outside_of_its_array_traps(stride: int, lanes: int) -> None:
    _, trace = execute(programs.scatter(), [[9] * 4, stride], block=4)
    assert trace[-1] == Token(Kind.TRAP, CAUSES.index("address") << 4 | lanes)
    assert Token(Kind.HALT) not in trace


def test_position_and_destination_are_known_while_words_are_sent() -> None:
    image = load(MachineSpec(), programs.dot(), [[1], [300], [0], 1], block=(1, 1, 1))
    interpreter = Interpreter(image)
    for token in interpreter.trace():
        if token.kind is Kind.COMMIT and token.index == 3:
            assert interpreter.position == (0, 0)
            assert interpreter.committing == programs.r(0)
            return
    pytest.fail("the product was never committed")
