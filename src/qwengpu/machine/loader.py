"""Loader: a program, its arguments and a launch shape become a launch image, and the tokens that upload it.

Memory is laid out in this order, each part at a whole row and followed by a row that is not allocated, so that running
over the end of one is a trap: the arrays of the arguments, the module's variables, ``__shared__`` storage, local
storage (that of the threads, one after the other), spilled registers (word 0 of every thread, then word 1, ...), and in
what is left the buffer for printed text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from qwengpu.errors import CapacityError, LaunchError
from qwengpu.machine.isa import MASK32, Program, Symbol, encode_block, validate
from qwengpu.machine.output import record_bytes
from qwengpu.machine.spec import MachineSpec
from qwengpu.machine.tokens import Kind, Token, encode_words

#: First byte address given out; address 0 stays unused so that a null pointer is never an array.
FIRST_ADDRESS = 16
#: Words whose allocation one MAP token tells.
MAP_WORDS = 32
Dim3 = tuple[int, int, int]
#: A scalar, the bytes of a structure, an array in its own type, or integers for an array of the type the kernel has.
Argument = int | bytes | Sequence[int] | np.ndarray
#: First word and number of words.
Region = tuple[int, int]


@dataclass
class LaunchImage:
    """Everything the machine holds when a launch begins.

    Attributes:
        memory: initial memory words from word 0, unsigned 32-bit.
        constants: constant row -> word.
        thread_registers: (warp, register) -> one word a lane.
        warps: warps in a thread block; absent_lanes: mask of lanes the last one lacks.
        arrays: for each array argument, its words, in argument order; dtypes, shapes: its elements.
        allocated: words the kernel may access. data, output: words of the module's variables and of printed text.
        grid, block: the shape of the launch.
    """

    spec: MachineSpec
    program: Program
    memory: list[int]
    constants: dict[int, int]
    thread_registers: dict[tuple[int, int], list[int]]
    warps: int
    absent_lanes: int
    arrays: list[Region] = field(default_factory=list)
    dtypes: list[np.dtype] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    allocated: list[Region] = field(default_factory=list)
    data: Region = (0, 0)
    output: Region = (0, 0)
    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)

    @cached_property
    def allocated_words(self) -> frozenset[int]:
        """Numbers of the words that the kernel may access."""
        return frozenset(word for first, count in self.allocated for word in range(first, first + count))

    def array(self, number: int, memory: Sequence[int]) -> np.ndarray:
        """The contents of an array argument in ``memory`` (all words of the machine), in its own type and shape."""
        first, count = self.arrays[number]
        words = [*memory[first : first + count]]
        words += [0] * (count - len(words))  # an image's memory ends with its last word that is not 0
        return from_words(words, self.dtypes[number], self.shapes[number])

    def symbol(self, name: str, memory: Sequence[int]) -> np.ndarray:
        """The contents of a variable of the module in ``memory``.

        Raises:
            LaunchError: if the kernel has no such variable.
        """
        symbol = find_symbol(self.program, name)
        first, last = self.data[0] + symbol.offset // 4, self.data[0] + (symbol.offset + symbol.bytes + 3) // 4
        data = np.array(memory[first:last], "<u4").tobytes()[symbol.offset % 4 :]
        dtype = dtype_of(symbol.element)
        return np.frombuffer(data, dtype, symbol.bytes // dtype.itemsize).copy()

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


# --- elements --------------------------------------------------------------------------------------------------------


def dtype_of(element: str) -> np.dtype:
    """The little-endian NumPy type of an element type, such as ``s32``."""
    return np.dtype(f"<{'i' if element[0] == 's' else 'u'}{int(element[1:]) // 8}")


def array_of(argument: Sequence[int] | np.ndarray, element: str) -> np.ndarray:
    """Array elements as the machine holds them: an array as it is, integers as elements of the given type, wrapped.

    Raises:
        LaunchError: for an array that does not hold integers of 8, 16, 32 or 64 bits.
    """
    if isinstance(argument, np.ndarray):
        if argument.dtype.kind not in "iub":
            raise LaunchError(f"an array of {argument.dtype}; give one of integers")
        return argument.astype(np.uint8) if argument.dtype.kind == "b" else argument
    dtype = dtype_of(element)
    mask = (1 << 8 * dtype.itemsize) - 1
    return np.array([int(value) & mask for value in argument], f"<u{dtype.itemsize}").view(dtype)


def to_words(array: np.ndarray) -> list[int]:
    """The words that hold an array's elements, packed, in C order."""
    data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return [int(word) for word in np.frombuffer(data + bytes(-len(data) % 4), "<u4")]


