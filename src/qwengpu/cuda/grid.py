"""The grid scheduler: blocks that step blockIdx after each thread block and end the launch after the last."""

from __future__ import annotations

from qwengpu.machine.isa import Block, Instruction, Op, Operand
from qwengpu.machine.spec import MachineSpec

#: (operation, operands a b c, constant it is kept in or None); operands are earlier steps or constant names.
_Step = tuple[Op, int | str | None, int | str | None, int | None, str | None]


def grid_blocks(spec: MachineSpec, constant: GridConstants, first: int, axes: int) -> list[Block]:
    """Scheduler blocks numbered from ``first``: a chain without branches but for the last one's.

    Args:
        constant: gives the constant row of "ctaid0", "nctaid0", "one" and of scratch names.
        axes: axes on which the grid may be larger than 1.
    """
    steps: list[_Step] = []
    carry: int | str | None = "one"
    for axis in range(axes):
        last = axis == axes - 1
        steps.append((Op.ADD, f"ctaid{axis}", carry, None, f"ctaid{axis}" if last else None))
        index = len(steps) - 1
        if last:
            steps.append((Op.SLTU, index, f"nctaid{axis}", None, None))
        else:
            steps.append((Op.SGEU, index, f"nctaid{axis}", None, None))
            carry = len(steps) - 1
            steps.append((Op.SELP, None, index, carry, f"ctaid{axis}"))
    return _fill(spec, steps, constant, first)


class GridConstants:
    """Rows of the constant bank by name, taken from ``rows`` or new."""

    def __init__(self, row: dict[str, int], scratch: list[int]) -> None:
        self.row, self.scratch = row, scratch

    def __getitem__(self, name: str) -> Operand:
        return Operand("const", self.row[name])


def _fill(spec: MachineSpec, steps: list[_Step], constant: GridConstants, first: int) -> list[Block]:
    """Put the steps in order into stages; a result that a later block needs goes through a scratch constant."""
    stages = len(spec.stages)
    place: dict[int, tuple[int, int]] = {}  # step -> (block, stage)
    layout: list[list[tuple[int | None, int | None]]] = [[]]  # (step, or None and the step whose result is copied)
    for number, (_, _, _, c, _) in enumerate(steps):
        is_last = number == len(steps) - 1
        copies = [c] if c is not None and place[c][0] != len(layout) - 1 else []
        if len(layout[-1]) + len(copies) + 1 > stages:
            layout.append([])
            copies = [c] if c is not None else []
        layout[-1] += [(None, step) for step in copies]
        if is_last:
            layout[-1] += [(None, None)] * (stages - 1 - len(layout[-1]))
        place[number] = len(layout) - 1, len(layout[-1])
        layout[-1].append((number, None))
    outlives = {
        used
        for number, step in enumerate(steps)
        for used in step[1:4]
        if isinstance(used, int) and place[used][0] != place[number][0]
    }
    scratch = {step: constant.scratch[k] for k, step in enumerate(sorted(outlives - _kept(steps)))}

    def row(step: int) -> Operand:
        kept = steps[step][4]
        return constant[kept] if kept else Operand("const", scratch[step])

    blocks = []
    for number, entries in enumerate(layout):
        filled: list[Instruction | None] = []
        copied: dict[int, int] = {}

        def operand(value: int | str | None, number: int = number, copied: dict[int, int] = copied) -> Operand:
            if value is None:
                return Operand()
            if isinstance(value, str):
                return constant[value]
            if place[value][0] == number:
                return Operand("stage", place[value][1])
            return Operand("stage", copied[value]) if value in copied else row(value)

        for entry, (step, copy) in enumerate(entries):
            if step is not None:
                op, a, b, c, kept = steps[step]
                dst = row(step) if kept or step in outlives else None
                filled.append(Instruction(op, operand(a), operand(b), operand(c), dst, text="grid scheduler"))
            elif copy is not None:
                filled.append(Instruction(Op.ADD, row(copy), text="grid scheduler"))
                copied[copy] = entry
            else:
                filled.append(None)
        filled += [None] * (stages - len(filled))
        last = number == len(layout) - 1
        blocks.append(Block(tuple(filled), next=0 if last else first + number + 1, branch=last, grid=True))
    return blocks


def _kept(steps: list[_Step]) -> set[int]:
    return {number for number, step in enumerate(steps) if step[4]}
