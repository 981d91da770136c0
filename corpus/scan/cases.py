"""Prefix sums and what is built from them, against NumPy and plain loops over prefixes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations, groupby, pairwise

import numpy as np

from corpus.case import Argument, Case
from corpus.inputs import characters, i32, rng, small, u32, words, zeros
from corpus.inputs import launch as launch_file

M32 = (1 << 32) - 1
LOW, HIGH = -(2**31), 2**31 - 1


def launch(
    file: str,
    kernel: str,
    label: str,
    grid: int,
    block: int,
    arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray],
    shared: int = 0,
) -> Case:
    return launch_file(f"scan/{file}.cu", kernel, label, grid, block, arguments, expected, shared)


def filled(values: Sequence[int] | np.ndarray, length: int, dtype: type[np.generic]) -> np.ndarray:
    """An output of a length of which only the front is written."""
    return np.pad(np.array(values, dtype), (0, length - len(values)))


def scan_in_place(label: str, values: np.ndarray, block: int) -> Case:
    expected = np.cumsum(values, dtype=np.uint32)
    return launch("naive", "scan_in_place", label, 1, block, (values, len(values)), {0: expected}, 4 * block)


def scan_two_buffers(label: str, values: np.ndarray, block: int) -> Case:
    n = len(values)
    expected = i32([values[:k].sum() for k in range(n)])
    return launch("naive", "scan_two_buffers", label, 1, block, (values, n, zeros(n, np.int32)), {2: expected}, 8 * n)


def scan_blelloch(label: str, values: np.ndarray, block: int) -> Case:
    n = len(values)
    expected = {2: i32([values[:k].sum() for k in range(n)]), 3: i32([values.sum()])}
    arguments = (values, n, zeros(n, np.int32), zeros(1, np.int32))
    return launch("blelloch", "scan_blelloch", label, 1, block, arguments, expected, 8 * block)


def scan_padded(label: str, values: np.ndarray) -> Case:
    n = len(values)
    expected = np.cumsum(values) - values
    return launch("blelloch", "scan_padded", label, 1, n // 2, (values, zeros(n, np.int64)), {1: expected}, 9 * n)


def three_scans(label: str, values: np.ndarray) -> Case:
    rows = [values[k : k + 32].tolist() for k in range(0, len(values), 32)]
    sums = [sum(row[: k + 1]) for row in rows for k in range(len(row))]
    maxima = [max(row[: k + 1]) for row in rows for k in range(len(row))]
    last = [next((v for v in row[k::-1] if v), 0) for row in rows for k in range(len(row))]
    n = len(values)
    arguments = (values, n, *(zeros(n, np.int32) for _ in range(3)))
    return launch("operators", "three_scans", label, len(rows), 32, arguments,
                  {2: i32(sums), 3: i32(maxima), 4: i32(last)})  # fmt: skip


def scan_parts(label: str, values: np.ndarray, block: int) -> Case:
    parts = [np.cumsum(values[k : k + block], dtype=np.uint32) for k in range(0, len(values), block)]
    expected = {2: np.concatenate(parts), 3: u32([p[-1] for p in parts])}
    arguments = (values, len(values), np.zeros_like(values), zeros(len(parts)))
    return launch("blocks", "scan_parts", label, len(parts), block, arguments, expected, 4 * block)


def add_offsets(label: str, values: np.ndarray, block: int) -> Case:
    parts = [np.cumsum(values[k : k + block], dtype=np.uint32) for k in range(0, len(values), block)]
    sums = np.cumsum([p[-1] for p in parts], dtype=np.uint32)
    expected = np.cumsum(values, dtype=np.uint32)
    arguments = (np.concatenate(parts), len(values), sums)
    return launch("blocks", "add_offsets", label, len(parts), block, arguments, {0: expected})


def scan_long(kernel: str, label: str, values: np.ndarray, block: int) -> Case:
    grid = 1 if kernel == "scan_tiles" else -(-len(values) // block)
    expected = np.cumsum(values, dtype=np.uint32)
    arguments = (values, len(values), np.zeros_like(values))
    return launch("blocks", kernel, label, grid, block, arguments, {2: expected}, 4 * block)


def scan_raked(label: str, values: np.ndarray, block: int) -> Case:
    expected = np.cumsum(values.reshape(-1, 4 * block), axis=1, dtype=np.uint32).ravel()
    grid = len(values) // (4 * block)
    arguments = (values, np.zeros_like(values))
    return launch("blocks", "scan_raked", label, grid, block, arguments, {1: expected}, 4 * block)


def segmented_sums(label: str, values: np.ndarray, heads: Sequence[int], block: int) -> Case:
    cuts = [0, *heads, len(values)]
    expected = np.concatenate([np.cumsum(values[a:b]) for a, b in pairwise(cuts)]).astype(np.int32)
    flags = np.isin(np.arange(len(values)), heads).astype(np.uint8)
    arguments = (values, flags, len(values), np.zeros_like(values))
    return launch("segmented", "segmented_sums", label, 1, block, arguments, {3: expected})


def rank_in_segment(label: str, keys: np.ndarray, block: int) -> Case:
    expected = i32([k for _, group in groupby(keys.tolist()) for k, _ in enumerate(group)])
    arguments = (keys, len(keys), np.zeros_like(expected))
    return launch("segmented", "rank_in_segment", label, 1, block, arguments, {2: expected}, 4 * block)


def trapped_water(label: str, height: Sequence[int] | np.ndarray, block: int) -> Case:
    h = i32(height).tolist()
    depth = i32([min(max(h[: k + 1]), max(h[k:])) - h[k] for k in range(len(h))])
    arguments = (i32(h), len(h), np.zeros_like(depth), zeros(1, np.int32))
    return launch("water", "trapped_water", label, 1, block, arguments, {2: depth, 3: i32([depth.sum()])}, 8 * block)


def best_profit(label: str, prices: Sequence[int] | np.ndarray, block: int) -> Case:
    p = i32(prices).tolist()
    expected = i32([max((b - a for a, b in combinations(p, 2)), default=0)]).clip(0)
    arguments = (i32(p), len(p), zeros(1, np.int32))
    return launch("water", "best_profit", label, 1, block, arguments, {2: expected}, 4 * block)


def sea_view(label: str, height: Sequence[int], block: int) -> Case:
    expected = np.array([all(h > o for o in height[k + 1 :]) for k, h in enumerate(height)])
    arguments = (np.array(height, np.uint16), len(height), np.zeros_like(expected))
    return launch("water", "sea_view", label, 1, block, arguments, {2: expected}, 4 * block)


def keep_positive(label: str, values: np.ndarray, block: int) -> Case:
    kept = values[values > 0]
    n = len(values)
    arguments = (values, n, zeros(n, np.int32), zeros(1, np.int32))
    expected = {2: filled(kept, n, np.int32), 3: i32([len(kept)])}
    return launch("compaction", "keep_positive", label, 1, block, arguments, expected, 4 * block)


def partition_by(label: str, values: np.ndarray, pivot: int, block: int) -> Case:
    less = values < pivot
    expected = {3: np.concatenate([values[less], values[~less]]), 4: i32([less.sum()])}
    arguments = (values, len(values), pivot, np.zeros_like(values), zeros(1, np.int32))
    return launch("compaction", "partition_by", label, 1, block, arguments, expected, 4 * block)


def unique(label: str, text: bytes, block: int) -> Case:
    kept = [key for key, _ in groupby(text)]
    n = len(text)
    arguments = (characters(text, np.uint8), n, zeros(n, np.uint8), zeros(1, np.int32))
    expected = {2: filled(kept, n, np.uint8), 3: i32([len(kept)])}
    return launch("compaction", "unique", label, 1, block, arguments, expected, 4 * block)


def expand(label: str, counts: Sequence[int] | np.ndarray, block: int) -> Case:
    c = np.array(counts, np.uint8)
    values = words(len(c), len(c), np.int32)
    expected = np.repeat(values, c)
    capacity = max(1, len(expected))
    arguments = (c, values, len(c), zeros(capacity, np.int32), zeros(1, np.int32))
    outputs = {3: filled(expected, capacity, np.int32), 4: i32([len(expected)])}
    return launch("compaction", "expand", label, 1, block, arguments, outputs, 4 * block)


def radix_sort(label: str, keys: np.ndarray, bits: int, block: int) -> Case:
    order = np.argsort(keys & np.uint32((1 << bits) - 1), kind="stable").astype(np.uint16)
    arguments = (keys, np.arange(len(keys), dtype=np.uint16), len(keys), bits)
    return launch("radix", "radix_sort", label, 1, block, arguments, {0: keys[order], 1: order})


def range_xor(label: str, values: np.ndarray, ranges: Sequence[tuple[int, int]], block: int) -> Case:
    expected = u32([np.bitwise_xor.reduce(values[a : b + 1]) for a, b in ranges])
    arguments = (values, len(values), i32(ranges), len(ranges), np.zeros_like(expected))
    return launch("xor", "range_xor", label, 1, block, arguments, {4: expected}, 4 * len(values) + 4)


def count_subarrays(label: str, values: np.ndarray, wanted: int, block: int) -> Case:
    n = len(values)
    found = sum(np.bitwise_xor.reduce(values[a:b]) == wanted for a, b in combinations(range(n + 1), 2))
    return launch("xor", "count_subarrays", label, 1, block, (values, n, wanted, zeros(1, np.int32)), {3: i32([found])})


def gray_to_binary(label: str, number: int, limbs: int, block: int) -> Case:
    gray = number ^ number >> 1
    gray, binary = (u32([x >> 32 * k & M32 for k in range(limbs)]) for x in (gray, number))
    return launch("xor", "gray_to_binary", label, 1, block, (gray, limbs, zeros(limbs)), {2: binary})


def levels(text: str) -> list[int]:
    """Depth of every character; the two of a pair have the same."""
    return [text[: k + 1].count("(") - text[:k].count(")") for k in range(len(text))]


def balanced(text: str) -> bool:
    rest = re.sub("[^()]", "", text)
    while "()" in rest:
        rest = rest.replace("()", "")
    return not rest


def depths(label: str, text: str, block: int) -> Case:
    depth = np.array(levels(text), np.int8)
    arguments = (characters(text.encode()), len(text), np.zeros_like(depth), zeros(1, np.int32))
    expected = {2: depth, 3: i32([balanced(text)])}
    return launch("parentheses", "depths", label, 1, block, arguments, expected, 4 * block)


def partners(label: str, text: str, block: int) -> Case:
    expected, open_at = np.full(len(text), -1, np.int16), []
    for k, c in enumerate(text):
        if c == "(":
            open_at.append(k)
        elif c == ")":
            expected[k] = open_at.pop()
            expected[expected[k]] = k
    arguments = (characters(text.encode()), len(text), np.array(levels(text), np.int8), np.zeros_like(expected))
    grid = -(-len(text) // block)
    return launch("parentheses", "partners", label, grid, block, arguments, {3: expected})


def unmatched(label: str, text: str, block: int) -> Case:
    rest = re.sub("[^()]", "", text)
    while "()" in rest:
        rest = rest.replace("()", "")
    arguments = (characters(text.encode()), len(text), zeros(1, np.int32), zeros(1, np.int32))
    expected = {2: i32([rest.count(")")]), 3: i32([rest.count("(")])}
    return launch("parentheses", "unmatched", label, 1, block, arguments, expected)


def find_runs(label: str, text: bytes, block: int) -> Case:
    runs = [(key, len(list(group))) for key, group in groupby(text)]
    values, lengths = zip(*runs, strict=True)
    starts = [sum(lengths[:k]) for k in range(len(runs))]
    n = len(text)
    expected = {
        2: filled(values, n, np.uint8),
        3: filled(starts, n, np.int16),
        4: filled(lengths, n, np.int16),
        5: i32([len(runs)]),
    }
    arguments = (characters(text, np.uint8), n, *(np.zeros_like(e) for e in expected.values()))
    return launch("runs", "find_runs", label, 1, block, arguments, expected, 4 * block)


def line_and_column(label: str, text: bytes, block: int) -> Case:
    lines = text.splitlines(keepends=True)
    expected = np.array([(a + 1, b + 1) for a, line in enumerate(lines) for b in range(len(line))], np.int16)
    arguments = (characters(text), len(text), np.zeros_like(expected))
    return launch("runs", "line_and_column", label, 1, block, arguments, {2: expected}, 8 * block)


def linear_recurrence(label: str, steps: np.ndarray, start: int, block: int) -> Case:
    expected = u32(list(accumulate(steps.tolist(), lambda x, ab: (ab[0] * x + ab[1]) & M32, initial=start))[1:])
    arguments = (steps, len(steps), start, np.zeros_like(expected))
    return launch("recurrence", "linear_recurrence", label, 1, block, arguments, {3: expected}, 8 * block)


def automaton(label: str, text: bytes, table: Sequence[Sequence[int]], block: int) -> Case:
    """``table``: for each letter, the states after the states 0 to 3."""
    states = list(accumulate(text, lambda state, letter: table[letter][state], initial=0))[1:]
    maps = np.array([sum(s << 2 * k for k, s in enumerate(row)) for row in table], np.uint8)
    arguments = (characters(text, np.uint8), len(text), maps, zeros(len(text), np.uint8))
    return launch("recurrence", "automaton", label, 1, block, arguments, {3: np.array(states, np.uint8)})


def carry_lookahead(label: str, a: int, b: int, limbs: int, block: int) -> Case:
    x, y, total = (u32([v >> 32 * k & M32 for k in range(limbs)]) for v in (a, b, a + b))
    arguments = (x, y, limbs, zeros(limbs), zeros(1, np.int32))
    expected = {3: total, 4: i32([(a + b) >> 32 * limbs])}
    return launch("recurrence", "carry_lookahead", label, 1, block, arguments, expected)


def deltas_of(values: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray]:
    """(first of each block, zigzag codes of the differences inside blocks)."""
    steps = np.diff(values.astype(np.int64), prepend=values[:1])
    codes = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    codes[::block] = 0
    return values[::block].copy(), codes.astype(np.uint32)


def delta_encode(label: str, values: np.ndarray, block: int) -> Case:
    first, codes = deltas_of(values, block)
    width = u32([max(c.bit_length() for c in codes[k : k + block].tolist()) for k in range(0, len(values), block)])
    arguments = (values, len(values), np.zeros_like(first), np.zeros_like(codes), np.zeros_like(width))
    return launch("delta", "delta_encode", label, len(first), block, arguments, {2: first, 3: codes, 4: width})


def delta_decode(label: str, values: np.ndarray, block: int) -> Case:
    first, codes = deltas_of(values, block)
    arguments = (first, codes, len(values), np.zeros_like(values))
    return launch("delta", "delta_decode", label, len(first), block, arguments, {3: values}, 4 * block)


def summed_area(label: str, image: np.ndarray, block: int) -> Case:
    height, width = image.shape
    expected = image.cumsum(axis=0).cumsum(axis=1).astype(np.uint32)
    arguments = (image, width, height, np.zeros_like(expected))
    return launch("table", "summed_area", label, 1, block, arguments, {3: expected})


def rectangle_sums(label: str, image: np.ndarray, rectangles: Sequence[Sequence[int]], block: int) -> Case:
    table = image.cumsum(axis=0).cumsum(axis=1).astype(np.uint32)
    expected = u32([image[y0:y1, x0:x1].sum() for x0, y0, x1, y1 in rectangles])
    n = len(rectangles)
    arguments = (table, image.shape[1], np.array(rectangles, np.uint8), n, zeros(n))
    return launch("table", "rectangle_sums", label, -(-n // block), block, arguments, {4: expected})


def walk(seed: int, n: int, step: int) -> np.ndarray:
    return np.cumsum(small(seed, n, -step, step + 1)).astype(np.int32)


NESTED = "(a(b)(c(d)))((e))"
DEEP = "(" * 20 + ")" * 20
POEM = b"one\n\nthree is\nlonger\n\n\nseven"
RUNS = b"aaabccccccddaaaab"
HILLS = [0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]
IMAGE = words(50, (9, 13), np.uint8)
#: Letters: other, quote, escape. States: outside, inside, inside after an escape, and one that is never reached.
QUOTES = [[0, 1, 1, 3], [1, 0, 1, 3], [0, 2, 1, 3]]
DIVISIBLE_BY_THREE = [[0, 2, 1, 3], [1, 0, 2, 3]]
BIG = (1 << 320) - 1

CASES: list[Case] = [
    scan_in_place("ragged", words(1, 50), 64),
    scan_in_place("whole", u32([1] * 32), 32),
    scan_in_place("one", u32([9]), 4),
    scan_two_buffers("ragged", small(2, 45), 64),
    scan_two_buffers("whole", small(3, 64, -(10**6), 10**6), 64),
    scan_two_buffers("one", i32([5]), 1),
    scan_blelloch("ragged", small(4, 51), 32),
    scan_blelloch("whole", small(5, 128), 64),
    scan_blelloch("two", i32([HIGH, LOW]), 1),
    scan_padded("random", words(6, 64, np.int64) >> 8),
    scan_padded("ones", np.ones(32, np.int64)),
    scan_padded("carries", np.full(16, M32, np.int64)),
    three_scans("ragged", small(7, 50, -9, 9)),
    three_scans("zeros between", small(8, 32, -3, 30).clip(0) * (rng(8).integers(0, 4, 32) == 0).astype(np.int32)),
    three_scans("three", i32([0, 5, 0])),
    scan_parts("ragged", words(9, 75), 32),
    scan_parts("small blocks", words(10, 32), 8),
    add_offsets("ragged", words(11, 75), 32),
    add_offsets("one block", words(12, 20), 32),
    scan_long("scan_tiles", "ragged", words(13, 75), 32),
    scan_long("scan_tiles", "many tiles", words(14, 40), 4),
    scan_long("scan_last_block", "ragged", words(15, 75), 32),
    scan_long("scan_last_block", "one block", words(16, 10), 16),
    scan_long("scan_last_block", "many blocks", words(17, 50), 4),
    scan_raked("one block", words(18, 128), 32),
    scan_raked("three blocks", words(19, 96), 8),
    segmented_sums("mixed", small(20, 50), [1, 5, 6, 20, 44], 64),
    segmented_sums("no heads", small(21, 32), [], 32),
    segmented_sums("all heads", small(22, 9), [1, 2, 3, 4, 5, 6, 7, 8], 16),
    rank_in_segment("runs", np.repeat(i32([5, 5, -2, 0, 7, 0]), [3, 4, 1, 9, 2, 13]), 32),
    rank_in_segment("distinct", i32(range(10)), 16),
    rank_in_segment("one key", i32([LOW] * 45), 64),
    trapped_water("classic", HILLS, 16),
    trapped_water("random", small(23, 50, 0, 40), 64),
    trapped_water("slope", list(range(9, 0, -1)), 16),
    best_profit("classic", [7, 1, 5, 3, 6, 4], 8),
    best_profit("falling", [9, 7, 4, 3, 1], 8),
    best_profit("random", small(24, 60, 0, 1000), 64),
    sea_view("classic", [4, 2, 3, 1, 65535, 0, 7, 7], 8),
    sea_view("random", small(25, 40, 0, 60000).tolist(), 64),
    keep_positive("ragged", small(26, 75), 32),
    keep_positive("none", small(27, 20, -9, 1), 16),
    keep_positive("all", small(28, 32, 1, 9), 32),
    partition_by("ragged", small(29, 45), 3, 64),
    partition_by("all smaller", small(30, 16), 50, 16),
    partition_by("edges", i32([LOW, HIGH, LOW, HIGH, 0]), LOW + 1, 8),
    unique("runs", RUNS, 32),
    unique("one value", b"\0" * 30, 32),
    unique("distinct", b"unique\xff", 8),
    expand("mixed", small(31, 21, 0, 6), 32),
    expand("sparse", [0, 0, 7, 0, 0, 0, 1, 0], 8),
    expand("nothing", [0, 0, 0], 4),
    radix_sort("8 bits", words(32, 50) & np.uint32(255), 8, 64),
    radix_sort("low bits", words(33, 32), 4, 32),
    radix_sort("top values", u32([M32, 0, 1 << 31, M32, 7]), 32, 8),
    range_xor("random", words(34, 40), [(0, 39), (5, 5), (7, 31), (38, 39), (0, 0)], 64),
    range_xor("one", words(35, 1), [(0, 0)] * 6, 4),
    count_subarrays("random", words(36, 30, np.uint8) & np.uint8(7), 5, 32),
    count_subarrays("zero", np.zeros(12, np.uint8), 0, 16),
    count_subarrays("absent", np.full(20, 0x10, np.uint8), 0xFF, 32),
    gray_to_binary("one word", 0xDEADBEEF, 1, 4),
    gray_to_binary("wide", int.from_bytes(words(37, 11).tobytes(), "little"), 11, 16),
    gray_to_binary("alternating", 0x55555555AAAAAAAA << 64 | 1, 4, 4),
    depths("nested", NESTED, 32),
    depths("deep", DEEP, 64),
    depths("closed too early", "())(()", 8),
    depths("left open", "(()" + NESTED, 32),
    partners("nested", NESTED, 8),
    partners("deep", DEEP, 16),
    partners("none", "abc", 4),
    unmatched("nested", NESTED, 32),
    unmatched("mixed", "))(()(()))((()" + "(" * 9 + ")" * 12, 64),
    unmatched("reversed", DEEP[::-1], 64),
    find_runs("mixed", RUNS, 32),
    find_runs("one run", b"z" * 33, 64),
    find_runs("distinct", b"\0\xff\0\x7f", 4),
    line_and_column("poem", POEM, 32),
    line_and_column("empty lines", b"\n\n\n", 4),
    line_and_column("one line", b"no line break at all in these words", 64),
    linear_recurrence("generator", np.tile(u32([[1664525, 1013904223]]), (40, 1)), 42, 64),
    linear_recurrence("random", words(38, (21, 2)), 0xFFFFFFFF, 32),
    linear_recurrence("powers", np.tile(u32([[3, 0]]), (16, 1)), 1, 16),
    automaton("quoted", rng(39).integers(0, 3, 40, np.uint8).tobytes(), QUOTES, 64),
    automaton("divisible by three", bytes(int(c) for c in f"{123456789:b}"), DIVISIBLE_BY_THREE, 32),
    automaton("random", words(40, 32, np.uint8).tobytes(), rng(40).integers(0, 4, (256, 4)).tolist(), 32),
    carry_lookahead("ripples through", BIG, 1, 10, 16),
    carry_lookahead("random", int.from_bytes(words(41, 33).tobytes(), "little"), BIG, 33, 64),
    carry_lookahead("no carry", 1 << 40, 1 << 41, 3, 4),
    carry_lookahead("makes and passes", (M32 << 32) | 1 << 31, 1 << 31, 2, 2),
    delta_encode("walk", walk(42, 75, 100), 32),
    delta_encode("wide steps", i32([1 << 30, 0, 1 << 30, -5, 7, 7]), 4),
    delta_decode("walk", walk(43, 75, 100), 32),
    delta_decode("negative", walk(44, 20, 3) - np.int32(10**9), 8),
    delta_decode("one", i32([LOW]), 4),
    summed_area("13 x 9", IMAGE, 16),
    summed_area("white", np.full((5, 6), 255, np.uint8), 4),
    rectangle_sums("random", IMAGE, [(0, 0, 13, 9), (3, 2, 7, 8), (12, 8, 13, 9), (4, 4, 4, 9), (0, 5, 6, 6)], 4),
    rectangle_sums("column", IMAGE, [(6, 0, 7, 9)], 1),
]
