"""A direct interpreter of PTX, independent of the front end and the machine: it reads the text that compilers write."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from corpus.case import Case
from corpus.oracles.printf import arguments_size, format_text
from corpus.oracles.ptx_code import ENDED, WAITS, Code, translate
from corpus.oracles.ptx_text import ARGUMENTS, CODE, LOCAL, PARAM, SHARED, Module, Reg, Sym, Variable, align_up, parse
from corpus.oracles.ptx_values import POISON
from corpus.oracles.result import OracleError, Result, after, dim3
from qwengpu.cuda import to_ptx

#: Blocks of instructions that a thread runs before another one may: threads that wait for others in a loop need this.
TURN = 5_000
#: Executed instructions after which a launch counts as endless.
LIMIT = 200_000_000
#: What memory holds that nothing was stored to.
FILL = 0xA5


def run(case: Case, compiler: str = "zig", options: Sequence[str] = ()) -> Result:
    """Compile a case to PTX and interpret that.

    Raises:
        OracleError: if the launch has no defined result; the message tells block, thread and line of the PTX.
        qwengpu.errors.CompileError: if the compiler refuses the source.
    """
    return run_text(_compiled(str(case.path), compiler, tuple(options)), case, LIMIT)


def run_text(text: str, case: Case, limit: int = LIMIT) -> Result:
    """Interpret the case's kernel in a PTX module given as text."""
    return Launch(program(text), case, limit).run()


@lru_cache(maxsize=64)
def _compiled(path: str, compiler: str, options: tuple[str, ...]) -> str:
    return to_ptx(path, compiler, options)


class Program:
    """A module whose functions are translated when they are first needed."""

    def __init__(self, text: str) -> None:
        self.module: Module = parse(text)
        self._codes: dict[str, Code] = {}

    def code(self, name: str) -> Code:
        if name not in self._codes:
            function = self.module.functions.get(name)
            if function is None or not function.defined:
                raise OracleError(f"function {name} has no body")
            self._codes[name] = translate(self.module, function)
        return self._codes[name]

    def kernel(self, name: str) -> Code:
        """The kernel of that name, which the module may hold in its mangled form."""
        kernels = [f.name for f in self.module.functions.values() if f.entry]
        mangled = f"_Z{len(name)}{name}"
        for candidate in kernels:
            if candidate == name:
                return self.code(candidate)
        found = [candidate for candidate in kernels if candidate.startswith(mangled) or f"L{mangled[2:]}" in candidate]
        if len(found) != 1:
            raise OracleError(f"the module has no kernel {name}, or several; it has {', '.join(kernels)}")
        return self.code(found[0])


@lru_cache(maxsize=32)
def program(text: str) -> Program:
    """The program of a PTX text."""
    return Program(text)


