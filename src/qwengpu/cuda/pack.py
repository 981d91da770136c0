"""Packing: the operations of a basic block into the stages of as few machine blocks as possible.

Every machine block costs a token, and every value that a later machine block needs costs the tokens of a COMMIT. A
beam search over the sets of operations done so far finds a cheap sequence: from each set it tries many ways to fill
the stages of one more machine block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from qwengpu.cuda.ir import BasicBlock, Const, Function, Node, Tid, Value, unsupported
from qwengpu.cuda.ptx import PtxInstruction
from qwengpu.machine.isa import Op
from qwengpu.machine.spec import MachineSpec

#: Estimated tokens: a machine block, committing a word, committing 0 or 1.
BLOCK_COST, COMMIT_COST, BOOLEAN_COST = 1.0, 2.2, 1.3
BEAM_WIDTH = 8
CHOICES = 4  # operations tried in each stage
FILLINGS = 300  # ways tried to fill one machine block
#: Operations of a basic block up to which the search has its full breadth; beyond, the time to compile is what counts.
FULL_SEARCH = 16


@dataclass(frozen=True)
class StageRef:
    """The result of an earlier stage of the same machine block."""

    stage: int


@dataclass(frozen=True)
class Register:
    """A register before allocation: a variable, or a value that a later machine block of the basic block needs."""

    name: str


#: An operand of a packed stage.
Place = StageRef | Register | Const | Tid | None


@dataclass(frozen=True)
class Slot:
    """One filled stage."""

    op: Op
    a: Place = None
    b: Place = None
    c: Place = None
    dst: Register | None = None
    node: Node | None = None


@dataclass
class MachineBlock:
    """A machine block before register allocation and numbering; ``slots`` has an entry for each stage."""

    slots: list[Slot | None]
    store: bool = False
    atomic: bool = False
    guard: bool = False
    guard_negated: bool = False


@dataclass
class Packing:
    """The machine blocks of a basic block and their estimated cost in tokens."""

    blocks: list[MachineBlock]
    cost: float


def pack(spec: MachineSpec, function: Function, block: BasicBlock, live_out: set[str]) -> Packing:
    """Pack a basic block, given the variables that are live at its end."""
    for split in (False, True):
        packer = _Packer(spec, function, block, live_out, split)
        breadth = min(1.0, FULL_SEARCH / max(1, len(block.nodes)))
        # A narrow search may end where every filling it tries overwrites a variable that is still to be read.
        if packing := packer.search(breadth) or packer.search(1.0):
            return packing
    raise AssertionError("every operation fits a machine block of its own")


# --- the stages of an atomic operation -------------------------------------------------------------------------------

OLD, DATA, COMPARE = "old", "data", "compare"


def atomic_steps(atom: str) -> list[tuple[Op, str | int | None, str | int | None, int | None]]:
    """Operations that compute the new word: operands are names, or numbers of earlier steps; the last gives it."""
    direct = {"add": Op.ADD, "and": Op.AND, "or": Op.OR, "xor": Op.XOR}
    if atom in direct:
        return [(direct[atom], OLD, DATA, None)]
    match atom:
        case "merge":  # the bits of the data that the mask selects
            return [(Op.XOR, OLD, DATA, None), (Op.AND, 0, COMPARE, None), (Op.XOR, OLD, 1, None)]
        case "exch":
            return [(Op.ADD, DATA, None, None)]
        case "cas":
            return [(Op.SEQ, OLD, COMPARE, None), (Op.SELP, DATA, OLD, 0)]
        case "mins" | "minu" | "maxs" | "maxu":
            less = Op.SLTS if atom[3] == "s" else Op.SLTU
            operands = (DATA, OLD) if atom[:3] == "min" else (OLD, DATA)
            return [(less, *operands, None), (Op.SELP, DATA, OLD, 0)]
        case "incu":
            return [(Op.SGEU, OLD, DATA, None), (Op.ADD, OLD, "one", None), (Op.SELP, None, 1, 0)]
    # dec: an old word of 0 wraps to 2^32 - 1, so one comparison finds both reasons to start again.
    return [(Op.SUB, OLD, "one", None), (Op.SGEU, 0, DATA, None), (Op.SELP, DATA, 0, 1)]


# --- search ----------------------------------------------------------------------------------------------------------


@dataclass
class _Filling:
    """A machine block being filled: for each stage a node's number, a slot made directly, or None."""

    stages: list[int | Slot | None]
    memory: int | None = None  # number of the store or atomic
    placed: int = 0  # mask of nodes


