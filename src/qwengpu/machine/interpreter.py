"""Reference interpreter: runs a launch image and yields the exact token trace the model must write.

It works on :class:`~qwengpu.machine.isa.Block` objects with Python integers. It shares no code with the circuits or
the weights; it is the meaning of the machine, they are its implementation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from qwengpu.machine.isa import MASK32, Block, Instruction, Op, Operand
from qwengpu.machine.loader import LaunchImage
from qwengpu.machine.tokens import Kind, Token, encode_words

Trace = Generator[Token, None, None]


def signed(value: int) -> int:
    """The two's complement reading of an unsigned 32-bit value."""
    return value - (1 << 32) if value >> 31 else value


def evaluate(op: Op, a: int, b: int, c: int) -> int:
    """Result of an operation other than a load, on unsigned 32-bit operands (see :class:`Op`)."""
    match op:
        case Op.ADD:
            result = a + b
        case Op.SUB:
            result = a - b
        case Op.LEA:
            result = a + (b << 2)
        case Op.AND:
            result = a & b
        case Op.OR:
            result = a | b
        case Op.XOR:
            result = a ^ b
        case Op.SHL:
            result = a << b if b < 32 else 0
        case Op.SHR:
            result = a >> b if b < 32 else 0
        case Op.SAR:
            result = signed(a) >> min(b, 31)
        case Op.SLTU:
            result = a < b
        case Op.SGEU:
            result = a >= b
        case Op.SLTS:
            result = signed(a) < signed(b)
        case Op.SGES:
            result = signed(a) >= signed(b)
        case Op.SEQ:
            result = a == b
        case Op.SNE:
            result = a != b
        case Op.SELP:
            result = a if c & 1 else b
        case Op.MUL:
            result = a * b
        case Op.MULHI:
            result = a * b >> 32
        case Op.MAD:
            result = a * b + c
        case _:
            raise ValueError(f"{op} is a load")
    return int(result) & MASK32


@dataclass
class Warp:
    """One warp: its current block (None before it starts), and what each lane is doing."""

    lanes: int
    block: int | None = None
    waiting: dict[int, int] = field(default_factory=dict)  # lane -> block it waits at
    exited: set[int] = field(default_factory=set)

    def active(self) -> list[int]:
        return [lane for lane in range(self.lanes) if lane not in self.waiting and lane not in self.exited]


def _mask(lanes: list[int] | set[int]) -> int:
    return sum(1 << lane for lane in lanes)


