"""Sorting, searching, merging and selection, against NumPy's sorts, sorted, bisect and statistics."""

from __future__ import annotations

import bisect
import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from corpus import inputs
from corpus.case import Argument, Case
from corpus.inputs import characters, i32, rng, small, u32, words, zeros

LOWEST, HIGHEST = -(2**31), 2**31 - 1
EDGES = i32([0, HIGHEST, LOWEST, -1, HIGHEST, 1, LOWEST])


def threads(
    file: str, kernel: str, label: str, n: int, block: int, arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray], shared: int = 0,
) -> Case:  # fmt: skip
    """One thread for each of n items."""
    return inputs.linear(f"sort/{file}.cu", kernel, label, n, block, arguments, expected, shared)


def blocks(
    file: str, kernel: str, label: str, grid: int, block: int, arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray], shared: int = 0,
) -> Case:  # fmt: skip
    return inputs.launch(f"sort/{file}.cu", kernel, label, grid, block, arguments, expected, shared)


def order_of(keys: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.argsort(np.asarray(keys), kind="stable")


# --- Sorts by a block or a grid --------------------------------------------------------------------------------------


def bitonic_segments(label: str, values: np.ndarray, capacity: int, block: int) -> Case:
    expected = np.sort(values, axis=1)
    arguments = (values, values.shape[1], capacity)
    return blocks("bitonic", "bitonic_segments", label, len(values), block, arguments, {0: expected}, 4 * capacity)


def bitonic_argsort(label: str, keys: np.ndarray, block: int) -> Case:
    expected = order_of(keys).astype(np.uint8)
    arguments = (keys, len(keys), np.zeros_like(expected))
    return blocks("bitonic", "bitonic_argsort", label, 1, block, arguments, {2: expected})


def odd_even(label: str, values: Sequence[int] | np.ndarray, block: int) -> Case:
    values = np.array(values, np.int16)
    arguments = (values, len(values))
    return blocks("odd_even", "odd_even_sort", label, 1, block, arguments, {0: np.sort(values)}, 2 * len(values))


def students(label: str, n: int, grades: int, block: int) -> Case:
    table = np.stack([small(n, n, 0, grades), small(n + 1, n, 18, 22), rng(n).permutation(n)], axis=1).astype(np.int32)
    expected = i32(sorted(table.tolist(), key=lambda s: (-s[0], s[1], s[2])))
    return blocks("batcher", "sort_students", label, 1, block, (table, n), {0: expected})


def rank_sort(label: str, values: np.ndarray, block: int) -> Case:
    n = len(values)
    arguments = (values, np.zeros_like(values), n)
    return threads("rank", "rank_sort", label, n, block, arguments, {1: np.sort(values)}, 4 * block)


def argsort(label: str, keys: np.ndarray, descending: bool, block: int) -> Case:
    numbers = keys.tolist()
    order = sorted(range(len(numbers)), key=lambda i: -numbers[i] if descending else numbers[i])
    expected = np.array(order, np.uint16)
    arguments = (keys, len(keys), int(descending), np.zeros_like(expected))
    return threads("rank", "argsort", label, len(keys), block, arguments, {3: expected})


def league_ranks(label: str, scores: np.ndarray, block: int) -> Case:
    table = sorted(scores.tolist(), reverse=True)
    expected = i32([table.index(s) + 1 for s in scores.tolist()])
    arguments = (scores, len(scores), np.zeros_like(expected))
    return threads("rank", "league_ranks", label, len(scores), block, arguments, {2: expected})


def radix_bits(label: str, keys: np.ndarray, bits: int, block: int) -> Case:
    expected = keys[order_of(keys & np.uint32((1 << bits) - 1))]
    return blocks("radix", "radix_sort_bits", label, 1, block, (keys, len(keys), bits), {0: expected}, 8 * block)


def radix_pairs(label: str, keys: np.ndarray) -> Case:
    n, order = len(keys), order_of(keys)
    values = np.arange(n, dtype=np.uint8)
    arguments = (keys, values, np.zeros_like(keys), np.zeros_like(values), n)
    return blocks("radix", "radix_sort_pairs", label, 1, 16, arguments, {0: keys[order], 1: values[order]})


def merge_sort(label: str, values: np.ndarray, block: int) -> Case:
    arguments = (values, np.zeros_like(values), len(values))
    return blocks("merge", "merge_sort", label, 1, block, arguments, {0: np.sort(values)})


def merge_path(label: str, a: Sequence[int], b: Sequence[int], stretch: int, block: int) -> Case:
    expected = u32(sorted([*a, *b]))
    # An array of no element is passed as one that is not read.
    first, second = (u32(sorted(x) or [0]) for x in (a, b))
    arguments = (first, len(a), second, len(b), np.zeros_like(expected), stretch)
    return threads("merge", "merge_path", label, -(-len(expected) // stretch), block, arguments, {4: expected})


def merge_lists(label: str, rows: int, length: int, high: int, block: int) -> Case:
    lists = np.sort(rng(rows).integers(0, high, (rows, 4, length), np.uint16, endpoint=True), axis=2)
    expected = np.sort(lists.reshape(rows, -1), axis=1)
    arguments = (lists, length, np.zeros_like(expected), rows)
    return threads("merge", "merge_lists", label, rows, block, arguments, {2: expected})


def counting_sort(label: str, values: np.ndarray, bins: int, block: int) -> Case:
    arguments = (values, np.zeros_like(values), len(values), bins)
    return blocks("counting", "counting_sort", label, 1, block, arguments, {1: np.sort(values)}, 4 * bins)


# --- Sorts by a thread -----------------------------------------------------------------------------------------------


def rows_sorted(file: str, kernel: str, label: str, rows: np.ndarray, block: int) -> Case:
    """Kernels (rows, length, n)."""
    n, length = rows.shape
    return threads(file, kernel, label, n, block, (rows, length, n), {0: np.sort(rows, axis=1)})


def cycle_sort(label: str, rows: Sequence[Sequence[int]], block: int) -> Case:
    table, n = i32(rows), len(rows)
    ordered = np.sort(table, axis=1)
    expected = {0: ordered, 2: (ordered != table).sum(axis=1).astype(np.int32)}
    arguments = (table, table.shape[1], zeros(n, np.int32), n)
    return threads("simple", "cycle_sort", label, n, block, arguments, expected)


def quick_select(label: str, rows: np.ndarray, k: Sequence[int], block: int) -> Case:
    n, length = rows.shape
    expected = i32([sorted(row)[j] for row, j in zip(rows.tolist(), k, strict=True)])
    arguments = (rows, length, i32(k), np.zeros_like(expected), n)
    return threads("quick", "quick_select", label, n, block, arguments, {3: expected})


# --- Searches --------------------------------------------------------------------------------------------------------


def bounds(label: str, values: Sequence[int], queries: Sequence[int], block: int) -> Case:
    ordered, m = sorted(values), len(queries)
    lower, upper = (i32([f(ordered, q) for q in queries]) for f in (bisect.bisect_left, bisect.bisect_right))
    sorted_, asked = (np.array(x, np.int16) for x in (ordered, queries))
    arguments = (sorted_, len(values), asked, np.zeros_like(lower), np.zeros_like(upper), m)
    return threads("search", "bounds", label, m, block, arguments, {3: lower, 4: upper})


def search_rotated(label: str, values: Sequence[int], by: int, queries: Sequence[int], block: int) -> Case:
    rotated = np.roll(sorted(values), by).tolist()
    expected = i32([rotated.index(q) if q in rotated else -1 for q in queries])
    arguments = (i32(rotated), len(rotated), i32(queries), np.zeros_like(expected), len(queries))
    return threads("search", "search_rotated", label, len(queries), block, arguments, {3: expected})


def gallop(label: str, keys: Sequence[int], queries: Sequence[int], block: int) -> Case:
    ordered, asked = np.array(sorted(keys), np.uint64), np.array(queries, np.uint64)
    expected = np.searchsorted(ordered, asked).astype(np.uint8)
    arguments = (ordered, len(keys), asked, np.zeros_like(expected), len(queries))
    return threads("search", "gallop", label, len(queries), block, arguments, {3: expected})


# --- Partitions and order statistics ---------------------------------------------------------------------------------


def stable_partition(label: str, values: np.ndarray, pivot: int, block: int) -> Case:
    expected = {1: np.concatenate([values[values < pivot], values[values >= pivot]]), 4: i32([(values < pivot).sum()])}
    arguments = (values, np.zeros_like(values), len(values), pivot, zeros(1, np.int32))
    return blocks("partition", "stable_partition", label, 1, block, arguments, expected, 4 * block)


def unique_counts(label: str, values: np.ndarray, block: int) -> Case:
    n, (distinct, counts) = len(values), np.unique(values, return_counts=True)
    rest = (0, n - len(distinct))
    expected = {2: np.pad(distinct, rest), 3: np.pad(counts, rest).astype(np.int32), 4: i32([len(distinct)])}
    arguments = (np.sort(values), n, *(np.zeros_like(e) for e in expected.values()))
    return blocks("partition", "unique_counts", label, 1, block, arguments, expected, 4 * block)


def dutch_flag(label: str, rows: Sequence[bytes], block: int) -> Case:
    expected = characters(b"".join(bytes(sorted(row, key=b"rwb".index)) for row in rows))
    arguments = (characters(b"".join(rows)), len(rows[0]), len(rows))
    return threads("partition", "dutch_flag", label, len(rows), block, arguments, {0: expected})


def median_of_five(label: str, values: np.ndarray, block: int) -> Case:
    padded = np.pad(values, 2, mode="edge").tolist()
    expected = i32([statistics.median(padded[i : i + 5]) for i in range(len(values))])
    arguments = (values, np.zeros_like(values), len(values))
    return threads("order", "median_of_five", label, len(values), block, arguments, {1: expected})


def top_k(label: str, values: np.ndarray, k: int, block: int) -> Case:
    numbers = values.tolist()
    best = sorted(range(len(numbers)), key=lambda i: -numbers[i])[:k]
    expected = {3: values[best], 4: i32(best)}
    return blocks(
        "order", "top_k", label, 1, block, (values, len(values), k, zeros(k, np.int32), i32(best) * 0), expected
    )


def count_inversions(label: str, values: np.ndarray, block: int) -> Case:
    expected = np.array([sum(a > b for a, b in combinations(values.tolist(), 2))], np.uint64)
    arguments = (values, len(values), np.zeros_like(expected))
    return threads("order", "count_inversions", label, len(values), block, arguments, {2: expected})


def sorted_until(label: str, values: np.ndarray, block: int) -> Case:
    last = len(values) - 1
    expected = i32([min([*np.flatnonzero(values[:-1] > values[1:]), last])])
    arguments = (values, len(values), i32([last]))
    return threads("order", "sorted_until", label, len(values), block, arguments, {2: expected})


SHUFFLED = rng(40).permutation(9).tolist()
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23]
HALF_SORTED = np.array([-(2**40), -5, 0, 2**33, 2**33 - 1, 7, 2**50, 2**49], np.int64)

CASES: list[Case] = [
    bitonic_segments("one", small(1, (1, 16)), 16, 8),
    bitonic_segments("ragged", small(2, (2, 13)), 16, 4),
    bitonic_segments("edges", EDGES[None], 8, 4),
    bitonic_segments("32 threads", words(3, (1, 32), np.int32), 32, 16),
    bitonic_argsort("ragged", words(4, 13), 16),
    bitonic_argsort("ties", u32([3, 1, 3, 2, 1, 0, 0xFFFFFFFF]), 8),
    bitonic_argsort("whole", words(5, 16), 16),
    odd_even("random", words(6, 17, np.int16), 9),
    odd_even("reversed", range(10, 0, -1), 4),
    odd_even("sorted", range(-8, 8), 8),
    odd_even("one", [5], 4),
    students("few grades", 13, 3, 8),
    students("same grade", 8, 1, 8),
    students("more than threads", 16, 100, 4),
    rank_sort("ragged", small(7, 21, -5, 5), 8),
    rank_sort("edges", EDGES, 4),
    rank_sort("one", i32([9]), 4),
    argsort("ascending", words(8, 13, np.int64), False, 8),
    argsort("descending", words(9, 10, np.int64), True, 4),
    argsort("ties", np.array([1 << 32, 1, 1 << 32, -1, 1, -(1 << 63)], np.int64), True, 8),
    league_ranks("random", rng(10).integers(0, 20, 21, np.uint8), 8),
    league_ranks("all equal", np.full(8, 255, np.uint8), 8),
    radix_bits("bytes", rng(11).integers(0, 256, 13, np.uint32), 8, 16),
    radix_bits("32 bits", words(12, 7), 32, 8),
    radix_bits("low bits only", words(13, 16), 3, 16),
    radix_pairs("random", words(14, 19, np.int16)),
    radix_pairs("ties", np.array([-1, 5, -1, 0, 5, -32768, 32767, 0], np.int16)),
    merge_sort("ragged", small(15, 21), 8),
    merge_sort("power of two", words(16, 32, np.int32), 16),
    merge_sort("edges", EDGES, 8),
    merge_sort("one", i32([4]), 4),
    merge_path("random", small(17, 13, 0, 99), small(18, 20, 0, 99), 4, 4),
    merge_path("apart", range(100, 110), range(10), 3, 8),
    merge_path("none in a", [], [1, 5, 0xFFFFFFFF], 2, 4),
    merge_path("none in b", [7, 7, 7, 0], [], 5, 4),
    merge_lists("random", 5, 5, 65535, 4),
    merge_lists("ties", 2, 4, 2, 2),
    counting_sort("random", rng(19).integers(0, 12, 45, np.uint8), 12, 16),
    counting_sort("more bins", rng(20).integers(0, 40, 9, np.uint8), 40, 8),
    counting_sort("one bin", np.zeros(10, np.uint8), 1, 8),
    rows_sorted("simple", "insertion_sort", "random", words(21, (9, 8), np.int8), 4),
    rows_sorted("simple", "insertion_sort", "reversed", np.arange(12, 0, -1, np.int8).reshape(1, 12), 1),
    rows_sorted("simple", "insertion_sort", "one column", words(22, (3, 1), np.int8), 4),
    rows_sorted("simple", "shell_sort", "random", words(23, (5, 14), np.int32), 4),
    rows_sorted("simple", "shell_sort", "edges", EDGES[None], 1),
    rows_sorted("simple", "heap_sort", "random", words(24, (6, 11)), 4),
    rows_sorted("simple", "heap_sort", "ties", u32([[5, 5, 5, 1, 1], [0, 0xFFFFFFFF, 0, 1, 0]]), 2),
    rows_sorted("simple", "heap_sort", "two", u32([[2, 1], [1, 2], [7, 7]]), 4),
    cycle_sort("permutations", [SHUFFLED, range(9), PRIMES[::-1], np.roll(PRIMES, 1)], 4),
    cycle_sort("negative", [[3, -7, LOWEST, HIGHEST, 0]], 1),
    rows_sorted("quick", "quick_sort", "random", words(25, (5, 17), np.int32), 4),
    rows_sorted("quick", "quick_sort", "ties", small(26, (4, 12), 0, 3), 4),
    rows_sorted("quick", "quick_sort", "sorted", np.arange(22, dtype=np.int32).reshape(2, 11), 2),
    rows_sorted("quick", "quick_sort", "edges", EDGES[None], 1),
    quick_select("medians", small(27, (5, 11)), [5] * 5, 4),
    quick_select("extremes", words(28, (4, 9), np.int32), [0, 8, 1, 7], 4),
    quick_select("one", i32([[3], [4]]), [0, 0], 2),
    bounds("random", small(29, 30, 0, 20).tolist(), range(-1, 22), 8),
    bounds("edges", [-32768, -32768, 0, 32767], [-32768, 32767, -1, 0, 1], 4),
    bounds("one element", [5], [4, 5, 6], 4),
    search_rotated("by 4", PRIMES, 4, [*PRIMES, 1, 4, 24], 4),
    search_rotated("not at all", PRIMES, 0, [2, 23, 9], 4),
    search_rotated("two", [LOWEST, HIGHEST], 1, [LOWEST, 0, HIGHEST], 1),
    gallop("wide", [k**11 for k in range(30)], [0, 1, 2048, 2**60, 2**64 - 1, 29**11, 1 << 32], 4),
    gallop("high words", [1 << 32, 1 << 33, 3 << 32], [0, 1 << 32, (1 << 33) - 1, 7 << 32], 4),
    stable_partition("random", small(30, 21), 0, 32),
    stable_partition("none", small(31, 8, 0, 50), -1, 8),
    stable_partition("edges", EDGES, HIGHEST, 8),
    unique_counts("random", rng(32).integers(0, 9, 21, np.uint16), 32),
    unique_counts("distinct", np.arange(8, dtype=np.uint16) * np.uint16(8191), 8),
    unique_counts("all equal", np.full(13, 65535, np.uint16), 16),
    dutch_flag("rows", [b"rwbrwbrwb", b"bbbwwwrrr", b"bbbbbbbbb", b"wrwrwrwrb", b"rrrrrrrrr"], 4),
    dutch_flag("one", [b"w", b"b", b"r"], 1),
    median_of_five("random", small(33, 21), 8),
    median_of_five("edges", EDGES, 8),
    median_of_five("one", i32([-3]), 4),
    top_k("random", words(34, 21, np.int32), 4, 8),
    top_k("ties", small(35, 13, 0, 3), 5, 4),
    top_k("edges", EDGES, 7, 8),
    count_inversions("random", small(36, 21), 8),
    count_inversions("reversed", np.arange(13, 0, -1, np.int32), 4),
    count_inversions("sorted", np.arange(9, dtype=np.int32), 16),
    sorted_until("breaks", HALF_SORTED, 4),
    sorted_until("sorted", np.sort(words(37, 9, np.int64)), 4),
    sorted_until("at once", np.array([1, 0], np.int64), 4),
]