class Launch:
    """One launch: memory, and its blocks one after the other."""

    def __init__(self, program: Program, case: Case, limit: int = LIMIT) -> None:
        self.program, self.case, self.limit = program, case, limit
        self.kernel = program.kernel(case.kernel)
        self.grid, self.shape = dim3(case.grid), dim3(case.block)
        self.regions: dict[int, bytearray | bytes] = {}
        self.executed = 0
        self.text: list[str] = []
        for variable in program.module.statics:
            data = self._initial(variable)
            self.regions[variable.offset >> 32] = bytes(data) if variable.space == "const" else data
        self.parameters = self._parameters()

    def _initial(self, variable: Variable) -> bytearray:
        data = bytearray(variable.size)
        for place, value, size in variable.init:
            number = self._address(value) if isinstance(value, Sym) else value
            data[place : place + size] = (number & (1 << 8 * size) - 1).to_bytes(size, "little")
        return data

    def _address(self, symbol: Sym) -> int:
        module = self.program.module
        if symbol.name in module.functions:
            return (CODE << 32) + 16 * list(module.functions).index(symbol.name)
        variable = module.variables.get(symbol.name)
        if variable is None:
            raise OracleError(f"an initial value names {symbol.name}, which is not there")
        return variable.offset + symbol.offset

    def _parameters(self) -> bytearray:
        formals = self.kernel.function.formals
        if len(formals) != len(self.case.arguments):
            raise OracleError(f"the kernel takes {len(formals)} arguments, not {len(self.case.arguments)}")
        frame = bytearray(self.kernel.function.param_bytes)
        for index, ((formal, size), argument) in enumerate(zip(formals, self.case.arguments, strict=True)):
            assert isinstance(formal, Variable)
            if isinstance(argument, np.ndarray):
                self.regions[ARGUMENTS + index] = bytearray(argument.tobytes())
                argument = ARGUMENTS + index << 32
            data = (int(argument) & (1 << 8 * size) - 1).to_bytes(size, "little")
            frame[formal.offset : formal.offset + size] = data
        return frame

    def run(self) -> Result:
        for z, y, x in product(*(range(n) for n in reversed(self.grid))):
            Block(self, (x, y, z)).run()
        arrays = {
            index: after(self.case, index, self.regions[ARGUMENTS + index])
            for index, argument in enumerate(self.case.arguments)
            if isinstance(argument, np.ndarray)
        }
        return Result(arrays, self.executed, "".join(self.text))


