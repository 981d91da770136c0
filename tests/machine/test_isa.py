"""Operations against plain Python on edge operands, ROM rows, and the rules blocks must obey."""

import itertools
import operator

import pytest

from qwengpu.errors import CompileError, SpecError
from qwengpu.machine import Block, Instruction, MachineSpec, Op, Operand
from qwengpu.machine.interpreter import evaluate, signed
from qwengpu.machine.isa import (
    ROW_BITS,
    STAGE_BITS,
    STAGE_FIELDS,
    control_fields,
    encode_block,
    field_offsets,
    validate,
)

EDGES = [0, 1, 2, 31, 32, 33, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678]
SPEC = MachineSpec()
NOP = (None,) * len(SPEC.stages)

BINARY = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.LEA: lambda a, b: a + 4 * b,
    Op.AND: operator.and_,
    Op.OR: operator.or_,
    Op.XOR: operator.xor,
    Op.SHL: lambda a, b: a * 2 ** min(b, 32),
    Op.SHR: lambda a, b: a // 2 ** min(b, 32),
    Op.SAR: lambda a, b: signed(a) // 2 ** min(b, 32),
    Op.SLTU: operator.lt,
    Op.SGEU: operator.ge,
    Op.SLTS: lambda a, b: signed(a) < signed(b),
    Op.SGES: lambda a, b: signed(a) >= signed(b),
    Op.SEQ: operator.eq,
    Op.SNE: operator.ne,
    Op.MUL: operator.mul,
    Op.MULHI: lambda a, b: a * b // 2**32,
}


@pytest.mark.parametrize("op", BINARY)
def test_binary_operations_wrap_at_32_bits(op: Op) -> None:
    for a, b in itertools.product(EDGES, EDGES):
        assert evaluate(op, a, b, 0) == BINARY[op](a, b) % 2**32, (op, a, b)


def test_select_and_multiply_add_use_the_third_operand() -> None:
    for a, b, c in itertools.product(EDGES, EDGES, EDGES):
        assert evaluate(Op.SELP, a, b, c) == (a if c % 2 else b)
        assert evaluate(Op.MAD, a, b, c) == (a * b + c) % 2**32


def test_loads_have_no_value_of_their_own() -> None:
    with pytest.raises(ValueError, match="load"):
        evaluate(Op.LD, 0, 0, 0)


@pytest.mark.parametrize("value", EDGES)
def test_signed_is_twos_complement(value: int) -> None:
    assert signed(value) == int.from_bytes(value.to_bytes(4, "little"), "little", signed=True)


def field(row: int, fields: dict[str, int], name: str, base: int = 0) -> int:
    return row >> (base + field_offsets(fields)[name]) & ((1 << fields[name]) - 1)


def test_rom_rows_hold_what_the_block_says() -> None:
    first = Instruction(Op.MAD, Operand("reg", 3), Operand("const", 100), Operand("reg", 31), dst=Operand("reg", 17))
    second = Instruction(Op.LDX, Operand("const", 1), Operand("stage", 0), dst=Operand("const", 9))
    block = Block((first, second, None, None, None), next=5, target=77, branch=False, barrier=True)
    control, low, high, last = encode_block(SPEC, block)
    assert max(control, low, high, last).bit_length() <= ROW_BITS
    assert [field(control, control_fields(SPEC), n) for n in ("next", "target", "barrier", "exit")] == [5, 77, 1, 0]
    assert [field(control, control_fields(SPEC), n) for n in ("live", "dst0", "dst1", "dst_const")] == [3, 17, 9, 2]
    names = ("a_reg", "a_index", "b_const", "b_index", "c_reg", "c_index", "lo", "mad", "load")
    assert [field(low, STAGE_FIELDS, n) for n in names] == [1, 3, 1, 100, 1, 31, 1, 1, 0]
    names = ("a_const", "a_index", "b_stage", "lea", "load")
    assert [field(low, STAGE_FIELDS, n, STAGE_BITS) for n in names] == [1, 1, 1, 1, 1]
    assert (high, last) == (0, 0)


ADD = Instruction(Op.ADD, Operand("reg", 0), Operand("reg", 1))
LOAD = Instruction(Op.LD, Operand("reg", 0))


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        (Block((None,)), "number of stages"),
        (Block(NOP, next=1), "successor"),
        (Block((LOAD, None, None, None, None)), "LD in stage 0"),
        (Block((None, Instruction(Op.MUL), None, None, None)), "MUL in stage 1"),
        (Block((Instruction(Op.ADD, Operand("stage", 0)), None, None, None, None)), "later stage"),
        (Block((Instruction(Op.ADD, Operand("reg", 32)), None, None, None, None)), "no such register"),
        (Block((Instruction(Op.MAD, c=Operand("const", 0)), None, None, None, None)), "constant as operand c"),
        (Block((None, Instruction(Op.SELP, c=Operand("reg", 0)), None, None, None)), "light stage"),
        (Block(NOP, store=True), "without data"),
        (Block((ADD, LOAD, None, None, None), store=True), "load in a store"),
        (Block((ADD, ADD, None, None, ADD), atomic=True), "atomic without a load"),
        (Block((ADD, LOAD, None, None, None), atomic=True), "atomic without a result"),
        (Block(NOP, branch=True), "predicate"),
        (Block((*NOP[:4], ADD), branch=True, barrier=True), "barrier with branch"),
    ],
)
def test_blocks_that_break_a_rule_are_refused(block: Block, rule: str) -> None:
    with pytest.raises(CompileError, match=rule):
        validate(SPEC, [block])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"registers": 24}, "power of two"),
        ({"registers": 64}, "registers=64"),
        ({"words": -1}, "power of two"),
        ({"words": 256}, "between 512"),
        ({"blocks": 2048}, "at most 1024"),
        ({"constants": 256}, "at most 128"),
        ({"lanes": 8}, "lanes=8"),
        ({"stages": ("mul", "fpu", "alu")}, "stages="),
        ({"stages": ("alu", "load", "alu")}, "first stage"),
    ],
)
def test_sizes_that_cannot_be_built_are_refused(sizes: dict, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        MachineSpec(**sizes)


def test_digest_names_the_size() -> None:
    assert MachineSpec().digest() == MachineSpec(stages=list(MachineSpec().stages)).digest()
    assert MachineSpec(**MachineSpec().asdict()) == MachineSpec()
    assert MachineSpec().digest() != MachineSpec(words=2048).digest()
