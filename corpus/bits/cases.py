"""Bits of words, against Python's integers and strings of binary digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from corpus.case import Case
from corpus.inputs import linear, rng, words, zeros

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
EDGES = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, M32, 0xAAAAAAAA]
EDGES64 = [0, 1, 1 << 31, 1 << 32, M32, 1 << 63, M64, 0x5555555555555555, 12]


def u32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.uint32)


def u64(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.uint64)


def digits(x: int, bits: int = 32) -> str:
    return f"{int(x):0{bits}b}"


def each(
    file: str,
    kernel: str,
    label: str,
    inputs: Sequence[np.ndarray],
    outputs: Sequence[tuple[Callable[..., int], type[np.generic]]],
    block: int,
) -> Case:
    """Kernels (inputs..., outputs..., n), one thread an element: each output is a function of the element's inputs."""
    n = len(inputs[0])
    rows = list(zip(*(a.tolist() for a in inputs), strict=True))
    expected = {len(inputs) + k: np.array([f(*row) for row in rows], t) for k, (f, t) in enumerate(outputs)}
    arguments = (*inputs, *(np.zeros_like(a) for a in expected.values()), n)
    return linear(f"bits/{file}.cu", kernel, label, n, block, arguments, expected)


def popcount(kernel: str, label: str, values: np.ndarray, block: int) -> Case:
    return each("popcount", kernel, label, [values], [(int.bit_count, np.int32)], block)


def popcount_intrinsic(label: str, values: np.ndarray, wide: np.ndarray, block: int) -> Case:
    outputs = [(lambda a, b: digits(a).count("1"), np.int32), (lambda a, b: digits(b, 64).count("1"), np.int32)]
    return each("popcount", "popcount_intrinsic", label, [values, wide], outputs, block)


def popcount_bitmap(label: str, data: np.ndarray, grid: int, block: int) -> Case:
    expected = np.array([np.unpackbits(data).sum()], np.int32)
    arguments = (data, len(data), zeros(1, np.int32))
    return Case("bits/popcount.cu", "popcount_bitmap", label, (grid,), (block,), arguments, 0, {2: expected})


def gray(label: str, values: np.ndarray, block: int) -> list[Case]:
    codes = u32([v ^ v >> 1 for v in values.tolist()])
    n = len(values)
    return [
        linear("bits/gray.cu", "to_gray", label, n, block, (values, zeros(n), n), {1: codes}),
        linear("bits/gray.cu", "from_gray", label, n, block, (codes, zeros(n), n), {1: values}),
    ]


def gray_step(label: str, first: int, n: int, block: int) -> Case:
    codes = [v ^ v >> 1 for v in range(first, first + n + 1)]
    flipped = np.array([(a ^ b).bit_length() - 1 for a, b in pairwise(codes)], np.uint8)
    arguments = (np.array(codes[:-1], np.uint16), np.zeros_like(flipped), n)
    return linear("bits/gray.cu", "gray_step", label, n, block, arguments, {1: flipped})


def reversed_bits(values: np.ndarray) -> np.ndarray:
    bits = values.itemsize * 8
    return np.array([int(digits(v, bits)[::-1], 2) for v in values], values.dtype)


def reverse(kernel: str, label: str, arrays: Sequence[np.ndarray], block: int) -> Case:
    n = len(arrays[0])
    expected = {k: reversed_bits(a) for k, a in enumerate(arrays)}
    return linear("bits/reverse.cu", kernel, label, n, block, (*arrays, n), expected)


def swapped(x: int) -> int:
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def pick_bytes(label: str, pairs: np.ndarray, selectors: np.ndarray, block: int) -> Case:
    out = []
    for pair, selector in zip(pairs, selectors.tolist(), strict=True):
        octets = pair.tobytes()
        out.append(int.from_bytes([octets[selector >> 4 * k & 7] for k in range(4)], "little"))
    arguments = (pairs, selectors, zeros(len(out)), len(out))
    return linear("bits/reverse.cu", "pick_bytes", label, len(out), block, arguments, {2: u32(out)})