class Thread:
    """A thread's state. Translated blocks use its attributes."""

    def __init__(self, block: Block, number: int) -> None:
        self.block, self.number = block, number
        x, y, _ = block.shape
        self.thread = (number % x, number // x % y, number // (x * y))
        self.lane, self.warp = number % 32, number // 32
        launch = block.launch
        self.shared = block.shared
        self.local, self.param = bytearray(), bytearray()
        self.regions = {**launch.regions, SHARED: self.shared, LOCAL: self.local, PARAM: self.param}
        self.executed = 0
        self.carry = 0
        self.pc = 0
        self.request: tuple[str, tuple[Any, ...], Any, tuple[int | None, ...]] | None = None
        self.ended = False
        self.frames: list[tuple[Any, ...]] = []
        self.results: tuple[tuple[int | None, int | None], ...] = ()
        self.local_base = self.param_base = 0
        self.code = launch.kernel
        self._frame(launch.kernel)
        self.param[:] = launch.parameters

    def _frame(self, code: Code) -> None:
        self.code, function = code, code.function
        self.R = [POISON & (1 << bits) - 1 for bits in function.widths]
        self.local_base = align_up(len(self.local), 16)
        self.local.extend(bytes([FILL]) * (self.local_base + function.local_bytes - len(self.local)))
        self.param_base = align_up(len(self.param), 16)
        self.param.extend(bytes([FILL]) * (self.param_base + function.param_bytes - len(self.param)))

    def enter(self, name: str, arguments: tuple[bytes | int, ...], results: tuple[Any, ...], follow: int) -> int:
        """Call a function; returns the block to go on with."""
        launch = self.block.launch
        function = launch.program.module.functions.get(name)
        if function is None:
            raise OracleError(f"no function {name}")
        if not function.defined:
            return self._system(name, arguments, results, follow)
        if len(self.frames) > 1000:
            raise OracleError("calls are nested too deep")
        if len(arguments) != len(function.formals) or len(results) != len(function.returns):
            raise OracleError(f"a call of {name} does not fit its parameters")
        saved = (self.code, self.R, self.local_base, self.param_base, len(self.local), len(self.param), self.results)
        self.frames.append((*saved, follow))
        self._frame(launch.program.code(name))
        self.results = results
        for (formal, size), argument in zip(function.formals, arguments, strict=True):
            if isinstance(formal, Reg):
                number = int.from_bytes(argument, "little") if isinstance(argument, bytes) else argument
                self.R[formal.index] = number & (1 << formal.bits) - 1
                continue
            if isinstance(argument, int):
                argument = (argument & (1 << 8 * size) - 1).to_bytes(size, "little")
            if len(argument) != size:
                raise OracleError(f"a call of {name} passes {len(argument)} bytes for a parameter of {size}")
            place = self.param_base + formal.offset
            self.param[place : place + size] = argument
        return 0

    def leave(self) -> int:
        """Return from a function, or end."""
        if not self.frames:
            return ENDED
        returns = self.code.function.returns
        values: list[bytes] = []
        for formal, size in returns:
            if isinstance(formal, Reg):
                values.append(int(self.R[formal.index]).to_bytes(size, "little"))
            else:
                place = self.param_base + formal.offset
                values.append(bytes(self.param[place : place + size]))
        results = self.results
        *saved, follow = self.frames.pop()
        self.code, self.R, self.local_base, self.param_base, local, param, self.results = saved
        del self.local[local:]
        del self.param[param:]
        for value, result in zip(values, results, strict=True):
            self._give(result, value)
        return int(follow)

    def _give(self, result: tuple[int | None, int | None], value: bytes) -> None:
        place, register = result
        if place is not None:
            self.param[place : place + len(value)] = value
        elif register is not None:
            self.R[register] = int.from_bytes(value, "little")

    def _system(self, name: str, arguments: tuple[Any, ...], results: tuple[Any, ...], follow: int) -> int:
        """Functions that CUDA brings: printing, and failed assertions."""
        numbers = [int.from_bytes(a, "little") if isinstance(a, bytes) else a for a in arguments]
        if name == "vprintf":
            layout = self.string(numbers[0])
            size = arguments_size(layout)
            data = self.bytes_at(numbers[1], size) if size else b""
            text, count = format_text(layout, data, self.string)
            self.block.launch.text.append(text)
            for result in results:
                self._give(result, count.to_bytes(4, "little"))
            return follow
        if name == "__assertfail":
            message, file, line, function = numbers[:4]
            place = f"{self.string(file).decode()}:{line} ({self.string(function).decode()})"
            raise OracleError(f"assertion failed: {self.string(message).decode()} at {place}")
        raise OracleError(f"function {name} has no body")

    def bytes_at(self, address: int, size: int) -> bytes:
        region = self.regions[address >> 32]
        place = address & 0xFFFFFFFF
        if place + size > len(region):
            raise IndexError
        return bytes(region[place : place + size])

    def string(self, address: int) -> bytes:
        """The bytes of a string up to its end."""
        region, place = self.regions[address >> 32], address & 0xFFFFFFFF
        end = region.find(b"\0", place)
        if end < 0:
            raise OracleError("a string without an end")
        return bytes(region[place:end])

    def function_at(self, address: int) -> str:
        names = list(self.block.launch.program.module.functions)
        number = (address & 0xFFFFFFFF) // 16
        if address >> 32 != CODE or address % 16 or number >= len(names):
            raise OracleError(f"a call of address {address:#x}, which is no function")
        return names[number]

    def allocate(self, size: int, align: int) -> int:
        """``alloca``: room in local memory."""
        place = align_up(len(self.local), max(align, 1))
        self.local.extend(bytes([FILL]) * (place + size - len(self.local)))
        return place

    def advance(self) -> None:
        """Run until the end, until it has to wait, or until its turn is over."""
        pc = self.pc
        try:
            for _ in range(TURN):
                pc = self.code.blocks[pc](self)
                if pc < 0:
                    break
        except (OracleError, struct.error, IndexError, KeyError) as error:
            line = self.code.lines[pc] if pc >= 0 else 0
            x, y, z = self.block.index
            message = str(error) if isinstance(error, OracleError) else "access to memory that is not allocated"
            where = (
                f"{self.code.function.name}, block ({x}, {y}, {z}), thread {self.thread}, after line {line} of the PTX"
            )
            raise OracleError(f"{message} in {where}") from error
        if pc == ENDED:
            self.ended = True
        elif pc != WAITS:
            self.pc = pc

    def resume(self, *values: int) -> None:
        """Hand over what the thread waited for."""
        assert self.request is not None
        for register, value in zip(self.request[3], values, strict=False):
            if register is not None:
                self.R[register] = value
        self.request = None


class Block:
    """A thread block: runs its threads, and answers their barriers and exchanges."""

    def __init__(self, launch: Launch, index: tuple[int, int, int]) -> None:
        self.launch, self.index = launch, index
        self.shape, self.grid = launch.shape, launch.grid
        module = launch.program.module
        self.dynamic = launch.case.shared
        static = align_up(module.shared_bytes, 16) if self.dynamic else module.shared_bytes
        self.shared = bytearray([FILL]) * (static + self.dynamic)
        count = self.shape[0] * self.shape[1] * self.shape[2]
        self.warps = -(-count // 32)
        self.threads = [Thread(self, number) for number in range(count)]
        self.arrived: dict[tuple[int, int], int] = {}

    def run(self) -> None:
        while not all(thread.ended for thread in self.threads):
            moved = False
            for first in range(0, len(self.threads), 32):
                warp = self.threads[first : first + 32]
                moved |= self._run_warp(warp)
            if not (self._barriers() or moved or self._active()):
                waiting = next(thread for thread in self.threads if not thread.ended)
                raise OracleError(
                    f"block {self.index}: no thread can go on; thread {waiting.thread} waits for others in vain"
                )
            if sum(thread.executed for thread in self.threads) + self.launch.executed > self.launch.limit:
                raise OracleError(f"more than {self.launch.limit} instructions: the kernel does not seem to end")
        self.launch.executed += sum(thread.executed for thread in self.threads)

    def _run_warp(self, warp: list[Thread]) -> bool:
        moved = False
        for thread in warp:
            if not thread.ended and thread.request is None:
                thread.advance()
                moved = True
        return self._exchanges(warp) or moved

    def _exchanges(self, warp: list[Thread]) -> bool:
        """Answer exchanges for which all threads have come that their masks name."""
        groups: dict[tuple[Any, ...], list[Thread]] = {}
        for thread in warp:
            if thread.request is not None and thread.request[0] == "warp":
                groups.setdefault(thread.request[1], []).append(thread)
        alive = {thread.lane for thread in warp if not thread.ended}
        done = False
        for (name, mask), threads in groups.items():
            lanes = {thread.lane for thread in threads}
            if any(not mask >> lane & 1 for lane in lanes):
                raise OracleError(f"block {self.index}: {name} by a thread that its mask {mask:#x} does not name")
            if {lane for lane in alive if mask >> lane & 1} == lanes:
                exchange(name, {thread.lane: thread for thread in threads})
                done = True
        return done

    def arrive(self, name: int, count: int) -> None:
        """``bar.arrive``."""
        self.arrived[name, count] = self.arrived.get((name, count), 0) + 1

    def _barriers(self) -> bool:
        groups: dict[tuple[int, int], list[Thread]] = {}
        alive = [thread for thread in self.threads if not thread.ended]
        for thread in alive:
            if thread.request is not None and thread.request[0] == "bar":
                name, count, _, _ = thread.request[1]
                groups.setdefault((name, count), []).append(thread)
        done = False
        for (name, count), threads in groups.items():
            arrived = self.arrived.get((name, count), 0)
            if len(threads) + arrived < (count or len(alive)):
                continue
            self._check_aligned(threads)
            operations = {thread.request[1][2] for thread in threads if thread.request is not None}
            if len(operations) > 1:
                raise OracleError(f"block {self.index}: threads meet at barrier {name} with different operations")
            values = [int(bool(thread.request[2])) for thread in threads if thread.request is not None]
            result = {"popc": sum(values), "and": min(values), "or": max(values), "": 0}[operations.pop()]
            for thread in threads:
                thread.resume(result)
            self.arrived.pop((name, count), None)
            done = True
        return done

    def _check_aligned(self, threads: Iterable[Thread]) -> None:
        places: dict[int, set[int]] = {}
        for thread in threads:
            if thread.request is not None and thread.request[1][3]:
                places.setdefault(thread.warp, set()).add(thread.pc)
        if any(len(pcs) > 1 for pcs in places.values()):
            raise OracleError(f"block {self.index}: threads of a warp meet at different barriers")

    def _active(self) -> bool:
        """Answer ``activemask`` when nothing else can go on: those together are those that wait at one place."""
        done = False
        for first in range(0, len(self.threads), 32):
            groups: dict[int, list[Thread]] = {}
            for thread in self.threads[first : first + 32]:
                if thread.request is not None and thread.request[0] == "active":
                    groups.setdefault(thread.pc, []).append(thread)
            for threads in groups.values():
                mask = sum(1 << thread.lane for thread in threads)
                for thread in threads:
                    thread.resume(mask)
                done = True
        return done


# --- exchanges in a warp ---------------------------------------------------------------------------------------------


def exchange(name: str, threads: dict[int, Thread]) -> None:
    """Resume threads (lane -> thread) that meet in an instruction such as ``shfl.sync.up.b32``."""
    base, *parts = name.split(".")
    given = {lane: thread.request[2] for lane, thread in threads.items() if thread.request is not None}
    if base == "sync":
        answers: dict[int, tuple[int, ...]] = dict.fromkeys(threads, ())
    elif base == "shfl":
        answers = {lane: shuffle(parts[1], lane, given) for lane in threads}
    else:
        values = {lane: value[0] for lane, value in given.items()}
        answers = _COLLECTIVES[base](parts, values)
    for lane, thread in threads.items():
        thread.resume(*answers[lane])


def shuffle(mode: str, lane: int, given: dict[int, tuple[int, int, int]]) -> tuple[int, int]:
    """(value, predicate) that a lane gets from a shuffle with the operands a, b, c of all lanes."""
    _, b, c = given[lane]
    amount, clamp, segment = b & 31, c & 31, c >> 8 & 31
    last = lane & segment | clamp & ~segment
    if mode == "up":
        source = lane - amount
        inside = source >= last
    else:
        first = lane & segment
        source = {"down": lane + amount, "bfly": lane ^ amount, "idx": first | amount & ~segment}[mode]
        inside = source <= last
    if not inside:
        source = lane
    return (given[source][0] if source in given else POISON & 0xFFFFFFFF), int(inside)


def _vote(parts: list[str], values: dict[int, int]) -> dict[int, tuple[int, ...]]:
    votes = {lane: int(bool(value)) for lane, value in values.items()}
    if "ballot" in parts:
        result = sum(vote << lane for lane, vote in votes.items())
    elif "uni" in parts:
        result = int(len(set(votes.values())) == 1)
    else:
        result = (min if "all" in parts else max)(votes.values())
    return dict.fromkeys(values, (result,))


def _match(parts: list[str], values: dict[int, int]) -> dict[int, tuple[int, ...]]:
    def same(value: int) -> int:
        return sum(1 << lane for lane, other in values.items() if other == value)

    if "any" in parts:
        return {lane: (same(value),) for lane, value in values.items()}
    agree = len(set(values.values())) == 1
    return {lane: (same(value) if agree else 0, int(agree)) for lane, value in values.items()}


def _reduce(parts: list[str], values: dict[int, int]) -> dict[int, tuple[int, ...]]:
    numbers = list(values.values())
    if parts[-1] == "s32":
        numbers = [(value ^ 1 << 31) - (1 << 31) for value in numbers]
    result = numbers[0]
    for value in numbers[1:]:
        result = _REDUCTIONS[parts[1]](result, value)
    return dict.fromkeys(values, (result & 4294967295,))


_REDUCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_COLLECTIVES = {"vote": _vote, "match": _match, "redux": _reduce}
