"""Facts about the graph of basic blocks: orders, dominators, loops, live variables."""

from __future__ import annotations

from qwengpu.cuda.ir import BasicBlock, Function


def dominators(function: Function) -> dict[str, set[str]]:
    """Block -> the blocks on every path to it, itself included."""
    names = set(function.blocks)
    found = {name: set(names) for name in names}
    found[function.entry] = {function.entry}
    predecessors = function.predecessors()
    changed = True
    while changed:
        changed = False
        for name in function.blocks:
            if name == function.entry:
                continue
            new = {name} | set.intersection(*(found[p] for p in predecessors[name])) if predecessors[name] else {name}
            if new != found[name]:
                found[name], changed = new, True
    return found


def loops(function: Function) -> dict[str, set[str]]:
    """Loop header -> the blocks of its natural loop."""
    dominated_by = dominators(function)
    predecessors = function.predecessors()
    found: dict[str, set[str]] = {}
    for block in function.blocks.values():
        for header in block.successors:
            if header not in dominated_by[block.name]:
                continue
            body = found.setdefault(header, {header})
            work = [block.name]
            while work:
                name = work.pop()
                if name not in body:
                    body.add(name)
                    work += predecessors[name]
    return found


def loop_depths(function: Function) -> dict[str, int]:
    """Block -> how many loops it is in."""
    bodies = loops(function).values()
    return {name: sum(name in body for body in bodies) for name in function.blocks}


def execution_order(function: Function) -> list[str]:
    """Blocks so that every one comes after those that lead to it (but for loops), and loops are contiguous.

    The machine runs the lanes at the lowest block first, so this order makes lanes that parted meet again at the
    first block that both sides reach.
    """
    bodies = loops(function)
    order: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        seen.add(name)
        block = function.blocks[name]

        def leaves(successor: str) -> int:
            """How many loops the edge leaves; those edges first, so that what follows a loop is numbered after it."""
            return -sum(name in body and successor not in body for body in bodies.values())

        for successor in sorted(block.successors, key=leaves):
            if successor not in seen:
                visit(successor)
        order.append(name)

    visit(function.entry)
    return order[::-1]


def live_out(function: Function) -> dict[str, set[str]]:
    """Block -> the variables whose value at its end is still needed."""
    uses = {name: set(_used_reads(block)) for name, block in function.blocks.items()}
    out: dict[str, set[str]] = {name: set() for name in function.blocks}
    changed = True
    while changed:
        changed = False
        for name, block in reversed(function.blocks.items()):
            new = set()
            for successor in block.successors:
                new |= uses[successor] | (out[successor] - set(function.blocks[successor].writes))
            if new != out[name]:
                out[name], changed = new, True
    return out


def live_in(function: Function) -> dict[str, set[str]]:
    """Block -> the variables whose value at its beginning is still needed."""
    out = live_out(function)
    return {name: set(_used_reads(block)) | (out[name] - set(block.writes)) for name, block in function.blocks.items()}


def _used_reads(block: BasicBlock) -> list[str]:
    used = set(block.used())
    return [variable for value, variable in block.reads.items() if value in used]
