"""Register allocation by colouring the graph of names that are live at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from qwengpu.cuda.pack import MachineBlock, Register


class OutOfRegisters(Exception):
    """The registers do not suffice.

    Attributes:
        live: names that are live together, more than there are registers for. excess: by how many at least.
    """

    def __init__(self, live: set[str], excess: int) -> None:
        super().__init__(live, excess)
        self.live, self.excess = live, excess


def allocate(
    blocks: Sequence[MachineBlock], successors: Sequence[Sequence[int]], available: Sequence[int]
) -> dict[str, int]:
    """Give every name a register.

    Args:
        successors: for each block the numbers of those that can follow it. available: registers to use.

    Raises:
        OutOfRegisters: if they do not suffice.
    """
    defined = [{s.dst.name for s in b.slots if s and s.dst} for b in blocks]
    used = [{o.name for s in b.slots if s for o in (s.a, s.b, s.c) if isinstance(o, Register)} for b in blocks]
    live = _live_out(defined, used, successors)
    neighbours: dict[str, set[str]] = {name: set() for names in (*defined, *used) for name in names}
    for number in range(len(blocks)):
        for name in defined[number]:
            for other in (live[number] | defined[number]) - {name}:
                neighbours[name].add(other)
                neighbours[other].add(name)
    registers: dict[str, int] = {}
    for name in _colouring_order(neighbours):
        taken = {registers[other] for other in neighbours[name] if other in registers}
        free = [r for r in available if r not in taken]
        if not free:
            worst = max((names | d for names, d in zip(live, defined, strict=True)), key=len)
            if len(worst) <= len(available):  # it is the shape of the graph that does not fit
                worst = neighbours[name] | {name}
            raise OutOfRegisters(worst, max(1, len(worst) - len(available)))
        registers[name] = free[0]
    return registers


def _live_out(defined: list[set[str]], used: list[set[str]], successors: Sequence[Sequence[int]]) -> list[set[str]]:
    live: list[set[str]] = [set() for _ in defined]
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(defined))):
            new: set[str] = set()
            for following in successors[number]:
                new |= used[following] | (live[following] - defined[following])
            if new != live[number]:
                live[number], changed = new, True
    return live


def _colouring_order(neighbours: dict[str, set[str]]) -> list[str]:
    """Most constrained names first: the reverse of repeatedly removing the name with the fewest neighbours left."""
    degree = {name: len(others) for name, others in neighbours.items()}
    removed: list[str] = []
    while degree:
        name = min(degree, key=lambda n: (degree[n], n))
        del degree[name]
        removed.append(name)
        for other in neighbours[name]:
            if other in degree:
                degree[other] -= 1
    return removed[::-1]