def from_words(words: Sequence[int], dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """The array that :func:`to_words` packed."""
    data = np.array(words, "<u4").tobytes()
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(data, dtype.newbyteorder("<"), count).astype(dtype).reshape(shape)


def find_symbol(program: Program, name: str) -> Symbol:
    """A variable of the module.

    Raises:
        LaunchError: if the kernel uses none of that name.
    """
    if name not in program.symbols:
        known = ", ".join(program.symbols) or "none"
        raise LaunchError(f"kernel {program.name} uses no variable {name} of its module; it uses: {known}")
    return program.symbols[name]


# --- loading ---------------------------------------------------------------------------------------------------------


class _Memory:
    """Memory being laid out."""

    def __init__(self, spec: MachineSpec) -> None:
        self.spec = spec
        self.words = [0] * (FIRST_ADDRESS // 4)
        self.end = len(self.words)
        self.allocated: list[Region] = []

    def place(self, words: Sequence[int], count: int = 0) -> Region:
        """Place initialised words, or room for ``count``; a row after them stays unallocated."""
        count = count or len(words)
        first = self.end + -self.end % self.spec.lanes
        if words:
            self.words += [0] * (first - len(self.words)) + list(words)
        if count:
            self.end = first + count + self.spec.lanes
            self.allocated.append((first, count))
        return first, count


def load(
    spec: MachineSpec,
    program: Program,
    arguments: Sequence[Argument],
    grid: Dim3 = (1, 1, 1),
    block: Dim3 = (1, 1, 1),
    dynamic_shared: int = 0,
    symbols: Mapping[str, Sequence[int] | np.ndarray] | None = None,
) -> LaunchImage:
    """Place a program and its arguments in the machine.

    Args:
        arguments: in kernel order; for a pointer an array (or integers, which become elements of the type that the
            kernel has), for a scalar an ``int``, for a structure its bytes or the integer they are in little-endian
            order.
        grid, block: launch shape. dynamic_shared: bytes of ``extern __shared__`` storage.
        symbols: values of the module's variables, by name, in place of those the source gives them.

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
    warps = -(-threads // spec.lanes)
    memory = _Memory(spec)
    arrays: list[Region] = []
    contents: list[np.ndarray] = []
    values: list[int] = []
    for index, argument in enumerate(arguments):
        value = _argument(program, index, argument)
        if isinstance(value, np.ndarray):
            arrays.append(memory.place(to_words(value)))
            contents.append(value)
            values.append(4 * arrays[-1][0])
        else:
            values.append(value)
    data = memory.place([0] * len(program.data))
    slots = warps * spec.lanes
    shared = memory.place((), (program.shared_bytes + dynamic_shared + 3) // 4)
    local = memory.place((), program.local_bytes // 4 * slots)
    spill = memory.place((), program.spill_words * slots)
    start = memory.end + -memory.end % spec.lanes
    room = 1 + max(map(record_bytes, program.prints)) // 4 if program.prints else 0  # for the longest record
    _fits("memory", start + room if room else memory.end - spec.lanes, spec.words, "words", "--words")
    output = memory.place((), spec.words - start if room else 0)
    places = {"shared": 4 * shared[0], "global": 4 * data[0], "local": 4 * local[0], "output": 4 * output[0]}
    places |= {"output_end": 4 * sum(output)}
    places |= {"spill": 4 * spill[0]}

    def constant(value: object) -> int:
        match value:
            case int():
                return value & MASK32
            case ("param", int(i), int(offset)):
                return values[i] + offset & MASK32
            case ("word", int(i), int(k)):
                return values[i] >> 32 * k & MASK32
            case ("ntid", int(axis)):
                return block[axis]
            case ("nctaid", int(axis)):
                return grid[axis]
            case ("ctaid", int(_)):
                return 0
            case ("spill", int(k)):
                return places["spill"] + 4 * k * slots
            case (str(space), int(offset)) if space in places:
                return places[space] + offset & MASK32
        raise LaunchError(f"internal: constant {value!r}")

    if program.data:
        memory.words[data[0] : sum(data)] = _module_data(program, [constant(word) for word in program.data], symbols)
    elif symbols:
        find_symbol(program, next(iter(symbols)))
    if room:  # the first word of the buffer is the address of the next record
        memory.words += [0] * (output[0] - len(memory.words)) + [4 * output[0] + 4]
    present = threads - (warps - 1) * spec.lanes
    thread_registers = {
        (warp, register): [
            _thread_index(min(warp * spec.lanes + lane, threads - 1), axis, block) for lane in range(spec.lanes)
        ]
        for axis, register in program.thread_index.items()
        for warp in range(warps)
    }
    return LaunchImage(
        spec=spec,
        program=program,
        memory=memory.words,
        constants={row: constant(value) for row, value in sorted(program.constants.items())},
        thread_registers=thread_registers,
        warps=warps,
        absent_lanes=(1 << spec.lanes) - (1 << present),
        arrays=arrays,
        dtypes=[array.dtype for array in contents],
        shapes=[array.shape for array in contents],
        allocated=memory.allocated,
        data=data,
        output=output,
        grid=grid,
        block=block,
    )


def _fits(what: str, needed: int, available: int, unit: str, option: str, per_option: int = 1) -> None:
    """Refuse what does not fit; one more of ``option`` brings ``per_option`` more units."""
    if needed > available:
        count = -(-needed // per_option)
        raise CapacityError(
            f"{what} is too small: this launch needs {needed} {unit}, the machine has {available}; "
            f"build a larger machine with {option} {1 << (count - 1).bit_length()}"
        )


def _argument(program: Program, index: int, argument: Argument) -> int | np.ndarray:
    """An argument as the array or the unsigned integer it is."""
    kind, name = program.parameters[index]
    if kind == "ptr":
        if isinstance(argument, int | np.integer | bytes):
            raise LaunchError(f"argument {name} of {program.name} is a pointer: give an array, not {argument!r}")
        try:
            return array_of(argument, program.elements.get(index, "s32"))
        except LaunchError as error:
            raise LaunchError(f"argument {name} of {program.name}: {error}") from error
    bits = int(kind[1:])
    if isinstance(argument, bytes):
        if 8 * len(argument) != bits:
            raise LaunchError(f"argument {name} of {program.name} has {bits // 8} bytes; got {len(argument)}")
        return int.from_bytes(argument, "little")
    if not isinstance(argument, int | np.integer | np.bool_):
        raise LaunchError(f"argument {name} of {program.name} is a scalar ({kind}): give one integer")
    return int(argument) & (1 << bits) - 1


def _module_data(
    program: Program, words: list[int], symbols: Mapping[str, Sequence[int] | np.ndarray] | None
) -> list[int]:
    """Words of the module's variables, some of them with other values."""
    data = bytearray(np.array(words, "<u4").tobytes())
    for name, given in (symbols or {}).items():
        symbol = find_symbol(program, name)
        array = array_of(given, symbol.element)
        content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        if len(content) > symbol.bytes:
            raise LaunchError(f"variable {name} has {symbol.bytes} bytes; got {len(content)}")
        data[symbol.offset : symbol.offset + len(content)] = content
    return [int(word) for word in np.frombuffer(bytes(data), "<u4")]


def _thread_index(thread: int, axis: int, block: Dim3) -> int:
    return (thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1]), thread)[axis]
