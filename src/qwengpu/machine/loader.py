"""Loader: a program, its arguments and a launch shape become a launch image, and the tokens that upload it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from qwengpu.errors import CapacityError, LaunchError
from qwengpu.machine.isa import MASK32, Program, encode_block, validate
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind, Token, encode_words

#: First byte address given out; address 0 stays unused so that a null pointer is never an array.
FIRST_ADDRESS = 16
#: Words whose allocation one MAP token tells.
MAP_WORDS = 32
Dim3 = tuple[int, int, int]


@dataclass
class LaunchImage:
    """Everything the machine holds when a launch begins.

    Attributes:
        memory: initial memory words from word 0, unsigned 32-bit.
        constants: constant row -> word.
        thread_registers: (warp, register) -> one word a lane.
        warps: warps in a thread block; absent_lanes: mask of lanes the last one lacks.
        arrays: for each array argument, (first word, number of words), in argument order.
        allocated: (first word, number of words) of what the kernel may access.
    """

    spec: MachineSpec
    program: Program
    memory: list[int]
    constants: dict[int, int]
    thread_registers: dict[tuple[int, int], list[int]]
    warps: int
    absent_lanes: int
    arrays: list[tuple[int, int]] = field(default_factory=list)
    allocated: list[tuple[int, int]] = field(default_factory=list)

    @cached_property
    def allocated_words(self) -> frozenset[int]:
        """Numbers of the words that the kernel may access."""
        return frozenset(word for first, count in self.allocated for word in range(first, first + count))

    def prompt(self) -> list[Token]:
        """Tokens that load this image into the model's state and start the launch."""
        tokens: list[Token] = []
        lanes = self.spec.lanes
        rom_kinds = (Kind.ROMC, Kind.ROM0, Kind.ROM1, Kind.ROM2)
        for number, block in enumerate(self.program.blocks):
            for kind, row in zip(rom_kinds, encode_block(self.spec, block), strict=False):
                tokens += _send(_split(row, lanes), Token(kind, number))
        for row, word in sorted(self.constants.items()):
            tokens += _send([word] * lanes, Token(Kind.CONST, row))
        for warp in range(self.warps):
            registers = [(r, words) for (w, r), words in self.thread_registers.items() if w == warp]
            if registers:
                tokens.append(Token(Kind.WARP, warp))
            for register, words in registers:
                tokens += _send(words, Token(Kind.REG, register))
        memory = self.memory + [0] * (-len(self.memory) % lanes)
        for row in range(len(memory) // lanes):
            words = memory[row * lanes : (row + 1) * lanes]
            if any(words):
                tokens += _send(words, Token(Kind.POKE, row))
        for row in sorted({word // MAP_WORDS for word in self.allocated_words}):
            mask = sum(1 << i for i in range(MAP_WORDS) if row * MAP_WORDS + i in self.allocated_words)
            tokens += _send([mask] * lanes, Token(Kind.MAP, row))
        tokens += _send([self.warps - 1 | self.absent_lanes << 8] * lanes, Token(Kind.GEOM))
        return [*tokens, Token(Kind.CTA)]


def _send(words: list[int], token: Token) -> list[Token]:
    return [*encode_words(words), token]


def _split(row: int, lanes: int) -> list[int]:
    return [row >> (32 * k) & MASK32 for k in range(lanes)]


def load(
    spec: MachineSpec,
    program: Program,
    arguments: Sequence[int | Sequence[int]],
    grid: Dim3 = (1, 1, 1),
    block: Dim3 = (1, 1, 1),
    dynamic_shared: int = 0,
) -> LaunchImage:
    """Place a program and its arguments in the machine.

    Args:
        arguments: in kernel order; a sequence of words (unsigned 32-bit) for a pointer, an ``int`` for a scalar.
        grid, block: launch shape. dynamic_shared: bytes of ``extern __shared__`` storage.

    Raises:
        LaunchError: for arguments or a shape that do not fit the kernel.
        CapacityError: if the program, its data or its threads do not fit; says what is needed and available.
    """
    validate(spec, program.blocks)
    if len(arguments) != len(program.parameters):
        names = ", ".join(f"{kind} {name}" for kind, name in program.parameters)
        raise LaunchError(
            f"kernel {program.name} takes {len(program.parameters)} arguments ({names}); got {len(arguments)}"
        )
    threads = block[0] * block[1] * block[2]
    if min(*grid, *block) < 1:
        raise LaunchError(f"grid {grid} and block {block} must be at least 1 on every axis")
    _fits("program ROM", len(program.blocks), spec.blocks, "blocks", "--blocks")
    _fits("thread block", threads, spec.threads, "threads", "--warps", per_option=spec.lanes)
    memory = [0] * (FIRST_ADDRESS // 4)
    arrays: list[tuple[int, int]] = []
    values: list[int] = []
    for (kind, name), argument in zip(program.parameters, arguments, strict=True):
        if kind == "ptr":
            if isinstance(argument, int):
                raise LaunchError(f"argument {name} of {program.name} is a pointer: give an array, not {argument}")
            memory += [0] * (-len(memory) % spec.lanes)
            arrays.append((len(memory), len(argument)))
            values.append(4 * len(memory))
            memory += [word & MASK32 for word in argument] + [0] * spec.lanes  # what follows an array is a trap
        elif isinstance(argument, int):
            values.append(argument & MASK32)
        else:
            raise LaunchError(f"argument {name} of {program.name} is a scalar ({kind}): give one integer")
    shared = 4 * (len(memory) + -len(memory) % spec.lanes)
    shared_words = (program.shared_bytes + dynamic_shared + 3) // 4
    _fits("memory", shared // 4 + shared_words, spec.words, "words", "--words")
    allocated = [*arrays, (shared // 4, shared_words)]
    constants = {row: _constant(value, values, grid, block, shared) for row, value in sorted(program.constants.items())}
    warps = -(-threads // spec.lanes)
    present = threads - (warps - 1) * spec.lanes
    thread_registers = {
        (warp, register): [
            _thread_index(min(warp * spec.lanes + lane, threads - 1), axis, block) for lane in range(spec.lanes)
        ]
        for axis, register in program.thread_index.items()
        for warp in range(warps)
    }
    absent = (1 << spec.lanes) - (1 << present)
    return LaunchImage(spec, program, memory, constants, thread_registers, warps, absent, arrays, allocated)


def _fits(what: str, needed: int, available: int, unit: str, option: str, per_option: int = 1) -> None:
    """Refuse what does not fit; one more of ``option`` brings ``per_option`` more units."""
    if needed > available:
        count = -(-needed // per_option)
        raise CapacityError(
            f"{what} is too small: this launch needs {needed} {unit}, the machine has {available}; "
            f"build a larger machine with {option} {1 << (count - 1).bit_length()}"
        )


def _thread_index(thread: int, axis: int, block: Dim3) -> int:
    return (thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1]), thread)[axis]


def _constant(value: object, arguments: list[int], grid: Dim3, block: Dim3, shared: int) -> int:
    match value:
        case int():
            return value & MASK32
        case ("param", int(i), int(offset)):
            return arguments[i] + offset & MASK32
        case ("ntid", int(axis)):
            return block[axis]
        case ("nctaid", int(axis)):
            return grid[axis]
        case ("ctaid", int(_)):
            return 0
        case ("shared", int(offset)):
            return shared + offset
    raise LaunchError(f"internal: constant {value!r}")
