"""What PTX instructions compute, as the PTX manual defines it; names that translated blocks use."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

from corpus.oracles.result import OracleError

M32 = 0xFFFFFFFF
#: What a destination holds whose value PTX leaves open.
POISON = 0xA5A5A5A5A5A5A5A5

#: Special register -> expression of the thread T.
SPECIAL = {
    **{f"%tid.{axis}": f"T.thread[{i}]" for i, axis in enumerate("xyz")},
    **{f"%ntid.{axis}": f"T.block.shape[{i}]" for i, axis in enumerate("xyz")},
    **{f"%ctaid.{axis}": f"T.block.index[{i}]" for i, axis in enumerate("xyz")},
    **{f"%nctaid.{axis}": f"T.block.grid[{i}]" for i, axis in enumerate("xyz")},
    "%laneid": "T.lane",
    "%warpid": "T.warp",
    "%nwarpid": "T.block.warps",
    "%lanemask_eq": "(1 << T.lane)",
    "%lanemask_lt": "((1 << T.lane) - 1)",
    "%lanemask_le": "((2 << T.lane) - 1)",
    "%lanemask_gt": "(0xffffffff & -2 << T.lane)",
    "%lanemask_ge": "(0xffffffff & -1 << T.lane)",
    "%dynamic_smem_size": "T.block.dynamic",
    "%total_smem_size": "len(T.shared)",
    "%smid": "0",
    "%nsmid": "1",
    "%gridid": "1",
    "%clock": "T.executed",
    "%clock_hi": "0",
    "%clock64": "T.executed",
    "%globaltimer": "T.executed",
    "%globaltimer_lo": "T.executed",
    "%globaltimer_hi": "0",
}

for _size, _letter in ((1, "B"), (2, "H"), (4, "I"), (8, "Q")):
    for _count, _name in ((1, ""), (2, "x2"), (4, "x4")):
        _struct = Struct(f"<{_count}{_letter}")
        globals()[f"load{_size}{_name}"] = _struct.unpack_from
        globals()[f"store{_size}{_name}"] = _struct.pack_into
_INTEGERS = {size: Struct(f"<{letter}") for size, letter in ((2, "H"), (4, "I"), (8, "Q"))}


def misaligned(address: int, size: int) -> None:
    raise OracleError(f"misaligned access: address {address:#x} is no multiple of {size}")


def read_only() -> None:
    raise OracleError("a store to constant memory")


def trap() -> None:
    raise OracleError("trap")


def divide(a: int, b: int) -> int:
    """Rounds towards zero; by zero gives all ones, as GPUs do (PTX leaves it open)."""
    if b == 0:
        return -1
    return abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))


def remainder(a: int, b: int) -> int:
    """Has the sign of ``a``."""
    return a if b == 0 else a - b * divide(a, b)


def reverse(a: int, bits: int) -> int:
    return int(f"{a:0{bits}b}"[::-1], 2)


def nth_set(mask: int, base: int, offset: int) -> int:
    """``fns``: the place of the n-th bit that is set, counted from ``base``."""
    if offset == 0:
        return base if base < 32 and mask >> base & 1 else M32
    place, left, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= place < 32:
        if mask >> place & 1:
            if left == 0:
                return place
            left -= 1
        place += step
    return M32


def extract(a: int, place: int, length: int, bits: int, signed: bool) -> int:
    """``bfe``."""
    top = bits - 1
    sign = a >> min(place + length - 1, top) & 1 if signed and length else 0
    field = a >> place & (1 << length) - 1
    kept = max(0, min(length, bits - place))  # bits of the field that lie inside a
    return field | (-(1 << kept) & (1 << bits) - 1 if sign else 0)


def insert(a: int, b: int, place: int, length: int, bits: int) -> int:
    """``bfi``: the low bits of ``a`` into ``b``."""
    mask = (1 << length) - 1 << place & (1 << bits) - 1
    return b & ~mask | a << place & mask


def bit_mask(a: int, b: int, clamp: bool) -> int:
    """``bmsk``: b ones from bit a on."""
    if clamp:
        return ((1 << min(b, 32)) - 1 << a) & M32 if a < 32 else 0
    return ((1 << (b & 31)) - 1 << (a & 31)) & M32


def extend(a: int, b: int, clamp: bool, signed: bool) -> int:
    """``szext``: the low b bits of a, extended to 32."""
    if clamp and b >= 32:
        return a
    count = b & 31
    field = a & (1 << count) - 1
    return field | (-(1 << count) & M32 if signed and count and field >> count - 1 else 0)


def _element(word: int, number: int, bits: int, signed: bool) -> int:
    value = word >> bits * number & (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def dot4(a: int, b: int, c: int, signed_a: bool, signed_b: bool) -> int:
    return (c + sum(_element(a, i, 8, signed_a) * _element(b, i, 8, signed_b) for i in range(4))) & M32


def dot2(a: int, b: int, c: int, signed_a: bool, signed_b: bool) -> int:
    return (c + sum(_element(a, i, 16, signed_a) * _element(b, i, 8, signed_b) for i in range(2))) & M32


def look_up(a: int, b: int, c: int, table: int) -> int:
    """``lop3``: bit 4a + 2b + c of the table, for every place."""
    out = 0
    for number in range(8):
        if table >> number & 1:
            out |= (a if number & 4 else ~a) & (b if number & 2 else ~b) & (c if number & 1 else ~c)
    return out & M32


#: Mode of ``prmt`` -> which of the eight bytes goes to byte i, for the control value n.
PERMUTATIONS: dict[str, Callable[[int, int], int]] = {
    "f4e": lambda n, i: n + i & 7,
    "b4e": lambda n, i: n - i & 7,
    "rc8": lambda n, i: n,
    "ecl": lambda n, i: max(n, i),
    "ecr": lambda n, i: min(n, i),
    "rc16": lambda n, i: 2 * (n & 1) + (i & 1),
}


def permute(a: int, b: int, c: int, mode: str) -> int:
    """``prmt``."""
    both, out = a | b << 32, 0
    for i in range(4):
        if mode:
            byte = both >> 8 * PERMUTATIONS[mode](c & 3, i) & 255
        else:
            selector = c >> 4 * i & 15
            byte = both >> 8 * (selector & 7) & 255
            if selector & 8:
                byte = 255 if byte & 128 else 0
        out |= byte << 8 * i
    return out


# Atomic operations: (value in memory, operand, second operand) -> new value.
ATOMICS: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda old, b, c: old + b,
    "min": lambda old, b, c: min(old, b),
    "max": lambda old, b, c: max(old, b),
    "and": lambda old, b, c: old & b,
    "or": lambda old, b, c: old | b,
    "xor": lambda old, b, c: old ^ b,
    "exch": lambda old, b, c: b,
    "cas": lambda old, b, c: c if old == b else old,
    "inc": lambda old, b, c: 0 if old >= b else old + 1,
    "dec": lambda old, b, c: b if old == 0 or old > b else old - 1,
}
globals().update({f"{name}_": operation for name, operation in ATOMICS.items()})


def atomic(
    memory: bytearray, place: int, size: int, operation: Callable[[int, int, int], int], b: int, c: int, signed: bool
) -> int:
    """Replace the number at ``place``; returns its old value as an unsigned number."""
    form = _INTEGERS[size]
    if place < 0:
        raise IndexError
    old = form.unpack_from(memory, place)[0]
    bits = 8 * size
    number = old - (1 << bits) if signed and old >> bits - 1 else old
    if type(memory) is bytes:
        read_only()
    form.pack_into(memory, place, operation(number, b, c) & (1 << bits) - 1)
    return old
