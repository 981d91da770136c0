"""Choices that save tokens: predication instead of branches, speculation, recomputing instead of keeping values.

Each choice is tried on a copy of the function, which is packed; it stays if the estimated number of tokens falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from qwengpu.cuda.graph import dominators, live_in, live_out, loop_depths, loops
from qwengpu.cuda.ir import BasicBlock, Function, Node, Value, as_guard
from qwengpu.cuda.pack import Packing, pack
from qwengpu.cuda.simplify import append_block, remove_dead, simplify, value_at_end, values_at_end
from qwengpu.cuda.variables import coalesce, share_values, use_known_constants
from qwengpu.machine.isa import Op
from qwengpu.machine.spec import MachineSpec

#: Times a loop is taken to run, how often each side of a branch runs, and the tokens of lanes parting and meeting.
LOOP_RUNS, SIDE_RUNS, DIVERGENCE_COST = 8.0, 0.8, 1.5
#: Larger conditional code than this is not made unconditional.
LARGEST_PREDICATED = 24
#: Work spent on changes of a kernel, in operations packed, which bounds the time to compile; to copy and simplify an
#: operation is the given part of packing it.
MOST_WORK, COPY_WORK = 4000.0, 0.1

Change = Callable[[Function], None]


@dataclass
class Lowered:
    """A function whose blocks depend on variables only, its packed blocks, and its estimated tokens."""

    function: Function
    packings: dict[str, Packing]
    cost: float


@dataclass
class Packer:
    """Packs functions, and remembers blocks that it has seen. ``work``: what it has done, in operations packed."""

    spec: MachineSpec
    work: float = 0.0
    seen: dict[object, Packing] = field(default_factory=dict)

    def lower(self, function: Function) -> Lowered:
        """Pack a copy of a simplified function."""
        function = function.copy()
        self.work += COPY_WORK * sum(len(block.nodes) for block in function.blocks.values())
        share_values(function)
        coalesce(function)
        while use_known_constants(function):
            simplify(function)
        remove_dead(function)
        out = live_out(function)
        packings = {name: self._pack(function, block, out[name]) for name, block in function.blocks.items()}
        return Lowered(function, packings, _cost(function, packings))

    def _pack(self, function: Function, block: BasicBlock, live: set[str]) -> Packing:
        booleans = frozenset(function.booleans.intersection((n.dst or "" for n in block.nodes), block.writes))
        writes = tuple((v, w) for v, w in block.writes.items() if v in live)
        key = (
            *(tuple(block.nodes), tuple(block.reads.items()), writes, booleans),
            *(block.predicate, block.target is None),
        )
        if key not in self.seen:
            self.work += len(block.nodes)
            self.seen[key] = pack(self.spec, function, block, live)
        return self.seen[key]


def optimise(function: Function, spec: MachineSpec) -> Lowered:
    """Simplify a function and make the choices that save tokens."""
    packer = Packer(spec)
    simplify(function)
    best, lowered = function, packer.lower(function)
    changes, at, failed = list(_changes(best)), 0, 0
    while failed < len(changes) and packer.work < MOST_WORK:
        candidate = best.copy()
        changes[at % len(changes)](candidate)
        simplify(candidate)
        attempt = packer.lower(candidate)
        if attempt.cost < lowered.cost - 1e-6:
            # What failed before is tried again only after what has not been tried yet.
            best, lowered, failed = candidate, attempt, 0
            changes = list(_changes(best))
        else:
            at, failed = at + 1, failed + 1
    return lowered


def _cost(function: Function, packings: dict[str, Packing]) -> float:
    """Estimated tokens of one warp."""
    dominated_by = dominators(function)
    depths = loop_depths(function)
    bodies = loops(function)
    predecessors = function.predecessors()
    runs: dict[str, float] = {}
    total = 0.0
    for name in sorted(function.blocks, key=lambda n: len(dominated_by[n])):
        block = function.blocks[name]
        above = dominated_by[name] - {name}
        runs[name] = 1.0
        if above:
            parent = max(above, key=lambda n: len(dominated_by[n]))
            entered_from = [p for p in predecessors[name] if name not in dominated_by[p]]
            one_side = entered_from == [parent] and function.blocks[parent].target is not None
            runs[name] = runs[parent] * (SIDE_RUNS if one_side and depths[name] >= depths[parent] else 1)
        cost = packings[name].cost
        leaves_loop = any(name in body and not set(block.successors) <= body for body in bodies.values())
        if block.target is not None and not leaves_loop:
            cost += DIVERGENCE_COST
        total += cost * runs[name] * LOOP_RUNS ** depths[name]
    return total


def _changes(function: Function) -> Iterator[Change]:
    yield from _predications(function)
    yield from _speculations(function)
    yield from _recomputations(function)
    yield from _motions(function)
    yield from _rebasings(function)


# --- predication -----------------------------------------------------------------------------------------------------


def _predications(function: Function) -> Iterator[Change]:
    predecessors = function.predecessors()
    for name, block in function.blocks.items():
        if block.target is None or block.next is None:
            continue
        taken, other = function.blocks[block.target], function.blocks[block.next]
        sides = [s for s in (taken, other) if predecessors[s.name] == [name] and _can_predicate(s)]
        for side in sides:
            rest = other if side is taken else taken
            if side.next == rest.name or (side.is_exit and rest.is_exit and not rest.nodes):
                yield partial(_predicate, name=name, sides=[side.name])
        if len(sides) == 2 and taken.next == other.next:
            yield partial(_predicate, name=name, sides=[taken.name, other.name])


def _can_predicate(block: BasicBlock) -> bool:
    writes = [node for node in block.nodes if node.writes_memory]
    return (
        block.target is None
        and not block.ends_in_event
        and len(block.nodes) <= LARGEST_PREDICATED
        and len(writes) <= 2
        and all(node.guard is None and node.dst is None for node in writes)
    )


def _predicate(function: Function, name: str, sides: list[str]) -> None:
    """Run one or both sides of a block's branch always; their effects depend on the branch's predicate."""
    block = function.blocks[name]
    predicate, target, following = block.predicate, block.target, block.next
    results: dict[str, dict[bool, Value]] = {}
    for side_name in sides:
        side = function.blocks.pop(side_name)
        when = side_name == target
        names = values_at_end(function, block, side)
        origin = None
        for node in side.nodes:
            new = node.substitute(names).speculated()
            if new.writes_memory:
                new = replace(new, guard=as_guard(predicate), negated=not when)
            block.nodes.append(new)
            origin = node.origin
        side.substitute(names)
        for variable, value in side.writes.items():
            results.setdefault(variable, {})[when] = value
    for variable, values in results.items():
        old = value_at_end(function, block, variable) if len(values) == 1 else None
        selected = function.fresh(variable)
        block.nodes.append(
            Node(Op.SELP, selected, values.get(True, old), values.get(False, old), predicate, origin=origin)
        )
        block.writes[variable] = selected
        if variable in function.booleans:
            function.booleans.add(selected)
    rest = [n for n in (target, following) if n not in sides]
    block.target, block.predicate = None, None
    block.next = rest[0] if rest else side.next
    if side.is_exit:
        block.next = None


# --- speculation -----------------------------------------------------------------------------------------------------


def _speculations(function: Function) -> Iterator[Change]:
    predecessors = function.predecessors()
    for name, block in function.blocks.items():
        for successor in block.successors if block.target is not None else []:
            following = function.blocks[successor]
            if predecessors[successor] == [name] and (_movable(following) or following.writes):
                yield partial(_speculate, name=name, successor=successor)


def _movable(block: BasicBlock) -> list[Node]:
    """Nodes that may as well run before the branch to their block: all without effects up to the first write."""
    found: list[Node] = []
    blocked: set[str] = set()
    written = False
    for node in block.nodes:
        written |= node.writes_memory
        if node.writes_memory or (node.effect == "load" and written) or blocked.intersection(map(str, node.uses)):
            if node.dst:
                blocked.add(node.dst)
        else:
            found.append(node)
    return found if len(found) <= LARGEST_PREDICATED else []


def _speculate(function: Function, name: str, successor: str) -> None:
    block, following = function.blocks[name], function.blocks[successor]
    moved = _movable(following)
    rest = [node for node in following.nodes if node not in moved]
    following.nodes = [node.speculated() for node in moved]
    needed_later = {following.reads[u] for node in rest for u in node.uses if u in following.reads}
    needed_later |= {following.reads[u] for u in (following.predicate,) if u in following.reads}
    needed_later |= {following.reads[u] for u in following.writes.values() if u in following.reads}
    needed_there = set().union(*(live_in(function)[other] for other in block.successors if other != successor))
    stay = {node.dst for node in rest}
    early = {
        variable: value
        for variable, value in following.writes.items()
        if value not in stay and variable not in needed_later | needed_there
    }
    predicate = block.predicate
    append_block(function, block, replace(following, writes=early, predicate=None))
    block.predicate = predicate
    following.nodes = rest
    following.writes = {variable: value for variable, value in following.writes.items() if variable not in early}


# --- code motion -----------------------------------------------------------------------------------------------------


def _motions(function: Function) -> Iterator[Change]:
    """Compute a value in a block that dominates its own, where a stage may be free or a loop has not begun."""
    dominated_by = dominators(function)
    home = _homes(function)
    for name, block in function.blocks.items():
        for node in block.nodes:
            if node.effect or not node.dst:
                continue
            operands = [u for u in node.uses if isinstance(u, str)]
            if any(u not in home for u in operands):
                continue
            above = sorted(dominated_by[name] - {name}, key=lambda n: -len(dominated_by[n]))
            for place in above:
                if all(home[u] in dominated_by[place] for u in operands):
                    yield partial(_move, name=name, value=node.dst, place=place)


def _move(function: Function, name: str, value: str, place: str) -> None:
    block = function.blocks[name]
    function.blocks[place].nodes += [node for node in block.nodes if node.dst == value]
    block.nodes = [node for node in block.nodes if node.dst != value]


def _homes(function: Function) -> dict[str, str]:
    """Value -> the block that defines it."""
    return {node.dst: block.name for block in function.blocks.values() for node in block.nodes if node.dst}


def _rebasings(function: Function) -> Iterator[Change]:
    """Turn ``base[outer + inner]`` into ``pointer[inner]``, where ``pointer`` is computed outside the loop."""
    home = _homes(function)
    for name, block in function.blocks.items():
        sums = {node.dst: node for node in block.nodes if node.op is Op.ADD and node.dst}
        for k, node in enumerate(block.nodes):
            index = sums.get(node.b) if node.op in (Op.LDX, Op.LEA) and isinstance(node.b, str) else None
            if index is None or isinstance(node.a, str):
                continue
            for outer, inner in ((index.a, index.b), (index.b, index.a)):
                if isinstance(outer, str) and home.get(outer, name) != name:
                    yield partial(_rebase, name=name, number=k, outer=outer, inner=inner, place=home[outer])


def _rebase(function: Function, name: str, number: int, outer: str, inner: Value, place: str) -> None:
    block = function.blocks[name]
    node = block.nodes[number]
    pointer = function.fresh("pointer")
    function.blocks[place].nodes.append(Node(Op.LEA, pointer, node.a, outer, origin=node.origin))
    block.nodes[number] = replace(node, a=pointer, b=inner)


# --- recomputing -----------------------------------------------------------------------------------------------------


def _recomputations(function: Function) -> Iterator[Change]:
    """Compute a value of constants and thread indices again where it is used, instead of keeping it."""
    home = {node.dst: (block.name, node) for block in function.blocks.values() for node in block.nodes if node.dst}
    for name, block in function.blocks.items():
        for value in sorted(set(block.used())):
            if value in home and home[value][0] != name and _recomputable(home[value][1]):
                yield partial(_recompute, name=name, value=value, node=home[value][1])


def _recomputable(node: Node) -> bool:
    return not node.effect and not any(isinstance(use, str) for use in node.uses)


def _recompute(function: Function, name: str, value: str, node: Node) -> None:
    block = function.blocks[name]
    new = function.fresh(value)
    if value in function.booleans:
        function.booleans.add(new)
    block.substitute({value: new})
    block.nodes.insert(0, replace(node, dst=new))
