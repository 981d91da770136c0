"""Spilling: values that find no register live in memory, a word a thread, and are loaded for each use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from qwengpu.cuda.graph import loop_depths
from qwengpu.cuda.ir import BasicBlock, Const, Function, Node, Tid, Value, substituted
from qwengpu.machine.isa import Op

#: How often a loop is taken to run, in the choice of what to spill.
LOOP_RUNS = 8
#: Names of loaded values begin so; their lives are as short as can be.
_LOADED = "spilled~"
#: The memory spaces of spilled words begin so; each word is a space of its own, so that accesses to different ones
#: never wait for each other.
_SPACE = "spill"


def choose(function: Function, live: Iterable[str], count: int) -> list[str]:
    """Of names that are live together, those that cost least to keep in memory; empty if none can be."""
    depths = loop_depths(function)
    uses: Counter[str] = Counter()
    blocks: Counter[str] = Counter()
    for block in function.blocks.values():
        weight = LOOP_RUNS ** depths[block.name]
        here = Counter(block.used())
        for read, variable in block.reads.items():
            uses[variable] += weight * min(1, here[read])
            blocks[variable] += 1
        for variable in block.writes:
            uses[variable] += weight
            blocks[variable] += 1
        for node in block.nodes:
            if node.dst:
                uses[node.dst] += weight * (1 + here[node.dst])
                blocks[node.dst] += 1
    kept = {node.data for b in function.blocks.values() for node in b.nodes if (node.space or "").startswith(_SPACE)}
    candidates = [n for n in live if blocks[n] and n not in kept and not n.startswith(_LOADED)]
    return sorted(candidates, key=lambda name: (uses[name], name))[:count]


def spill(function: Function, names: Iterable[str]) -> Function:
    """A copy of a function that keeps variables, and values of its nodes, in memory."""
    function = function.copy()
    for name in names:
        slot = function.spill_words
        function.spill_words += 1
        variable = False
        for block in function.blocks.values():
            variable |= name in block.reads.values() or name in block.writes
            _spill_variable(function, block, name, slot)
        if not variable:
            for block in function.blocks.values():
                _spill_value(function, block, name, slot)
    return function


def _load(function: Function, slot: int, boolean: bool) -> Node:
    dst = function.fresh(_LOADED)
    if boolean:
        function.booleans.add(dst)
    return Node(Op.LDX, dst, Const(("spill", slot)), Tid(3), effect="load", space=f"{_SPACE}{slot}")


def _store(slot: int, value: Value) -> Node:
    return Node(Op.LEA, None, Const(("spill", slot)), Tid(3), effect="store", space=f"{_SPACE}{slot}", data=value)


def _spill_variable(function: Function, block: BasicBlock, name: str, slot: int) -> None:
    """Load the variable where the block reads it, store it at the block's end if the block writes it."""
    boolean = name in function.booleans
    for read in [read for read, variable in block.reads.items() if variable == name]:
        del block.reads[read]
        _load_for_uses(function, block, read, slot, boolean, 0)
    if name in block.writes:
        block.nodes.append(_store(slot, block.writes.pop(name)))


def _spill_value(function: Function, block: BasicBlock, name: str, slot: int) -> None:
    """Store a value where it is computed, and load it for its uses."""
    for k, node in enumerate(block.nodes):
        if node.dst == name:
            block.nodes.insert(k + 1, _store(slot, name))
            _load_for_uses(function, block, name, slot, name in function.booleans, k + 2)
            return


def _load_for_uses(function: Function, block: BasicBlock, name: str, slot: int, boolean: bool, first: int) -> None:
    """Give every node from number ``first`` on that uses a value a load of its own, and the block's end as well."""
    nodes = block.nodes[:first]
    for node in block.nodes[first:]:
        if name in node.uses:
            load = _load(function, slot, boolean)
            nodes.append(load)
            node = node.substitute({name: load.dst})
        nodes.append(node)
    block.nodes = nodes
    if name in (*block.writes.values(), block.predicate):
        load = _load(function, slot, boolean)
        block.nodes.append(load)
        names: dict[str, Value] = {name: load.dst}
        block.writes = {variable: substituted(value, names) for variable, value in block.writes.items()}
        block.predicate = substituted(block.predicate, names)
