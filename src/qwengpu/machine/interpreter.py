"""Reference interpreter: runs a launch image and yields the exact token trace the model must write.

It works on :class:`~qwengpu.machine.isa.Block` objects with Python integers. It shares no code with the circuits or
the weights; it is the meaning of the machine, they are its implementation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from qwengpu.machine.isa import MASK32, Block, Instruction, Op, Operand
from qwengpu.machine.loader import LaunchImage
from qwengpu.machine.tokens import CAUSES, Kind, Token, encode_words, low_digit

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
        case Op.ADDC:
            result = a + b + (c & 1)
        case Op.SUBC:
            result = a - b - (c & 1)
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
        case Op.POPC:
            result = a.bit_count()
        case Op.CLZ:
            result = 32 - a.bit_length()
        case Op.BREV:
            result = int(f"{a:032b}"[::-1], 2)
        case Op.EXT8U:
            result = a >> 8 * (b & 3) & 0xFF
        case Op.EXT8S:
            result = ((a >> 8 * (b & 3) & 0xFF) ^ 0x80) - 0x80
        case Op.EXT16U:
            result = a >> 8 * (b & 2) & 0xFFFF
        case Op.EXT16S:
            result = ((a >> 8 * (b & 2) & 0xFFFF) ^ 0x8000) - 0x8000
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
    """One warp: its current block (None before it starts), what each lane is doing, where it waits for its fellows."""

    lanes: int
    block: int | None = None
    syncing: int | None = None  # the sync block at which it waits
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
        self._barrier_seen = False
        self._traps = False

    def trace(self) -> Iterator[Token]:
        """Yield the tokens the model writes, from the first EXEC to HALT or TRAP."""
        while True:
            self._warps = [Warp(self.spec.lanes) for _ in range(self.image.warps)]
            self._barrier_seen = False
            yield from self._run_warps()
            if self._traps:
                return
            done = yield from self._grid_is_done()
            if self._traps:
                return
            if done:
                yield Token(Kind.HALT)
                return
            yield Token(Kind.CTA)

    # --- warps -----------------------------------------------------------------------------------------------------

    def _run_warps(self) -> Trace:
        """Rounds over all warps, each up to its barrier or end, and within them over a logical warp's sync blocks.

        A round over a logical warp lets those pass that are at its lowest sync block when the round begins. What
        those that passed are at then, perhaps a lower one in a loop, counts in the next round.
        """
        last, size = len(self._warps) - 1, self.spec.logical_warp
        number, again = 0, False
        lowest: int | None = None
        while True:
            first = number - number % size
            group = self._warps[first : first + size]
            if not again or (lowest is not None and self._warps[number].syncing == lowest):
                self._warps[number].syncing = None
                yield from self._run_warp(number)
                if self._traps:
                    return
            if number < last and number % size < size - 1:
                number += 1
            elif waiting := [warp.syncing for warp in group if warp.syncing is not None]:
                number, again, lowest = first, True, min(waiting)
            elif number < last:
                number, again = number + 1, False
            elif self._barrier_seen:
                number, again, self._barrier_seen = 0, False, False
            else:
                return
            yield Token(Kind.SYNC if again else Kind.WARP, number)

    def _run_warp(self, number: int) -> Trace:
        """Run a warp until it waits or ends."""
        warp = self._warps[number]
        following: int | None = 0
        if warp.block is not None:
            following = yield from self._leave(warp, taken=[], resumed=True)
        elif number == len(self._warps) - 1 and self.image.absent_lanes:
            warp.exited = {lane for lane in range(warp.lanes) if self.image.absent_lanes >> lane & 1}
            yield Token(Kind.EXIT, self.image.absent_lanes)
        while following is not None:
            self.position = (number, following)
            warp.block = following
            yield Token(Kind.EXEC, following)
            taken = yield from self._execute(number, warp)
            if self._traps:
                return
            following = yield from self._leave(warp, taken, resumed=False)

    def _leave(self, warp: Warp, taken: list[int], resumed: bool) -> Generator[Token, None, int | None]:
        """The block that follows a warp's current one, or None if it waits or has ended."""
        block = self.blocks[warp.block or 0]
        while True:
            active = warp.active()
            if block.exit and not warp.waiting:
                return None
            if not active:
                return min(warp.waiting.values())
            if block.exit:
                warp.exited |= set(active)
                yield Token(Kind.EXIT, _mask(active))
                continue
            if (block.barrier or block.sync) and not resumed:
                self._barrier_seen |= block.barrier
                warp.syncing = warp.block if block.sync else None
                return None
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
            if self._traps:
                return True
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
        """Byte address that a stage computes."""
        return (a + (b << 2 if "lea" in instruction.op.value else b)) & MASK32

    def _word(self, address: int) -> int:
        """Memory word at a byte address; 0 outside of the machine's memory."""
        return self.memory[address >> 2] if address >> 2 < self.spec.words else 0

    def _stages(self, block: Block, warp: int, lane: int) -> tuple[list[int], int]:
        """Results of all stages in one lane, and the address computed by the store stage."""
        results, addresses = self._evaluate(block, warp, lane)
        return results, addresses.get(self.spec.store_stage, 0)

    def _evaluate(self, block: Block, warp: int, lane: int) -> tuple[list[int], dict[int, int]]:
        """Results of all stages in one lane, and the addresses that it accesses, by stage."""
        results: list[int] = []
        addresses: dict[int, int] = {}
        for k, instruction in enumerate(block.stages):
            if instruction is None:
                results.append(0)
                continue
            a, b, c = (self._read(o, warp, lane, results) for o in (instruction.a, instruction.b, instruction.c))
            stores = k == self.spec.store_stage and (block.store or block.atomic)
            if stores or "load" in instruction.op.value:
                addresses[k] = self._address(instruction, a, b)
            if "load" in instruction.op.value:
                results.append(self._word(addresses[k]))
            else:
                results.append(evaluate(instruction.op, a, b, c))
        return results, addresses

    def _cause(self, block: Block, warp: Warp, number: int, lane: int, participates: bool) -> str:
        """Why a lane traps in its block, or an empty text."""
        if block.trap:
            return "trap"
        if block.barrier and warp.waiting:
            return "barrier"
        _, addresses = self._evaluate(block, number, lane)
        found = ""
        for k, address in addresses.items():
            instruction = block.stages[k]
            stores = k == self.spec.store_stage and (block.store or block.atomic)
            if instruction is None or not instruction.align or (stores and not participates):
                continue
            if address >> 2 not in self.image.allocated_words:
                return "address"
            if address % instruction.align:
                found = "alignment"
        return found

    def _participants(self, block: Block, warp: int, active: list[int]) -> list[int]:
        first = block.stages[0]
        if not block.guard or first is None:
            return active
        return [lane for lane in active if (self._read(first.c, warp, lane, []) & 1) != int(block.guard_negated)]

    def _execute(self, number: int, warp: Warp) -> Generator[Token, None, list[int]]:
        """Run the warp's current block after its EXEC token; returns the lanes that take the branch."""
        block = self.blocks[warp.block or 0]
        wakers = [lane for lane, at in warp.waiting.items() if at == warp.block]
        for lane in wakers:
            del warp.waiting[lane]
        active = warp.active()
        if block.trap or block.barrier or any(i is not None for i in block.stages):
            participants = self._participants(block, number, active)
            causes = {lane: self._cause(block, warp, number, lane, lane in participants) for lane in active}
            for cause in CAUSES:
                if trapping := [lane for lane in active if causes[lane] == cause]:
                    self._traps = True
                    yield Token(Kind.TRAP, CAUSES.index(cause) << 4 | _mask(trapping))
                    return []
        if wakers:
            yield Token(Kind.WAKE, _mask(wakers))
        lanes = range(self.spec.lanes)
        results = [self._stages(block, number, lane)[0] for lane in lanes]
        if block.store:
            yield from self._store(block, number, self._participants(block, number, active))
        if block.atomic:
            for lane in self._participants(block, number, active):
                results[lane], address = self._stages(block, number, lane)
                word = results[lane][-1]
                yield from encode_words([word] * len(lanes) if lane == 0 else [word * (o == lane) for o in lanes])
                self.memory[address >> 2] = word
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
            yield Token(Kind.COMMIT, k, low_digit(base))
            self.committing = None
        return [lane for lane in active if block.branch and results[lane][-1] & 1]

    def _store(self, block: Block, warp: int, lanes: list[int]) -> Trace:
        """Write memory, one lane a bank at a time, lowest lane first."""
        while lanes:
            banks: set[int] = set()
            remaining = []
            for lane in lanes:
                results, address = self._stages(block, warp, lane)
                bank = (address >> 2) % self.spec.lanes
                if bank in banks:
                    remaining.append(lane)
                    continue
                banks.add(bank)
                self.memory[address >> 2] = results[0]
            lanes = remaining
            if lanes:
                yield Token(Kind.ST, _mask(lanes))
