"""Running a few PTX instructions on many operands at once, in the interpreter, to compare with plain Python."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from kernel_harness import DEFAULT, run

from qwengpu.cuda.lower import lower
from qwengpu.cuda.ptx import Module, parse

HEADER = ".version 7.0\n.target sm_75\n.address_size 64\n"
REGISTERS = ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %d<64>;"
#: Numbers at the edges of ranges, as 64-bit patterns.
EDGES = [0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 100, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 2**31 - 1, 2**31]
EDGES += [2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2, 2**64 - 2**31, 2**64 - 2**32, 0x12345678]
THREADS = 64
#: Operand k is register 1 + k, of 16, 32 or 64 bits; the result is register 9.
A, B, C = 1, 2, 3


def module(body: str, parameters: str = ".param .u64 .ptr in, .param .u64 .ptr out", extra: str = "") -> Module:
    """A PTX module with one kernel."""
    return parse(f"{HEADER}{extra}.visible .entry k({parameters})\n{{\n{REGISTERS}\n{body}\n}}\n", "k.ptx")


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    value = unsigned(value, bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def read(value: int, kind: str) -> int:
    """Bits as a number of a PTX type."""
    bits = int(kind[1:])
    return signed(value, bits) if kind[0] == "s" else unsigned(value, bits)


def pattern(rng: random.Random) -> int:
    """A 64-bit operand: an edge, a small number, or any number of some length."""
    return rng.choice([rng.choice(EDGES), rng.getrandbits(6), rng.getrandbits(rng.randint(1, 64)), rng.getrandbits(64)])


def results(code: str, operands: list[tuple[int, int, int]]) -> list[int]:
    """Run code in a thread for each triple of operands; the bits of register 9, of 32 or of 64 bits, or of %p9."""
    loads = []
    for k in (A, B, C):
        if re.search(rf"%[dhr]{k}\b", code):
            loads.append(f"ld.global.u64 %d{k}, [%d61+{8 * (k - 1)}]; cvt.u32.u64 %r{k}, %d{k};")
            loads.append(f"cvt.u16.u64 %h{k}, %d{k};")
    if "%p9" in code:
        code += " selp.u32 %r9, 1, 0, %p9;"
    elif "%h9" in code:
        code += " cvt.u32.u16 %r9, %h9;"
    store = "st.global.u64 [%d62], %d9;" if "%d9" in code else "st.global.u32 [%d62], %r9;"
    body = f"""
    mov.u32 %r60, %tid.x; ld.param.u64 %d61, [in]; ld.param.u64 %d62, [out];
    mad.wide.u32 %d61, %r60, 24, %d61; mad.wide.u32 %d62, %r60, 8, %d62;
    {" ".join(loads)} {code} {store} ret;
    """
    program = lower(module(body), None, DEFAULT, grid_axes=1)
    words = [word for triple in operands for value in triple for word in (value & 0xFFFFFFFF, value >> 32)]
    arrays, _ = run(program, [words, [0] * (2 * len(operands))], block=(len(operands), 1, 1))
    low, high = arrays[1][::2], arrays[1][1::2]
    return [a | b << 32 for a, b in zip(low, high, strict=True)]


def check(code: str, expected: Callable[..., int], kinds: str, seed: int = 0, threads: int = THREADS) -> None:
    """Compare code on random operands with a function of their values.

    Args:
        expected: takes as many numbers as ``kinds`` names types after the first; the result is taken modulo its bits.
        kinds: PTX type of the result, then of the operands.
    """
    rng = random.Random(f"{code}{seed}")
    result, *types = kinds.split()
    bits = 1 if result == "pred" else max(int(result[1:]), 16)
    triples = [tuple(pattern(rng) for _ in range(3)) for _ in range(threads)]
    for triple, got in zip(triples, results(code, triples), strict=True):
        values = [read(value, kind) for value, kind in zip(triple, types, strict=False)]
        assert got == unsigned(int(expected(*values)), bits), f"{code} on {list(map(hex, values))}: {got:#x}"
