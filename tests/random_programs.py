"""Random valid machine programs: every operation, operand kind, branch shape, store, atomic and barrier."""

from __future__ import annotations

import random

from programs import program, r, scheduler
from qwengpu.machine import Block, Instruction, MachineSpec, Op, Operand, Program
from qwengpu.machine.isa import ALIGNMENTS

#: Operations that use operand c, so that it cannot be a guard.
THREE_OPERANDS = (Op.MAD, Op.SELP, Op.ADDC, Op.SUBC)
INTERESTING = (0, 1, 2, 3, 31, 32, 33, 255, 256, 2**31 - 1, 2**31, 2**32 - 1)
#: Registers programs use; 31 holds the thread's index.
REGISTERS = 6
OUTPUT_WORDS = 64


def random_program(seed: int) -> tuple[Program, list, int, int]:
    """A program that ends, its arguments, and a grid and block size.

    Branches go forward (to a random later block) except that a block may loop on a counter; a barrier stands only
    where all lanes meet, a sync block anywhere. Most loads are not checked, at any address; some trap.
    """
    rng = random.Random(seed)
    spec = MachineSpec()
    literals = (4 * (OUTPUT_WORDS - 1), *rng.sample(INTERESTING, 3), rng.randrange(2**32))
    body = rng.randrange(3, 9)
    blocks: list[Block] = []
    # The last block of each section is reached by all lanes; it may hold a barrier.
    meets = sorted({body - 1, *(rng.randrange(body) for _ in range(2))})
    for number in range(body):
        limit = next(m for m in meets if m >= number)
        last = number == body - 1
        blocks.append(_block(rng, spec, number, limit, last, body))
    blocks.append(scheduler())
    made = program(f"random{seed}", blocks, [("ptr", "out"), ("u32", "n")], literals)
    words = [rng.choice((rng.randrange(2**32), *INTERESTING)) for _ in range(OUTPUT_WORDS)]
    return made, [words, rng.randrange(8)], rng.choice((1, 1, 2)), rng.choice((1, 3, 4, 6, 9, 9, 39))


def _operand(rng: random.Random, stage: int, constants: bool = True) -> Operand:
    kinds = ["reg", "reg", "none"] + ["stage"] * (3 if stage else 0) + ["const"] * constants
    kind = rng.choice(kinds)
    if kind == "reg":
        return r(rng.choice((*range(REGISTERS), 31)))
    if kind == "const":
        return Operand("const", rng.randrange(1, 11))
    return Operand("stage", rng.randrange(stage)) if kind == "stage" else Operand()


def _instruction(rng: random.Random, spec: MachineSpec, stage: int, loads: bool) -> Instruction | None:
    if rng.random() < 0.2:
        return None
    kind = spec.stages[stage]
    usable = [op for op in Op if op.stage_kind in ("alu", kind) and (loads or op.stage_kind != "load")]
    op = rng.choice(usable)
    c = _operand(rng, stage, constants=False)
    if c.kind == "reg" and kind != "mul":
        c = Operand()
    dst = r(rng.randrange(REGISTERS)) if rng.random() < 0.35 else None
    align = rng.choice(ALIGNMENTS) if rng.random() < 0.05 else 0
    return Instruction(op, _operand(rng, stage), _operand(rng, stage), c, dst, align)


def _block(rng: random.Random, spec: MachineSpec, number: int, limit: int, last: bool, body: int) -> Block:
    shape = rng.choice(("plain", "plain", "branch", "branch", "loop", "store", "store", "atomic"))
    if last:
        shape = "store"
    stores = shape in ("store", "atomic")
    stages = [_instruction(rng, spec, k, loads=not stores) for k in range(len(spec.stages))]
    following = min(number + 1, body - 1) if not last else 0
    flags: dict = {"next": following}
    if stores:
        # address = out + 4 * (random & 63): masked in stage 0 would cost the data, so by the thread's index
        first = stages[0] or Instruction(Op.ADD, r(0))
        guard = rng.random() < 0.5 and first.op not in THREE_OPERANDS
        stages[0] = Instruction(first.op, first.a, first.b, r(rng.randrange(REGISTERS)) if guard else first.c)
        address = Operand("const", 4), rng.choice((r(31), Operand(), Operand("const", 3)))
        stages[1] = Instruction(Op.LDX if shape == "atomic" else Op.LEA, *address)
        flags |= {shape: True, "guard": guard, "guard_negated": guard and rng.random() < 0.5}
        if shape == "atomic":
            if not guard and rng.random() < 0.5:
                stages[1] = Instruction(Op.LDX, *address, dst=r(rng.randrange(REGISTERS)))
            alu = rng.choice((Op.ADD, Op.SUB, Op.AND, Op.OR, Op.XOR, Op.SLTU))
            stages[2:4] = [None, None]
            stages[4] = Instruction(alu, Operand("stage", 0), Operand("stage", 1))
        flags["trap"] = rng.random() < 0.01
        if last:
            flags |= {"exit": True, "target": body}
        elif number == limit and shape == "store":
            flags["barrier"] = rng.random() < 0.7
            flags["sync"] = not flags["barrier"]
    elif shape == "plain":
        flags["sync"] = rng.random() < 0.3
    elif shape in ("branch", "loop"):
        target = rng.randrange(number + 1, limit + 1) if number < limit else following
        flags |= {"branch": True, "target": target}
        stages[4] = stages[4] or Instruction(Op.SLTU, r(31), Operand("const", 5))
        if shape == "loop" and number != limit:
            # count register 5 up to 3 (parameter n may end it sooner)
            stages[3] = Instruction(Op.ADD, r(5), Operand("const", 3), dst=r(5))
            stages[:3] = [i and Instruction(i.op, i.a, i.b, i.c, i.dst if i.dst != r(5) else None) for i in stages[:3]]
            stages[4] = Instruction(Op.SLTU, Operand("stage", 3), rng.choice((r(31), Operand("const", 5))))
            flags["target"] = number
    return Block(tuple(stages), **flags)