@dataclass
class _State:
    cost: float = 0.0
    path: list[tuple[int, _Filling]] = field(default_factory=list)  # (mask done before, filling)


class _Packer:
    def __init__(
        self, spec: MachineSpec, function: Function, block: BasicBlock, live_out: set[str], split: bool
    ) -> None:
        self.spec, self.function, self.block = spec, function, block
        self.nodes = list(block.nodes)
        self.number = {node.dst: k for k, node in enumerate(self.nodes) if node.dst}
        self.final: dict[int, str] = {}  # node -> variable that it is committed to
        self._assign_variables(live_out, split)
        self.number = {node.dst: k for k, node in enumerate(self.nodes) if node.dst}
        count = len(self.nodes)
        self.branch = 1 << count if block.target is not None else 0
        self.all = (1 << count) - 1 | self.branch
        self._analyse()

    def _assign_variables(self, live_out: set[str], split: bool) -> None:
        """Choose which node commits each variable; add copies for those that no node can.

        With ``split`` every variable is assigned by a copy, which is always possible: assigning directly can ask for
        a cycle of "after all readers of the old value" that no order satisfies.
        """
        for variable, value in self.block.writes.items():
            if variable not in live_out or self.block.reads.get(str(value)) == variable:
                continue
            number = self.number.get(value) if isinstance(value, str) else None
            if number is None or number in self.final or split:
                origin = self.nodes[number].origin if number is not None else None
                number = len(self.nodes)
                self.nodes.append(Node(Op.ADD, f"{variable}:new", value, origin=origin))
                if value in self.function.booleans:
                    self.function.booleans.add(f"{variable}:new")
            self.final[number] = variable

    def _analyse(self) -> None:
        count = len(self.nodes)
        self.users = [0] * count
        self.operands = [0] * count  # nodes that must be done or in an earlier stage
        self.earlier = [0] * count  # nodes that must be in an earlier machine block
        self.readers: dict[str, int] = {}  # variable -> nodes that read its old value
        for k, node in enumerate(self.nodes):
            for use in node.uses:
                self._note_use(use, 1 << k)
            for use in (node.a, node.b, node.c, node.data, node.compare):
                if use in self.number:
                    self.operands[k] |= 1 << self.number[use]
            if node.guard in self.number:
                self.earlier[k] |= 1 << self.number[node.guard]
            for j in range(k):
                if _ordered(self.nodes[j], node):
                    self.earlier[k] |= 1 << j
        if self.branch:
            self._note_use(self.block.predicate, self.branch)
        self.height = [1] * count
        for k in reversed(range(count)):
            for j in range(k):
                if (self.operands[k] | self.earlier[k]) >> j & 1:
                    self.height[j] = max(self.height[j], self.height[k] + 1)
        self.kinds = [node.op.stage_kind for node in self.nodes]
        self.is_write = [node.writes_memory for node in self.nodes]
        self.order = sorted(range(count), key=lambda k: -self.height[k])
        self.candidates: tuple[int, list[int]] = (-1, [])
        self.commit_cost = [BOOLEAN_COST if node.dst in self.function.booleans else COMMIT_COST for node in self.nodes]

    def _note_use(self, use: Value, user: int) -> None:
        if not isinstance(use, str):
            return
        if use in self.number:
            self.users[self.number[use]] |= user
        else:
            variable = self.block.reads[use]
            self.readers[variable] = self.readers.get(variable, 0) | user

    def search(self, breadth: float) -> Packing | None:
        """The cheapest sequence found with a part of the full breadth, or None if none was."""
        if not self.all:
            return Packing([MachineBlock([None] * len(self.spec.stages))], BLOCK_COST)
        beam, fillings = max(2, round(BEAM_WIDTH * breadth)), max(24, round(FILLINGS * breadth))
        states = {0: _State()}
        best: _State | None = None
        while states:
            following: dict[int, _State] = {}
            for done, state in states.items():
                for filling, cost in self._fillings(done, fillings):
                    mask = done | filling.placed
                    new_cost = state.cost + cost
                    bound = best.cost if mask == self.all and best else None
                    if mask == self.all:
                        if bound is None or new_cost < bound:
                            best = _State(new_cost, [*state.path, (done, filling)])
                    elif mask not in following or new_cost < following[mask].cost:
                        following[mask] = _State(new_cost, [*state.path, (done, filling)])
            limit = best.cost - BLOCK_COST if best else float("inf")
            promising = [(m, s) for m, s in following.items() if s.cost < limit]
            promising.sort(key=lambda item: item[1].cost + self._remaining(item[0]))
            states = dict(promising[:beam])
        if best is None:
            return None
        return Packing([self._build(done, filling) for done, filling in best.path], best.cost)

    def _remaining(self, done: int) -> float:
        """Estimate of what the rest costs."""
        left = [k for k in range(len(self.nodes)) if not done >> k & 1]
        writes = sum(self.is_write[k] for k in left)
        stages = len(self.spec.stages)
        longest = max((self.height[k] for k in left), default=0)
        return max(writes + (len(left) - writes) / stages, longest / stages) + 0.4 * len(left)

    # --- filling one machine block ---

    def _fillings(self, done: int, limit: int) -> list[tuple[_Filling, float]]:
        """Ways to fill a machine block after ``done``, with their costs; one for each set of nodes placed.

        ``limit``: how many are tried, with each of the operations that write memory and without.
        """
        found: dict[int, tuple[_Filling, float]] = {}
        for memory in [None, *(k for k, write in enumerate(self.is_write) if write)]:
            if memory is not None and not self._can_write(memory, done):
                continue
            budget = [limit]
            stages: list[int | Slot | None] = [None] * len(self.spec.stages)
            for filling in self._fill(0, stages, 0, done, memory, budget):
                cost = self._cost(done, filling.placed)
                if filling.placed and cost is not None:
                    old = found.get(filling.placed)
                    if old is None or cost < old[1]:
                        found[filling.placed] = filling, cost
        return list(found.values())

    def _can_write(self, k: int, done: int) -> bool:
        return not done >> k & 1 and not self.earlier[k] & ~done

    def _cost(self, done: int, placed: int) -> float | None:
        """Tokens of a machine block; None if it overwrites a variable that is still to be read."""
        after = done | placed
        cost = BLOCK_COST
        for k in _bits(placed & ~self.branch):
            variable = self.final.get(k)
            if variable is not None and self.readers.get(variable, 0) & ~after:
                return None
            if variable is not None or self.users[k] & ~after:
                cost += self.commit_cost[k]
        return cost

    def _fill(
        self, stage: int, stages: list[int | Slot | None], placed: int, done: int, memory: int | None, budget: list[int]
    ) -> Iterator[_Filling]:
        if budget[0] <= 0:
            return
        if stage == len(self.spec.stages):
            budget[0] -= 1
            placed |= _bit(memory)
            yield _Filling(list(stages), memory, placed | self._branch_done(stages, placed, done))
            return
        for choice in self._choices(stage, stages, placed, done, memory):
            stages[stage] = choice
            mask = 1 << choice if isinstance(choice, int) else 0
            yield from self._fill(stage + 1, stages, placed | mask, done, memory, budget)
        stages[stage] = None

    def _branch_done(self, stages: list[int | Slot | None], placed: int, done: int) -> int:
        last = stages[-1]
        if not self.branch or (placed | done) != self.all & ~self.branch:
            return 0
        if isinstance(last, int):
            return self.branch if self.nodes[last].dst == self.block.predicate else 0
        return self.branch if last is not None and last.node is None and last.dst is None and last.c is None else 0

    def _choices(
        self, stage: int, stages: list[int | Slot | None], placed: int, done: int, memory: int | None
    ) -> list[int | Slot | None]:
        node = self.nodes[memory] if memory is not None else None
        address = self.spec.store_stage
        if node is not None and stage == address:
            if not self._available(node.a, placed, done) or not self._available(node.b, placed, done):
                return []
            return [self._slot(node.op, stages, done, node.a, node.b, node=node)]
        if node is not None and node.effect == "atomic":
            if stage > address:
                return self._atomic_stage(node, stage, stages, placed, done)
            return self._atomic_operands(node, stage, stages, placed, done)
        if node is not None and stage == 0:
            return self._store_data(node, stages, placed, done)
        ready = self._ready(stage, stages, placed, done, no_loads=memory is not None)
        choices: list[int | Slot | None] = list(islice(ready, CHOICES))
        if self.branch and stage == len(stages) - 1:
            predicate = self.number.get(self.block.predicate) if isinstance(self.block.predicate, str) else None
            left = self.all & ~self.branch & ~(placed | done | _bit(memory))
            if predicate is not None and left == 1 << predicate:
                if self._is_ready(predicate, stage, stages, placed, done):
                    return [predicate]
            elif left == 0:
                return [self._slot(Op.ADD, stages, done, self.block.predicate)]
        return [*choices, None]

    def _ready(
        self, stage: int, stages: list[int | Slot | None], placed: int, done: int, no_loads: bool
    ) -> Iterator[int]:
        for k in self._candidates(done):
            if self.is_write[k] or (no_loads and self.kinds[k] == "load"):
                continue
            if self._is_ready(k, stage, stages, placed, done):
                yield k

    def _candidates(self, done: int) -> list[int]:
        """Nodes that are not done and may be in the next machine block, the most urgent ones first.

        Those that overwrite a variable that is still to be read come last.
        """
        if self.candidates[0] != done:
            left = [k for k in self.order if not done >> k & 1 and not self.earlier[k] & ~done]
            left.sort(key=lambda k: bool(self.readers.get(self.final.get(k, ""), 0) & ~done))
            self.candidates = done, left
        return self.candidates[1]

    def _is_ready(self, k: int, stage: int, stages: list[int | Slot | None], placed: int, done: int) -> bool:
        if (placed | done) >> k & 1 or self.operands[k] & ~(placed | done) or self.earlier[k] & ~done:
            return False
        kind = self.spec.stages[stage]
        if self.kinds[k] not in ("alu", kind):
            return False
        c = self.nodes[k].c
        from_stage = c in self.number and not done >> self.number[c] & 1
        return c is None or from_stage or kind == "mul"

    def _available(self, value: Value, placed: int, done: int) -> bool:
        return value not in self.number or bool((placed | done) >> self.number[value] & 1)

    def _store_data(
        self, node: Node, stages: list[int | Slot | None], placed: int, done: int
    ) -> list[int | Slot | None]:
        if node.data in self.number and not done >> self.number[node.data] & 1:
            producer = self.number[node.data]
            takes_c = self.nodes[producer].c is not None and node.guard is not None
            if self.is_write[producer] or takes_c or not self._is_ready(producer, 0, stages, placed, done):
                return []
            return [producer]
        return [self._slot(Op.ADD, stages, done, node.data, node=node)]

    def _atomic_operands(
        self, node: Node, stage: int, stages: list[int | Slot | None], placed: int, done: int
    ) -> list[int | Slot | None]:
        """A stage before an atomic's load: something it needs, or in stage 0 at least a copy of the operand."""
        needed = [
            k
            for k in self._ready(stage, stages, placed, done, no_loads=True)
            if stage > 0 or node.guard is None or self.nodes[k].c is None
        ]
        if stage > 0:
            return [*needed[:CHOICES], None]
        data = node.data if self._available(node.data, placed, done) else None
        return [*needed[:CHOICES], self._slot(Op.ADD, stages, done, data, node=node)]

    def _atomic_stage(
        self, node: Node, stage: int, stages: list[int | Slot | None], placed: int, done: int
    ) -> list[int | Slot | None]:
        """A stage after an atomic's load: the steps follow it, the last one in the last stage."""
        first, last = self.spec.store_stage + 1, len(stages) - 1
        steps = atomic_steps(node.atom)
        if len(steps) > last - first + 1:
            raise unsupported(
                self.function.source,
                node.origin or PtxInstruction(node.atom),
                f"it needs {len(steps)} stages after the first load stage, this machine has {last - first + 1}; "
                "use a machine with more stages",
            )
        index = len(steps) - 1 if stage == last else stage - first
        if index >= len(steps) or (index == len(steps) - 1 and stage != last):
            return [None]
        op, *operands = steps[index]
        if not all(self._available(v, placed, done) for v in (node.data, node.compare)):
            return []
        named: dict[str | int | None, Value | StageRef] = {
            **{k: StageRef(first + k) for k in range(index)},
            **{None: None, OLD: StageRef(self.spec.store_stage), DATA: node.data, COMPARE: node.compare},
            "one": Const(1),
        }
        a, b, c = (named[o] for o in operands)
        return [self._slot(op, stages, done, a, b, c, node)]

    # --- building ---

    def _slot(
        self,
        op: Op,
        stages: list[int | Slot | None],
        done: int,
        a: Value | StageRef = None,
        b: Value | StageRef = None,
        c: Value | StageRef = None,
        node: Node | None = None,
    ) -> Slot:
        places = [self._place(v, stages, done) for v in (a, b, c)]
        return Slot(op, places[0], places[1], places[2], node=node)

    def _place(self, value: Value | StageRef, stages: list[int | Slot | None], done: int) -> Place:
        """Where a value is: a constant, an earlier stage, or a register."""
        if not isinstance(value, str):
            return value
        number = self.number.get(value)
        if number is None:
            return Register(self.block.reads[value])
        if done >> number & 1:
            return self._register(number)
        return StageRef(next(k for k, s in enumerate(stages) if s == number or self._is_memory_slot(s, number)))

    def _is_memory_slot(self, slot: int | Slot | None, number: int) -> bool:
        """Whether a slot is the load of an atomic whose old word is node ``number``."""
        return isinstance(slot, Slot) and slot.node is self.nodes[number] and "load" in slot.op.value

    def _register(self, number: int) -> Register:
        return Register(self.final.get(number) or str(self.nodes[number].dst))

    def _build(self, done: int, filling: _Filling) -> MachineBlock:
        after = done | filling.placed

        def destination(k: int) -> Register | None:
            return self._register(k) if k in self.final or self.users[k] & ~after else None

        slots: list[Slot | None] = []
        for choice in filling.stages:
            if isinstance(choice, int):
                node = self.nodes[choice]
                slot = self._slot(node.op, filling.stages, done, node.a, node.b, node.c, node)
                slots.append(_with_destination(slot, destination(choice)))
            else:
                slots.append(choice)
        block = MachineBlock(slots)
        if filling.memory is not None:
            node = self.nodes[filling.memory]
            block.store, block.atomic = node.effect == "store", node.effect == "atomic"
            if node.dst and (address := slots[self.spec.store_stage]):
                slots[self.spec.store_stage] = _with_destination(address, destination(filling.memory))
            if node.guard is not None and (first := slots[0]):
                block.guard, block.guard_negated = True, node.negated
                guard = self._place(node.guard, filling.stages, done)
                slots[0] = Slot(first.op, first.a, first.b, guard, first.dst, first.node)
        return block


def _bits(mask: int) -> Iterator[int]:
    """Numbers of the bits that are set."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _bit(memory: int | None) -> int:
    return 0 if memory is None else 1 << memory


def _with_destination(slot: Slot, dst: Register | None) -> Slot:
    return Slot(slot.op, slot.a, slot.b, slot.c, dst, slot.node)


def _ordered(first: Node, second: Node) -> bool:
    """Whether two memory accesses must stay in order."""
    if not (first.effect and second.effect) or not (first.writes_memory or second.writes_memory):
        return False
    return not (first.space and second.space and first.space != second.space)
