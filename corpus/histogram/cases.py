"""Histograms and what is built from them, against NumPy and collections.Counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from corpus.case import Argument, Case
from corpus.inputs import characters, i32, rng, small, u32, words, zeros
from corpus.inputs import launch as launch_file

LOW, HIGH = -(2**31), 2**31 - 1
M32 = (1 << 32) - 1


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
    return launch_file(f"histogram/{file}.cu", kernel, label, grid, block, arguments, expected, shared)


def blocks(n: int, block: int) -> int:
    return -(-n // block)


def counts(values: np.ndarray, bins: int, dtype: type[np.generic] = np.int32) -> np.ndarray:
    return np.bincount(values[values < bins], minlength=bins).astype(dtype)


def levels(seed: int, n: int, below: int) -> np.ndarray:
    """Random bytes below a limit."""
    return rng(seed).integers(0, below, n, np.uint8)


def basic(kernel: str, label: str, values: np.ndarray, bins: int, grid: int, block: int) -> Case:
    arguments = (values, len(values), zeros(bins), bins)
    shared = {"histogram_shared": 4 * bins, "histogram_per_warp": 4 * bins * blocks(block, 32)}.get(kernel, 0)
    return launch("basic", kernel, label, grid, block, arguments, {2: counts(values, bins, np.uint32)}, shared)


def alphabet(text: str, letters: int = 26) -> np.ndarray:
    return i32([text.lower().count(chr(97 + k)) for k in range(letters)])


def letter_frequencies(label: str, text: str, grid: int, block: int) -> Case:
    arguments = (characters(text.encode()), len(text), zeros(26, np.int32))
    return launch("letters", "letter_frequencies", label, grid, block, arguments, {2: alphabet(text)})


def kinds_of_characters(label: str, text: str, block: int) -> Case:
    vowels, letters = sum(c in "aeiouAEIOU" for c in text), sum(c.isalpha() for c in text)
    digits, blanks = sum(c.isdigit() for c in text), sum(c.isspace() for c in text)
    kinds = i32([vowels, letters - vowels, digits, blanks, len(text) - letters - digits - blanks])
    arguments = (characters(text.encode()), len(text), zeros(5, np.int32))
    return launch("letters", "kinds_of_characters", label, blocks(len(text), block), block, arguments, {2: kinds})


def bigrams(label: str, text: str, letters: int, block: int) -> Case:
    pairs = Counter(zip(text.lower(), text.lower()[1:], strict=False))
    names = [chr(97 + k) for k in range(letters)]
    expected = np.array([[pairs[a, b] for b in names] for a in names], np.uint16)
    arguments = (characters(text.encode()), len(text), letters, np.zeros_like(expected))
    return launch("letters", "bigrams", label, 1, block, arguments, {3: expected}, 4 * letters**2)


def anagrams(label: str, pairs: Sequence[tuple[str, str]], block: int) -> Case:
    text = "".join(a + b for a, b in pairs)
    rows, at = [], 0
    for a, b in pairs:
        rows.append([at, at + len(a), at + len(a), at + len(a) + len(b)])
        at = rows[-1][-1]
    same = [sorted(filter(str.isalpha, a.lower())) == sorted(filter(str.isalpha, b.lower())) for a, b in pairs]
    arguments = (characters(text.encode()), i32(rows), zeros(len(pairs), np.bool_))
    return launch("letters", "anagrams", label, len(pairs), block, arguments, {2: np.array(same)})


def density(label: str, points: np.ndarray, width: int, height: int, shift: int, block: int) -> Case:
    size = 1 << shift
    x, y = points.T
    expected, *_ = np.histogram2d(
        y, x, (np.arange(0, height + 2 * size - 1, size)[: blocks(height, size) + 1],
               np.arange(0, width + 2 * size - 1, size)[: blocks(width, size) + 1]),
        weights=((x < width) & (y < height)).astype(int),
    )  # fmt: skip
    arguments = (points, len(points), width, height, shift, zeros(expected.shape, np.int32))
    grid = blocks(len(points), block)
    return launch("two_dimensions", "density", label, grid, block, arguments, {5: expected.astype(np.int32)})


def confusion(label: str, truth: np.ndarray, guess: np.ndarray, classes: int, grid: int, block: int) -> Case:
    pairs = Counter(zip(truth.tolist(), guess.tolist(), strict=True))
    table = i32([[pairs[a, b] for b in range(classes)] for a in range(classes)])
    arguments = (truth, guess, len(truth), classes, np.zeros_like(table), zeros(1, np.int32))
    expected = {4: table, 5: i32([np.trace(table)])}
    return launch("two_dimensions", "confusion", label, grid, block, arguments, expected)


def equalise(label: str, pixels: np.ndarray, block: int) -> Case:
    running = [int((pixels <= p).sum()) for p in pixels]
    lowest, n = min(running), len(pixels)
    if lowest < n:
        scaled = [Fraction(31 * (r - lowest), n - lowest) for r in running]
        expected = np.array([int(s + Fraction((n - lowest) // 2, n - lowest)) for s in scaled], np.uint8)
    else:
        expected = pixels
    return launch("equalise", "equalise", label, 1, block, (pixels, n), {0: expected})


def otsu(label: str, pixels: np.ndarray) -> Case:
    def score(level: int) -> int:
        low, high = pixels[pixels <= level].tolist(), pixels[pixels > level].tolist()
        between = Fraction(sum(low), len(low)) - Fraction(sum(high), len(high))
        return int(between**2 * len(low) * len(high))

    candidates = [k for k in range(32) if (pixels <= k).any() and (pixels > k).any()]
    expected = i32([max(candidates, key=score, default=-1)])
    return launch("equalise", "otsu", label, 1, 32, (pixels, len(pixels), zeros(1, np.int32)), {2: expected})


def histogram_edges(label: str, values: np.ndarray, edges: Sequence[int], block: int) -> Case:
    expected = counts(np.searchsorted(edges, values, side="right"), len(edges) + 1)
    arguments = (values, len(values), i32(edges), len(edges), np.zeros_like(expected))
    grid = blocks(len(values), block)
    return launch("edges", "histogram_edges", label, grid, block, arguments, {4: expected}, 4 * len(edges))


def histogram_range(label: str, values: np.ndarray, low: int, high: int, bins: int, block: int) -> Case:
    clamped = [min(max(v, low), high - 1) - low for v in values.tolist()]
    expected = counts(i32([v * bins // (high - low) for v in clamped]), bins)
    arguments = (values, len(values), low, high, np.zeros_like(expected), bins)
    return launch("edges", "histogram_range", label, blocks(len(values), block), block, arguments, {4: expected})


def histogram_log2(label: str, values: np.ndarray, block: int) -> Case:
    expected = counts(i32([v.bit_length() for v in values.tolist()]), 33, np.uint32)
    arguments = (values, len(values), np.zeros_like(expected))
    return launch("edges", "histogram_log2", label, blocks(len(values), block), block, arguments, {2: expected})


def bit_counts(label: str, values: np.ndarray, grid: int) -> Case:
    bits = np.unpackbits(values.view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
    expected = bits.sum(axis=0).astype(np.int32)
    return launch("edges", "bit_counts", label, grid, 32, (values, len(values), np.zeros_like(expected)), {2: expected})


def frequencies(label: str, values: np.ndarray, block: int) -> Case:
    table = Counter(values.tolist())
    once = sum(c == 1 for c in table.values())
    expected = {2: i32([table[v] for v in values.tolist()]), 3: i32([len(table)]), 4: i32([once])}
    arguments = (values, len(values), *(np.zeros_like(e) for e in expected.values()))
    return launch("sparse", "frequencies", label, 1, block, arguments, expected)


def two_sum_pairs(label: str, values: np.ndarray, wanted: int, block: int) -> Case:
    pairs = sum((a + b) % (1 << 32) == wanted for a, b in combinations(values.tolist(), 2))
    arguments = (values, len(values), wanted, zeros(1, np.int32))
    return launch("sparse", "two_sum_pairs", label, 1, block, arguments, {3: i32([pairs])})


def radix_select(label: str, values: np.ndarray, rank: int, block: int) -> Case:
    arguments = (values, len(values), rank, zeros(1))
    return launch("select", "radix_select", label, 1, block, arguments, {3: np.sort(values)[rank : rank + 1]})


def top_k(label: str, values: np.ndarray, k: int, block: int) -> Case:
    expected = np.sort(values)[::-1][:k]
    arguments = (values, len(values), k, np.zeros_like(expected))
    return launch("select", "top_k", label, 1, block, arguments, {3: expected})


def mode_and_median(label: str, values: np.ndarray, block: int) -> Case:
    expected = {2: i32([counts(values, 16).argmax()]), 3: i32([np.sort(values)[(len(values) - 1) // 2]])}
    arguments = (values, len(values), zeros(1, np.int32), zeros(1, np.int32))
    return launch("select", "mode_and_median", label, 1, block, arguments, expected)


def majority(label: str, values: np.ndarray, block: int) -> Case:
    value, count = Counter(values.tolist()).most_common(1)[0]
    exists = 2 * count > len(values)
    expected = {2: np.array([exists]), 3: i32([value * exists])}
    arguments = (values, len(values), zeros(1, np.bool_), zeros(1, np.int32))
    return launch("majority", "majority", label, 1, block, arguments, expected)


def majority_bits(label: str, values: np.ndarray) -> Case:
    """The values have a majority."""
    expected = u32([Counter(values.tolist()).most_common(1)[0][0]])
    return launch("majority", "majority_bits", label, 1, 32, (values, len(values), zeros(1)), {2: expected})


def group_by(label: str, keys: np.ndarray, values: np.ndarray, groups: int, block: int) -> Case:
    members = [values[keys == g].tolist() for g in range(groups)]
    rows = [[len(m), sum(m), min(m, default=HIGH), max(m, default=LOW)] for m in members]
    expected = {4: i32(rows), 5: i32([int(sum(m) / len(m)) if m else 0 for m in members])}
    arguments = (keys, values, len(keys), groups, *(np.zeros_like(e) for e in expected.values()))
    return launch("groups", "group_by", label, 1, block, arguments, expected, 16 * groups)


def weighted(label: str, keys: np.ndarray, weights: np.ndarray, groups: int, block: int) -> Case:
    totals = [sum(w * w for w in weights[keys == g].tolist()) % (1 << 64) for g in range(groups)]
    expected = np.array(totals, np.uint64)
    arguments = (keys, weights, len(keys), np.zeros_like(expected))
    return launch("groups", "weighted", label, blocks(len(keys), block), block, arguments, {3: expected})


def baskets(label: str, purchases: np.ndarray, customers: int, block: int) -> Case:
    sets = [{item for buyer, item in purchases.tolist() if buyer == c} for c in range(customers)]
    expected = {2: u32([sum(1 << item for item in s) for s in sets]), 4: i32([len(s) for s in sets])}
    arguments = (purchases, len(purchases), zeros(customers), customers, zeros(customers, np.int32))
    return launch("groups", "baskets", label, 1, block, arguments, expected)


def histogram_saturating(label: str, values: np.ndarray, amounts: np.ndarray, bins: int, block: int) -> Case:
    sums = [min(int(amounts[values == b].sum()), 255) for b in range(bins)]
    expected = np.array(sums, np.uint8).view(np.uint32)
    arguments = (values, amounts, len(values), np.zeros_like(expected))
    grid = blocks(len(values), block)
    return launch("saturating", "histogram_saturating", label, grid, block, arguments, {3: expected})


def histogram_packed(label: str, values: np.ndarray, half: int, block: int) -> Case:
    expected = counts(values % np.uint8(2 * half), 2 * half)
    arguments = (values, len(values), half, np.zeros_like(expected))
    return launch("saturating", "histogram_packed", label, 1, block, arguments, {3: expected}, 4 * half)


def odometers(label: str, values: np.ndarray, limits: Sequence[int], block: int) -> Case:
    turns = counts(values, len(limits), np.int64)
    up = [int(c) % (limit + 1) for c, limit in zip(turns, limits, strict=True)]
    down = [int(-c) % (limit + 1) for c, limit in zip(turns, limits, strict=True)]
    arguments = (values, len(values), u32(limits), zeros(len(limits)), zeros(len(limits)))
    grid = blocks(len(values), block)
    return launch("saturating", "odometers", label, grid, block, arguments, {3: u32(up), 4: u32(down)})


def counting_sort(label: str, values: np.ndarray, bound: int, block: int) -> Case:
    arguments = (values, len(values), bound)
    return launch("counting_sort", "counting_sort", label, 1, block, arguments, {0: np.sort(values)}, 4 * bound)


def stable_buckets(label: str, keys: np.ndarray) -> Case:
    records = words(len(keys), len(keys), np.int32)
    expected = records[np.argsort(keys, kind="stable")]
    arguments = (keys, records, len(keys), np.zeros_like(records))
    return launch("counting_sort", "stable_buckets", label, 1, 32, arguments, {3: expected})


def smaller_than_current(label: str, values: np.ndarray, block: int) -> Case:
    expected = np.array([sum(o < v for o in values.tolist()) for v in values.tolist()], np.uint16)
    arguments = (values, len(values), np.zeros_like(expected))
    return launch("counting_sort", "smaller_than_current", label, 1, block, arguments, {2: expected})


TEXT = "The quick brown fox jumps over the lazy dog; 13 wizards QUICKLY vexed 42 jumping zebras!\n"
WORDS = "Abracadabra, a cabbage faded; a bad cab!"
PAIRS = [
    ("listen", "silent"),
    ("apple", "papel"),
    ("apple", "appla"),
    ("", ""),
    ("Dormitory", "dirty room"),
    ("ab", "abb"),
]
POINTS = np.stack([small(1, 60, -3, 23), small(2, 60, -2, 14)], axis=1).astype(np.int16)
EDGES = [-20, -5, -4, 0, 10, 30]
DARK = np.concatenate([levels(3, 50, 8), levels(4, 25, 32)])
SEVENS = rng(5).permutation(np.concatenate([np.full(40, -7, np.int32), small(6, 35)]))

CASES: list[Case] = [
    basic("histogram_global", "ragged", levels(10, 75, 9), 8, 3, 32),
    basic("histogram_global", "one bin", np.zeros(40, np.uint8), 1, 2, 32),
    basic("histogram_global", "bytes", words(11, 60, np.uint8), 256, 4, 16),
    basic("histogram_shared", "ragged", levels(12, 100, 20), 16, 2, 32),
    basic("histogram_shared", "more bins than threads", levels(13, 30, 70), 64, 1, 16),
    basic("histogram_shared", "one value", np.full(50, 3, np.uint8), 5, 3, 8),
    basic("histogram_per_warp", "three warps", levels(14, 120, 10), 10, 1, 96),
    basic("histogram_per_warp", "part of a warp", levels(15, 30, 6), 7, 1, 40),
    basic("histogram_by_bin", "ragged", levels(16, 40, 12), 10, 2, 8),
    basic("histogram_by_bin", "one element", levels(17, 1, 4), 4, 1, 4),
    letter_frequencies("pangram", TEXT, 2, 32),
    letter_frequencies("no letters", "0123 @[`{ !?", 1, 32),
    kinds_of_characters("pangram", TEXT, 32),
    kinds_of_characters("edges", "/0129:@AZ[`az{\t \n~", 8),
    bigrams("words", WORDS, 7, 16),
    bigrams("repeated", "aaaaaBBBBbaz", 3, 8),
    bigrams("one letter", "a", 2, 4),
    anagrams("pairs", PAIRS, 8),
    anagrams("long", [("conversation" * 3, "voices rant on" * 3)], 32),
    density("cells of 4", POINTS, 20, 12, 2, 32),
    density("single", POINTS, 7, 5, 0, 16),
    density("one cell", POINTS, 20, 12, 5, 32),
    confusion("four classes", levels(18, 75, 4), levels(19, 75, 4), 4, 2, 32),
    confusion("all right", levels(20, 20, 3), levels(20, 20, 3), 3, 1, 16),
    equalise("dark", DARK, 32),
    equalise("flat", np.full(20, 9, np.uint8), 32),
    equalise("two levels", np.array([0, 31, 31, 0, 31], np.uint8), 40),
    otsu("dark", DARK),
    otsu("two peaks", np.concatenate([levels(21, 20, 6), levels(22, 20, 6) + np.uint8(20)])),
    otsu("flat", np.full(7, 12, np.uint8)),
    histogram_edges("ragged", small(23, 75), EDGES, 32),
    histogram_edges("on the edges", i32([*EDGES, LOW, HIGH]), EDGES, 4),
    histogram_edges("one edge", small(24, 20), [0], 16),
    histogram_range("ragged", small(25, 70), -40, 41, 9, 32),
    histogram_range("whole range", words(26, 40, np.int32), LOW, HIGH, 7, 16),
    histogram_range("ends", i32([LOW, HIGH, 0, -1]), LOW, HIGH, 100, 4),
    histogram_log2("random", words(27, 50) >> (words(28, 50) % np.uint32(33)).clip(0, 31), 32),
    histogram_log2("powers", u32([0, 1, 2, 3, 4, 255, 256, M32, 1 << 31, HIGH]), 8),
    bit_counts("random", words(29, 21), 4),
    bit_counts("ones", u32([M32] * 9), 1),
    frequencies("few values", words(30, 75) % np.uint32(12), 32),
    frequencies("distinct", words(31, 40), 16),
    frequencies("colliding", np.repeat(u32([k << 26 for k in range(6)]), 5), 8),
    two_sum_pairs("ten", levels(32, 40, 11).astype(np.uint32), 10, 16),
    two_sum_pairs("wraps", u32([M32 - 1, 1, 2, 0, M32 - 1, 5, 1 << 31, 1 << 31]), 0, 8),
    two_sum_pairs("none", u32([1, 1, 1]), 7, 4),
    radix_select("median", words(33, 75), 37, 32),
    radix_select("smallest", words(34, 20), 0, 16),
    radix_select("largest", u32([M32, 5, M32, M32 - 1]), 3, 16),
    radix_select("equal", u32([77] * 9), 4, 32),
    top_k("ragged", words(35, 75, np.uint8), 10, 32),
    top_k("ties", levels(36, 30, 3) + np.uint8(200), 12, 16),
    top_k("all", words(37, 5, np.uint8), 5, 8),
    mode_and_median("random", levels(38, 60, 16), 32),
    mode_and_median("tie", np.array([9, 2, 9, 2], np.uint8), 16),
    mode_and_median("one", np.array([15], np.uint8), 16),
    majority("hidden", SEVENS, 32),
    majority("none", small(39, 60, 0, 3), 16),
    majority("exactly half", i32([4, 5, 4, 6]), 4),
    majority("one", i32([LOW]), 2),
    majority_bits("hidden", rng(40).permutation(np.concatenate([np.full(21, 0xCAFE0001, np.uint32), words(41, 20)]))),
    majority_bits("all ones", u32([M32, 0, M32])),
    group_by("ragged", levels(42, 60, 5), small(43, 60, -1000, 1000), 6, 32),
    group_by("one group", np.zeros(9, np.uint8), i32([*range(-4, 4), -7]), 1, 8),
    group_by("extremes", np.array([0, 1, 1, 3], np.uint8), i32([LOW, HIGH, LOW, HIGH]), 4, 4),
    weighted("random", levels(44, 50, 4), words(45, 50), 4, 32),
    weighted("carries", np.ones(5, np.uint8), u32([M32] * 5), 2, 4),
    baskets("random", np.stack([levels(46, 40, 6), levels(47, 40, 32)], axis=1), 7, 16),
    baskets("one customer", np.array([[0, 31], [0, 31], [0, 0]], np.uint8), 1, 4),
    histogram_saturating("saturates", levels(48, 40, 5), words(49, 40, np.uint8), 8, 32),
    histogram_saturating("ones", levels(50, 50, 12), np.ones(50, np.uint8), 12, 16),
    histogram_saturating("exact", np.zeros(5, np.uint8), np.array([50, 51, 52, 53, 49], np.uint8), 4, 8),
    histogram_packed("ragged", words(51, 75, np.uint8), 8, 32),
    histogram_packed("upper halves", np.full(30, 7, np.uint8), 4, 16),
    odometers("ragged", levels(52, 60, 4), [0, 9, 1000, 3], 32),
    odometers("largest limit", np.zeros(3, np.uint8), [M32], 4),
    counting_sort("ragged", levels(53, 75, 20), 20, 32),
    counting_sort("bytes", words(54, 40, np.uint8), 256, 64),
    counting_sort("equal", np.full(20, 4, np.uint8), 5, 8),
    stable_buckets("ragged", levels(55, 75, 8)),
    stable_buckets("fewer than threads", levels(56, 10, 8)),
    stable_buckets("one key", np.full(40, 7, np.uint8)),
    smaller_than_current("classic", np.array([8, 1, 2, 2, 3], np.uint8), 8),
    smaller_than_current("ragged", levels(57, 60, 101), 32),
]