def interleave(*coordinates: int, bits: int) -> int:
    columns = zip(*(digits(c, bits) for c in reversed(coordinates)), strict=True)
    return int("".join("".join(column) for column in columns), 2)


def morton2(label: str, points: np.ndarray, block: int) -> list[Case]:
    codes = u32([interleave(int(x), int(y), bits=16) for x, y in points])
    n = len(points)
    return [
        linear("bits/morton.cu", "morton_encode", label, n, block, (points, zeros(n), n), {1: codes}),
        linear("bits/morton.cu", "morton_decode", label, n, block, (codes, np.zeros_like(points), n), {1: points}),
    ]


def morton3(label: str, points: np.ndarray, block: int) -> Case:
    def code(x: int, y: int, z: int) -> int:
        return interleave(x, y, z, bits=8)

    columns = [np.ascontiguousarray(points[:, k]) for k in range(3)]
    return each("morton", "morton3", label, columns, [(code, np.uint32)], block)


def z_order(label: str, width: int, block: tuple[int, int]) -> Case:
    matrix = words(width, (width, width), np.int32)
    curve = np.zeros(width * width, np.int32)
    for row in range(width):
        for column in range(width):
            curve[interleave(column, row, bits=4)] = matrix[row, column]
    grid = (-(-width // block[0]), -(-width // block[1]))
    return Case("bits/morton.cu", "z_order", label, grid, block, (matrix, np.zeros_like(curve), width), 0, {1: curve})


def parity_fold(label: str, values: np.ndarray, block: int) -> Case:
    outputs = [(lambda x: digits(x).count("1") % 2, np.bool_)] * 2
    return each("parity", "parity_fold", label, [values], outputs, block)


def parity_correct(label: str, data: np.ndarray, flips: Sequence[int], block: int) -> Case:
    """``flips``: the bit of each packet of 8 bytes that is flipped on the way, or -1."""
    good = []
    for packet in data:
        rows = sum(digits(b, 8).count("1") % 2 << k for k, b in enumerate(packet))
        good.append([*packet, np.bitwise_xor.reduce(packet), rows])
    expected = np.array(good, np.uint8)
    sent = expected.copy()
    for packet, flip in zip(sent, flips, strict=True):
        if flip >= 0:
            packet[flip // 8] ^= 1 << flip % 8
    fixed = np.array(flips, np.int8)
    arguments = (sent, np.zeros_like(fixed), len(flips))
    return linear("bits/parity.cu", "parity_correct", label, len(flips), block, arguments, {0: expected, 1: fixed})


def hamming_distances(label: str, values: np.ndarray, block: tuple[int, int]) -> Case:
    n = len(values)
    expected = np.array([[(a ^ b).bit_count() for a in values.tolist()] for b in values.tolist()], np.uint8)
    grid = (-(-n // block[0]), -(-n // block[1]))
    arguments = (values, np.zeros_like(expected), n)
    return Case("bits/hamming.cu", "hamming_distances", label, grid, block, arguments, 0, {1: expected})


def nearest_word(label: str, values: np.ndarray, queries: np.ndarray, block: int) -> Case:
    def nearest(query: int) -> int:
        distances = [(v ^ query).bit_count() for v in values.tolist()]
        return distances.index(min(distances)) if distances else -1

    expected = np.array([nearest(q) for q in queries.tolist()], np.int32)
    arguments = (values, len(values), queries, np.zeros_like(expected), len(queries))
    return linear("bits/hamming.cu", "nearest_word", label, len(queries), block, arguments, {3: expected})


def hamming74(nibble: int) -> int:
    """The code word whose data bits are these and whose set positions, numbered from 1, cancel out."""
    for code in range(128):
        positions = [p for p in range(1, 8) if code >> p - 1 & 1]
        data = sum((code >> p - 1 & 1) << k for k, p in enumerate((3, 5, 6, 7)))
        if data == nibble and not np.bitwise_xor.reduce([0, *positions]):
            return code
    raise ValueError(nibble)


def hamming74_encode(label: str, nibbles: Sequence[int], block: int) -> Case:
    values = np.array(nibbles, np.uint8)
    return each("hamming", "hamming74_encode", label, [values], [(hamming74, np.uint8)], block)


def hamming74_decode(label: str, nibbles: Sequence[int], flips: Sequence[int], block: int) -> Case:
    codes = [hamming74(n) ^ (1 << f if f >= 0 else 0) for n, f in zip(nibbles, flips, strict=True)]
    expected = np.array(nibbles, np.uint8)
    corrected = np.array([sum(f >= 0 for f in flips)], np.int32)
    arguments = (np.array(codes, np.uint8), np.zeros_like(expected), zeros(1, np.int32), len(codes))
    return linear(
        "bits/hamming.cu", "hamming74_decode", label, len(codes), block, arguments, {1: expected, 2: corrected}
    )


def transposed(rows: Sequence[int], bits: int) -> list[int]:
    return [sum((row >> k & 1) << r for r, row in enumerate(rows)) for k in range(bits)]


def transpose8(label: str, matrices: np.ndarray, block: int) -> Case:
    out = [int.from_bytes(transposed(m.to_bytes(8, "little"), 8), "little") for m in matrices.tolist()]
    arguments = (matrices, len(out))
    return linear("bits/bit_matrix.cu", "transpose8", label, len(out), block, arguments, {0: u64(out)})


def transpose32(label: str, matrices: np.ndarray) -> Case:
    expected = np.array([transposed(m.tolist(), 32) for m in matrices], np.uint32)
    return Case("bits/bit_matrix.cu", "transpose32", label, (len(matrices),), (32,), (matrices,), 0, {0: expected})


def gf2_product(label: str, a: np.ndarray, b: np.ndarray) -> Case:
    """a, b: 16 x 16 arrays of zeros and ones."""

    def pack(m: np.ndarray) -> np.ndarray:
        return np.array([sum(int(v) << k for k, v in enumerate(row)) for row in m], np.uint16)

    arguments = (pack(a), pack(b.T), zeros(16, np.uint16))
    return Case("bits/bit_matrix.cu", "gf2_product", label, (1,), (16, 16), arguments, 0, {2: pack(a @ b % 2)})


def bit_positions(label: str, values: np.ndarray, block: int) -> Case:
    def trailing(x: int) -> int:
        return len(digits(x)) - len(digits(x).rstrip("0")) if x else 32

    outputs = [
        (lambda x: 32 - x.bit_length(), np.int32),
        (trailing, np.int32),
        (lambda x: next((1 << k for k in range(32) if 1 << k >= x), 0), np.uint32),
        (lambda x: x.bit_length() - 1, np.int32),
    ]
    return each("leading", "bit_positions", label, [values], outputs, block)


def bit_positions64(label: str, values: np.ndarray, block: int) -> Case:
    def lowest(x: int) -> int:
        return next((k + 1 for k in range(64) if x >> k & 1), 0)

    outputs = [
        (lambda x: 64 - x.bit_length(), np.int32),
        (lowest, np.int32),
        (lambda x: 1 << lowest(x) - 1 if x else 0, np.uint64),
    ]
    return each("leading", "bit_positions64", label, [values], outputs, block)


def bit_width(label: str, values: np.ndarray, block: int) -> Case:
    def width(x: int) -> int:
        return next(k for k in range(1, 33) if -(1 << k - 1) <= x < 1 << k - 1)

    return each("leading", "bit_width", label, [values], [(width, np.uint8)], block)


def chosen(x: int, mask: int) -> int:
    bits = [x >> k & 1 for k in range(32) if mask >> k & 1]
    return sum(bit << k for k, bit in enumerate(bits))


def placed(x: int, mask: int) -> int:
    places = [k for k in range(32) if mask >> k & 1]
    return sum((x >> k & 1) << place for k, place in enumerate(places))


def masked(
    kernel: str, label: str, f: Callable[[int, int], int], values: np.ndarray, masks: np.ndarray, block: int
) -> Case:
    return each("deposit", kernel, label, [values, masks], [(f, np.uint32)], block)


def signed_fields(label: str, packed: np.ndarray, places: np.ndarray, block: int) -> Case:
    out = []
    for word, (start, width) in zip(packed.tolist(), places.tolist(), strict=True):
        field = int(digits(word)[::-1][start : start + width][::-1], 2)
        out.append(field - (1 << width) if field >> width - 1 else field)
    arguments = (packed, places, zeros(len(out), np.int32), len(out))
    return linear("bits/deposit.cu", "signed_fields", label, len(out), block, arguments, {2: np.array(out, np.int32)})


def rgb565_to_888(label: str, pixels: np.ndarray, block: int) -> Case:
    out = []
    for pixel in pixels:
        text = digits(pixel, 16)
        out.append([int((part * 2)[:8], 2) for part in (text[:5], text[5:11], text[11:])])
    expected = np.array(out, np.uint8)
    arguments = (pixels, np.zeros_like(expected), len(pixels))
    return linear("bits/deposit.cu", "rgb565_to_888", label, len(pixels), block, arguments, {1: expected})


def rgb888_to_565(label: str, pixels: np.ndarray, block: int) -> Case:
    expected = np.array([r // 8 * 2048 + g // 4 * 32 + b // 8 for r, g, b, _ in pixels.tolist()], np.uint16)
    arguments = (pixels, np.zeros_like(expected), len(pixels))
    return linear("bits/deposit.cu", "rgb888_to_565", label, len(pixels), block, arguments, {1: expected})


def rotated(x: int, by: int, bits: int) -> int:
    text, turn = digits(x, bits), by % bits
    return int(text[turn:] + text[:turn], 2)


def rotate_all(label: str, by: int, n: int, block: int) -> Case:
    arrays = [words(by + k, n, t) for k, t in enumerate((np.uint8, np.uint16, np.uint32, np.uint64))]
    expected = {k: np.array([rotated(v, by, a.itemsize * 8) for v in a], a.dtype) for k, a in enumerate(arrays)}
    return linear("bits/rotate.cu", "rotate_all", label, n, block, (*arrays, by, n), expected)


def funnel_shifts(label: str, low: np.ndarray, high: np.ndarray, by: np.ndarray, block: int) -> Case:
    outputs = [
        (lambda lo, hi, s: ((hi << 32 | lo) << s % 32 >> 32) & M32, np.uint32),
        (lambda lo, hi, s: (hi << 32 | lo) >> s % 32 & M32, np.uint32),
        (lambda lo, hi, s: ((hi << 32 | lo) << min(s, 32) >> 32) & M32, np.uint32),
    ]
    return each("rotate", "funnel_shifts", label, [low, high, by], outputs, block)


def shift128(label: str, values: np.ndarray, by: Sequence[int], block: int) -> Case:
    out = []
    for (low, high), distance in zip(values.tolist(), by, strict=True):
        shifted = (high << 64 | low) << distance
        out.append([shifted & M64, shifted >> 64 & M64])
    arguments = (values, np.array(by, np.int32), len(by))
    return linear("bits/rotate.cu", "shift128", label, len(by), block, arguments, {0: np.array(out, np.uint64)})


def bits_of(members: set[int], count: int) -> np.ndarray:
    value = sum(1 << m for m in members)
    return u32([value >> 32 * k & M32 for k in range(count)])


def members_of(bitmap: np.ndarray) -> set[int]:
    return {32 * w + k for w, word in enumerate(bitmap.tolist()) for k in range(32) if word >> k & 1}


def pack_flags(label: str, flags: np.ndarray, block: int) -> Case:
    count = -(-len(flags) // 32)
    expected = bits_of({k for k, flag in enumerate(flags) if flag}, count)
    return linear("bits/bitmap.cu", "pack_flags", label, count, block, (flags, len(flags), zeros(count)), {2: expected})


def set_algebra(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    count, x, y = len(a), members_of(a), members_of(b)
    results = [x | y, x & y, x - y]
    expected = {2 + k: bits_of(r, count) for k, r in enumerate(results)} | {
        5: np.array(list(map(len, results)), np.int32)
    }
    arguments = (a, b, zeros(count), zeros(count), zeros(count), zeros(3, np.int32), count)
    return linear("bits/bitmap.cu", "set_algebra", label, count, block, arguments, expected)


def list_members(label: str, bitmap: np.ndarray, block: int) -> Case:
    members = sorted(members_of(bitmap))
    expected = np.array(members + [-1] * (32 * len(bitmap) - len(members)), np.int32)
    arguments = (bitmap, len(bitmap), np.full_like(expected, -1), zeros(1, np.int32))
    outputs = {2: expected, 3: np.array([len(members)], np.int32)}
    return Case("bits/bitmap.cu", "list_members", label, (1,), (block,), arguments, 4 * block, outputs)


def toggle(label: str, bitmap: np.ndarray, indices: Sequence[int], block: int) -> Case:
    members = members_of(bitmap)
    for index in indices:
        members ^= {index}
    arguments = (bitmap, np.array(indices, np.int32), len(indices))
    expected = {0: bits_of(members, len(bitmap))}
    return linear("bits/bitmap.cu", "toggle", label, len(indices), block, arguments, expected)


def swar_bytes(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    x, y = a.view(np.uint8), b.view(np.uint8)
    average = ((x.astype(int) + y) // 2).astype(np.uint8)
    expected = {2: (x + y).view(np.uint32), 3: (x - y).view(np.uint32), 4: average.view(np.uint32)}
    arguments = (a, b, *(np.zeros_like(e) for e in expected.values()), len(a))
    return linear("bits/swar.cu", "swar_bytes", label, len(a), block, arguments, expected)


def swar_find(label: str, text: bytes, wanted: bytes, block: int) -> Case:
    n = len(text) // 4
    expected = np.array([text[4 * k : 4 * k + 4].find(wanted) for k in range(n)], np.int32)
    arguments = (np.frombuffer(text, np.uint32).copy(), wanted[0], np.zeros_like(expected), n)
    return linear("bits/swar.cu", "swar_find", label, n, block, arguments, {2: expected})


def absolute_differences(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    expected = np.abs(a.astype(int) - b).sum(axis=1).astype(np.uint32)
    arguments = (a, b, np.zeros_like(expected), len(a))
    return linear("bits/swar.cu", "absolute_differences", label, len(a), block, arguments, {2: expected})


MASKS = u32([M32, 0xFF00, 0, 0x80000001])
PLACES = np.array([[0, 32], [7, 1], [31, 1], [1, 31], [0, 3]], np.uint8)
CASES: list[Case] = [
    popcount_intrinsic("edges", u32(EDGES), u64(EDGES64), 4),
    popcount_intrinsic("ragged", words(1, 37), words(2, 37, np.uint64), 32),
    popcount("popcount_kernighan", "edges", u32(EDGES), 16),
    popcount("popcount_kernighan", "ragged", words(3, 21), 8),
    popcount("popcount_parallel", "edges", u32(EDGES), 4),
    popcount("popcount_parallel", "ragged", words(4, 70), 32),
    popcount_bitmap("stride", words(5, 61, np.uint8), 2, 16),
    popcount_bitmap("ones", np.full(5, 255, np.uint8), 1, 8),
    *gray("edges", u32(EDGES), 4),
    *gray("ragged", words(6, 40), 32),
    gray_step("small", 0, 16, 16),
    gray_step("ragged", 1000, 25, 8),
    reverse("reverse_intrinsic", "edges", [u32(EDGES), u64(EDGES64)], 4),
    reverse("reverse_intrinsic", "ragged", [words(7, 19), words(8, 19, np.uint64)], 8),
    reverse("reverse_by_hand", "small", [words(9, 4, np.uint8), words(10, 4, np.uint16), words(11, 4)], 4),
    reverse("reverse_by_hand", "ragged", [words(12, 9, np.uint8), words(13, 9, np.uint16), words(14, 9)], 4),
    each("reverse", "swap_bytes", "edges", [u32([*EDGES, 0x01020304])], [(swapped, np.uint32)] * 2, 4),
    each("reverse", "swap_bytes", "ragged", [words(15, 33)], [(swapped, np.uint32)] * 2, 16),
    pick_bytes("edges", words(16, (4, 2)), u32([0x3210, 0x7654, 0x0000, 0x0145]), 4),
    pick_bytes("random", words(17, (9, 2)), words(18, 9) & u32([0x7777]), 4),
    *morton2("edges", np.array([[0, 0], [0, 65535], [65535, 0], [65535, 65535], [5, 9]], np.uint16), 4),
    *morton2("ragged", words(21, (19, 2), np.uint16), 8),
    morton3("edges", np.array([[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255], [1, 2, 4]], np.uint8), 4),
    morton3("ragged", words(22, (11, 3), np.uint8), 8),
    z_order("4 x 4", 4, (4, 4)),
    z_order("8 x 8 in tiles", 8, (4, 2)),
    z_order("one", 1, (2, 2)),
    parity_fold("edges", u32(EDGES), 4),
    parity_fold("ragged", words(23, 40), 32),
    parity_correct("flips", words(24, (5, 8), np.uint8), [-1, 0, 7, 63, 20], 4),
    parity_correct("clean", np.array([[0] * 8, [255] * 8], np.uint8), [-1, -1], 2),
    hamming_distances("ragged", words(25, 7, np.uint64), (4, 4)),
    hamming_distances("edges", u64(EDGES64), (8, 2)),
    nearest_word("ties", u32([0, M32, 0xFFFF0000]), u32([0, 1, M32 - 1, 0x0000FFFF]), 4),
    nearest_word("ragged", words(26, 10), words(27, 9), 4),
    hamming74_encode("all", list(range(16)), 16),
    hamming74_encode("ragged", [15, 0, 9], 2),
    hamming74_decode("flips", list(range(8)), [-1, 0, 1, 2, 3, 4, 5, 6], 8),
    hamming74_decode("ragged", [15, 8, 3, 12, 1], [6, -1, -1, 0, 2], 4),
    transpose8("edges", u64([0, M64, 0xFF, 0x0101010101010101, 0x8040201008040201]), 4),
    transpose8("ragged", words(29, 9, np.uint64), 8),
    transpose32("one", words(30, (1, 32))),
    transpose32("two", words(31, (2, 32))),
    gf2_product("identity", np.eye(16, dtype=int), rng(32).integers(0, 2, (16, 16))),
    gf2_product("random", rng(33).integers(0, 2, (16, 16)), rng(34).integers(0, 2, (16, 16))),
    bit_positions("edges", u32(EDGES), 4),
    bit_positions("ragged", words(35, 19) >> (np.arange(19, dtype=np.uint32)), 16),
    bit_positions64("edges", u64(EDGES64), 4),
    bit_positions64("ragged", words(36, 13, np.uint64) << np.arange(0, 52, 4, dtype=np.uint64), 8),
    bit_width("edges", np.array([0, -1, 1, -2, 127, 128, -128, -129, 32767, -32768], np.int16), 4),
    bit_width("ragged", words(37, 21, np.int16), 32),
    each(
        "deposit",
        "extract_bits",
        "edges",
        [u32([M32, 0xF0F0, 5, M32]), u32([M32, 0xFF00, 0, 0x80000001])],
        [(chosen, np.uint32)],
        4,
    ),
    each("deposit", "extract_bits", "ragged", [words(38, 9), words(39, 9)], [(chosen, np.uint32)], 4),
    each(
        "deposit",
        "deposit_bits",
        "edges",
        [u32([M32, 0xF, 5, 3]), u32([M32, 0xFF00, 0, 0x80000001])],
        [(placed, np.uint32)],
        4,
    ),
    each("deposit", "deposit_bits", "ragged", [words(40, 9), words(41, 9)], [(placed, np.uint32)], 8),
    rgb565_to_888("edges", np.array([0, 0xFFFF, 0xF800, 0x07E0, 0x001F], np.uint16), 4),
    rgb565_to_888("ragged", words(42, 13, np.uint16), 8),
    rgb888_to_565("edges", np.array([[0] * 4, [255] * 4, [7, 3, 7, 0], [8, 4, 8, 255]], np.uint8), 4),
    rgb888_to_565("ragged", words(43, (17, 4), np.uint8), 8),
    signed_fields(
        "edges",
        u32([M32, 0x80, 0x80000000, 0x7FFFFFFF, 5]),
        np.array([[0, 32], [7, 1], [31, 1], [1, 31], [0, 3]], np.uint8),
        4,
    ),
    signed_fields("ragged", words(44, 9), np.array([[k, 9 + k] for k in range(9)], np.uint8), 4),
    rotate_all("13", 13, 5, 4),
    rotate_all("zero", 0, 3, 4),
    rotate_all("45", 45, 9, 8),
    funnel_shifts("edges", u32([1, M32, 0x80000000, 7, 9]), u32([0, 0, 1, M32, 5]), u32([0, 31, 32, 33, 64]), 4),
    funnel_shifts("ragged", words(45, 13), words(46, 13), words(47, 13) % u32([70]), 8),
    shift128("edges", u64([[1, 0], [M64, M64], [M64, 1], [1 << 63, 0], [5, 6]]), [0, 63, 64, 127, 128], 4),
    shift128("ragged", words(48, (7, 2), np.uint64), [1, 31, 32, 33, 65, 100, 200], 2),
    pack_flags("ragged", rng(49).integers(0, 2, 75).astype(np.bool_), 2),
    pack_flags("one", np.array([True]), 4),
    set_algebra("ragged", words(50, 9), words(51, 9), 8),
    set_algebra("edges", u32([0, M32, 0, M32]), u32([0, 0, M32, M32]), 4),
    list_members("ragged", u32([0x80000001, 0, 5, 0x00010000]), 6),
    list_members("empty", u32([0, 0]), 2),
    list_members("full", u32([M32]), 1),
    toggle("same bit", u32([0, 0]), [3, 3, 3, 40, 40, 63, 0], 8),
    toggle("ragged", words(52, 3), [0, 31, 32, 95, 64, 31, 31, 31, 1], 4),
    swar_bytes("edges", u32([0x00FF80FF, 0x7F7F7F7F, 0]), u32([0x0001807F, 0x01010101, M32]), 4),
    swar_bytes("ragged", words(53, 21), words(54, 21), 16),
    swar_find("text", b"a needle in hays", b"e", 4),
    swar_find("edges", b"\0\0\0\0\xff\0\0\xff\x7f\x80\x81\x00", b"\x80", 2),
    swar_find("zero", b"abc\0\x01\x00ab", b"\0", 2),
    absolute_differences("edges", np.array([[0, 255, 0, 255]], np.uint8), np.array([[255, 0, 0, 255]], np.uint8), 1),
    absolute_differences("ragged", words(55, (9, 4), np.uint8), words(56, (9, 4), np.uint8), 4),
]
