"""Variables: values that basic blocks hand to each other, and which of them can share one register name."""

from __future__ import annotations

from qwengpu.cuda.graph import live_out
from qwengpu.cuda.ir import Function, Value


def share_values(function: Function) -> None:
    """Make every value that other blocks use a variable, so that blocks depend on variables only."""
    home = {node.dst: block.name for block in function.blocks.values() for node in block.nodes if node.dst}
    for block in list(function.blocks.values()):
        outer = {u for u in block.used() if u in home and home[u] != block.name}
        names: dict[str, Value] = {}
        for value in sorted(outer):
            read = function.fresh(value)
            names[value] = read
            block.reads[read] = value
            function.blocks[home[value]].writes[value] = value
            if value in function.booleans:
                function.booleans.add(read)
        block.substitute(names)
        # The variable has the value's own name: undo the renaming of what it is assigned.
        for variable in block.writes:
            if variable in names and home.get(variable) == block.name:
                block.writes[variable] = variable


def coalesce(function: Function) -> None:
    """Merge variables that are copied to each other, wherever they never have different values at once."""
    while pair := _mergeable(function):
        keep, drop = pair
        for block in function.blocks.values():
            block.reads = {value: keep if variable == drop else variable for value, variable in block.reads.items()}
            if drop in block.writes:
                value = block.writes.pop(drop)
                block.writes.setdefault(keep, value)
            if block.reads.get(str(block.writes.get(keep))) == keep:
                del block.writes[keep]
        if drop not in function.booleans:
            function.booleans.discard(keep)


def _mergeable(function: Function) -> tuple[str, str] | None:
    out = live_out(function)
    at_end: dict[str, dict[str, object]] = {}
    candidates: list[tuple[str, str]] = []
    for name, block in function.blocks.items():
        values: dict[str, object] = {}
        for variable in out[name]:
            value: object = dict[str, object](block.writes).get(variable, ("in", variable))
            if isinstance(value, str) and value in block.reads:
                value = ("in", block.reads[value])
            values[variable] = value
        at_end[name] = values
        owners: dict[object, str] = {("in", v): v for v in block.reads.values()}
        for variable in sorted(values):
            value = values[variable]
            if value in owners and owners[value] != variable:
                candidates.append((owners[value], variable))
            owners.setdefault(value, variable)
    for keep, drop in candidates:
        conflict = any(keep in values and drop in values and values[keep] != values[drop] for values in at_end.values())
        if not conflict:
            return keep, drop
    return None


def use_known_constants(function: Function) -> bool:
    """Use constants in place of variables that hold one, and do not assign it to them again; True if any."""
    at_end = _constants_at_end(function)
    predecessors = function.predecessors()
    changed = False
    for name, block in function.blocks.items():
        known = [at_end[p] for p in predecessors[name]] if name != function.entry else []
        constants: dict[str, Value] = {}
        for read, variable in block.reads.items():
            if known and all(k.get(variable, False) is not False and k[variable] == known[0][variable] for k in known):
                constants[read] = known[0][variable]
        if constants.keys() & set(block.used()):
            block.substitute(constants)
            changed = True
        for variable, value in list(block.writes.items()):
            before = [at_end[p].get(variable, False) for p in predecessors[name]]
            if before and name != function.entry and all(b is not False and b == value for b in before):
                del block.writes[variable]
                changed = True
    return changed


def _constants_at_end(function: Function) -> dict[str, dict[str, Value]]:
    """Block -> the variables that surely hold a constant or a thread index at its end, and which."""
    predecessors = function.predecessors()
    found: dict[str, dict[str, Value] | None] = dict.fromkeys(function.blocks)  # None: not reached yet
    changed = True
    while changed:
        changed = False
        for name, block in function.blocks.items():
            known: dict[str, Value] | None = {} if name == function.entry else None
            for values in (found[p] for p in predecessors[name]):
                if values is not None:
                    known = dict(values) if known is None else {v: w for v, w in known.items() if values.get(v, 0) == w}
            if known is None:
                continue
            for variable, value in block.writes.items():
                known.pop(variable, None)
                if not isinstance(value, str):
                    known[variable] = value
            if known != found[name]:
                found[name], changed = known, True
    return {name: values or {} for name, values in found.items()}