class Interpreter:
    """A machine loaded with a launch image.

    Attributes:
        memory: memory words, unsigned 32-bit. constants, registers: the same, by row and by (warp, lane, register).
        position: (warp, block) of the token last yielded, for messages.
    """

    def __init__(self, image: LaunchImage) -> None:
        self.spec = image.spec
        self.image = image
        self.blocks: list[Block] = image.program.blocks
        self.memory = [0] * self.spec.words
        self.memory[: len(image.memory)] = image.memory
        self.constants = dict(image.constants)
        self.registers: dict[tuple[int, int, int], int] = {}
        for (warp, register), words in image.thread_registers.items():
            for lane, word in enumerate(words):
                self.registers[warp, lane, register] = word
        self.position: tuple[int, int] = (0, 0)
        self.committing: Operand | None = None
        self._warps: list[Warp] = []
        self._round_has_barrier = False

    def trace(self) -> Iterator[Token]:
        """Yield the tokens the model writes, from the first EXEC to HALT."""
        while True:
            self._warps = [Warp(self.spec.lanes) for _ in range(self.image.warps)]
            self._round_has_barrier = False
            yield from self._run_warps()
            if (yield from self._grid_is_done()):
                yield Token(Kind.HALT)
                return
            yield Token(Kind.CTA)

    # --- warps -----------------------------------------------------------------------------------------------------

    def _run_warps(self) -> Trace:
        last = len(self._warps) - 1
        number = 0
        while True:
            at_barrier = yield from self._run_warp(number)
            if at_barrier:
                number = number + 1 if number < last else 0
                self._round_has_barrier = number != 0
                yield Token(Kind.WARPB, number)
            elif number < last:
                number += 1
                yield Token(Kind.WARPX, number)
            elif self._round_has_barrier:
                number, self._round_has_barrier = 0, False
                yield Token(Kind.WARPX, 0)
            else:
                return

    def _run_warp(self, number: int) -> Generator[Token, None, bool]:
        """Run a warp until a barrier (True) or its end (False)."""
        warp = self._warps[number]
        if warp.block is None:
            following: int | bool = 0
            if number == len(self._warps) - 1 and self.image.absent_lanes:
                warp.exited = {lane for lane in range(warp.lanes) if self.image.absent_lanes >> lane & 1}
                yield Token(Kind.EXIT, self.image.absent_lanes)
        else:
            following = yield from self._leave(warp, taken=[], resumed=True)
        while following is not True and following is not False:
            self.position = (number, following)
            warp.block = following
            yield Token(Kind.EXEC, following)
            taken = yield from self._execute(number, warp)
            following = yield from self._leave(warp, taken, resumed=False)
        return following

    def _leave(self, warp: Warp, taken: list[int], resumed: bool) -> Generator[Token, None, int | bool]:
        """Where a warp goes after its current block: a block, True (wait at a barrier) or False (ended)."""
        block = self.blocks[warp.block or 0]
        while True:
            active = warp.active()
            if block.exit and not warp.waiting:
                return False
            if not active:
                return min(warp.waiting.values())
            if block.exit:
                warp.exited |= set(active)
                yield Token(Kind.EXIT, _mask(active))
                continue
            if block.barrier and not resumed:
                return True
            branching = [lane for lane in active if lane in taken] if block.branch else []
            if branching and len(branching) < len(active):
                staying = [lane for lane in active if lane not in branching]
                waits = branching if block.target_waits else staying
                yield self._wait(warp, block, waits, block.target_waits)
                continue
            following = block.target if branching else block.next
            if warp.waiting and min(warp.waiting.values()) < following:
                yield self._wait(warp, block, active, bool(branching))
                continue
            return following

    @staticmethod
    def _wait(warp: Warp, block: Block, lanes: list[int], at_target: bool) -> Token:
        for lane in lanes:
            warp.waiting[lane] = block.target if at_target else block.next
        return Token(Kind.WAITT if at_target else Kind.WAITF, _mask(lanes))

    def _grid_is_done(self) -> Generator[Token, None, bool]:
        """Run the grid scheduler (in the last warp, all lanes); True when no thread block is left."""
        number = len(self._warps) - 1
        warp = self._warps[number]
        block_number = self.blocks[warp.block or 0].target
        warp.exited, warp.waiting = set(), {}
        while True:
            warp.block = block_number
            self.position = (number, block_number)
            yield Token(Kind.EXEC, block_number)
            taken = yield from self._execute(number, warp)
            block = self.blocks[block_number]
            if block.branch:
                return not taken
            block_number = block.next

    # --- blocks ----------------------------------------------------------------------------------------------------

    def _read(self, operand: Operand, warp: int, lane: int, results: list[int]) -> int:
        match operand.kind:
            case "reg":
                return self.registers.get((warp, lane, operand.index), 0)
            case "const":
                return self.constants.get(operand.index, 0)
            case "stage":
                return results[operand.index]
        return 0

    def _address(self, instruction: Instruction, a: int, b: int) -> int:
        """Word number of an address; bits above the machine's memory do not exist."""
        total = a + (b << 2 if "lea" in instruction.op.value else b)
        return (total >> 2) % self.spec.words

    def _stages(self, block: Block, warp: int, lane: int) -> tuple[list[int], int]:
        """Results of all stages in one lane, and the word number computed by the store stage."""
        results: list[int] = []
        address = 0
        for k, instruction in enumerate(block.stages):
            if instruction is None:
                results.append(0)
                continue
            a, b, c = (self._read(o, warp, lane, results) for o in (instruction.a, instruction.b, instruction.c))
            if k == self.spec.store_stage:
                address = self._address(instruction, a, b)
            if "load" in instruction.op.value:
                results.append(self.memory[self._address(instruction, a, b)])
            else:
                results.append(evaluate(instruction.op, a, b, c))
        return results, address

    def _participants(self, block: Block, warp: int, active: list[int]) -> list[int]:
        first = block.stages[0]
        if not block.guard or first is None:
            return active
        return [lane for lane in active if (self._read(first.c, warp, lane, []) & 1) != int(block.guard_negated)]

    def _execute(self, number: int, warp: Warp) -> Generator[Token, None, list[int]]:
        """Run the warp's current block after its EXEC token; returns the lanes that take the branch."""
        block = self.blocks[warp.block or 0]
        wakers = [lane for lane, at in warp.waiting.items() if at == warp.block]
        if wakers:
            for lane in wakers:
                del warp.waiting[lane]
            yield Token(Kind.WAKE, _mask(wakers))
        active = warp.active()
        lanes = range(self.spec.lanes)
        results = [self._stages(block, number, lane)[0] for lane in lanes]
        if block.store:
            yield from self._store(block, number, self._participants(block, number, active))
        if block.atomic:
            for lane in self._participants(block, number, active):
                results[lane], address = self._stages(block, number, lane)
                word = results[lane][-1]
                yield from encode_words([word] * len(lanes) if lane == 0 else [word * (o == lane) for o in lanes])
                self.memory[address] = word
                yield Token(Kind.MEM, lane)
        for k, instruction in enumerate(block.stages):
            if instruction is None or instruction.dst is None:
                continue
            self.committing = instruction.dst
            base = results[0][k] if 0 in active else 0
            words = [results[lane][k] if lane in active else base for lane in lanes]
            words[0] = base
            yield from (token for token in encode_words(words) if token.index)
            for lane in active:
                if instruction.dst.kind == "reg":
                    self.registers[number, lane, instruction.dst.index] = results[lane][k]
            if instruction.dst.kind == "const":
                self.constants[instruction.dst.index] = base
            yield Token(Kind.COMMIT, k, base & 255)
            self.committing = None
        return [lane for lane in active if block.branch and results[lane][-1] & 1]

    def _store(self, block: Block, warp: int, lanes: list[int]) -> Trace:
        """Write memory, one lane a bank at a time, lowest lane first."""
        while lanes:
            banks: set[int] = set()
            remaining = []
            for lane in lanes:
                results, address = self._stages(block, warp, lane)
                bank = address % self.spec.lanes
                if bank in banks:
                    remaining.append(lane)
                    continue
                banks.add(bank)
                self.memory[address] = results[0]
            lanes = remaining
            if lanes:
                yield Token(Kind.ST, _mask(lanes))
