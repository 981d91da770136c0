"""Reductions of blocks and grids, against NumPy, math and brute force."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations, pairwise

import numpy as np

from corpus.case import Argument, Case
from corpus.inputs import i32, linear, rng, small, u32, words, zeros
from corpus.inputs import launch as launch_file

LOW, HIGH = -(2**31), 2**31 - 1


def launch(
    file: str,
    kernel: str,
    label: str,
    grid: int,
    block: int | tuple[int, ...],
    arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray],
    shared: int = 0,
) -> Case:
    return launch_file(f"reduce/{file}.cu", kernel, label, grid, block, arguments, expected, shared)


def rows_of(values: np.ndarray, width: int, fill: int = 0) -> np.ndarray:
    """The values in rows of a width, the last one filled up."""
    return np.pad(values, (0, -len(values) % width), constant_values=fill).reshape(-1, width)


def tree(kernel: str, label: str, values: np.ndarray, block: int, per_thread: int = 1) -> Case:
    expected = rows_of(values, block * per_thread).sum(axis=1).astype(np.int32)
    arguments = (values, len(values), np.zeros_like(expected))
    return launch("tree", kernel, label, len(expected), block, arguments, {2: expected}, 4 * block)


def unrolled_sum(label: str, values: np.ndarray, block: int) -> Case:
    arguments = (values, len(values), zeros(1, np.int32))
    return launch("unrolled", "unrolled_sum", label, 1, block, arguments, {2: i32([values.sum()])})


def vector_sum(label: str, values: np.ndarray) -> Case:
    whole = len(values) // 4 * 4
    quads = values[:whole].reshape(-1, 4)
    tail = values[whole:]
    padded = np.pad(tail, (0, 4 - len(tail)), constant_values=99)
    arguments = (quads, len(quads), padded, len(tail), zeros(1, np.int32))
    return launch("unrolled", "vector_sum", label, 1, 64, arguments, {4: i32([values.sum()])})


def wrapped(values: np.ndarray) -> np.ndarray:
    return u32([sum(values.tolist()) % (1 << 32)])


def stage(label: str, values: np.ndarray, grid: int) -> Case:
    expected = rows_of(values, 32 * grid).reshape(-1, grid, 32).sum(axis=(0, 2), dtype=np.uint32)
    arguments = (values, len(values), zeros(grid))
    return launch("stages", "stage", label, grid, 32, arguments, {2: expected})


def sum_atomic(label: str, values: np.ndarray, grid: int) -> Case:
    arguments = (values, len(values), zeros(1))
    return launch("stages", "sum_atomic", label, grid, 32, arguments, {2: wrapped(values)})


def sum_last_block(label: str, values: np.ndarray, grid: int) -> Case:
    partial = rows_of(values, 32 * grid).reshape(-1, grid, 32).sum(axis=(0, 2), dtype=np.uint32)
    arguments = (values, len(values), zeros(grid), zeros(1))
    return launch("stages", "sum_last_block", label, grid, 32, arguments, {2: partial, 3: wrapped(values)})


def range_of_blocks(label: str, values: np.ndarray, block: int) -> Case:
    parts = [values[k : k + block] for k in range(0, len(values), block)]
    expected = i32([[min(p), max(p)] for p in parts])
    arguments = (values, len(values), np.zeros_like(expected))
    return launch("extremes", "range_of_blocks", label, len(parts), block, arguments, {2: expected}, 8 * block)


def argmax_packed(label: str, values: np.ndarray, block: int) -> Case:
    where = int(values.argmax())
    best = np.array([(int(values[where]) + 2**31) << 32 | (2**32 - 1 - where)], np.uint64)
    n = len(values)
    return linear("reduce/extremes.cu", "argmax_packed", label, n, block, (values, n, zeros(1, np.uint64)), {2: best})


def argmin_tree(label: str, values: np.ndarray, block: int) -> Case:
    arguments = (values, len(values), zeros(1, np.int32))
    return launch("extremes", "argmin_tree", label, 1, block, arguments, {2: i32([values.argmin()])}, 4 * block)


def two_largest(label: str, values: np.ndarray, block: int) -> Case:
    first, second = np.sort(np.concatenate([values, np.full(2, -32768, np.int16)]))[:-3:-1]
    expected = {2: np.array([first], np.int16), 3: np.array([second], np.int16)}
    arguments = (values, len(values), zeros(1, np.int16), zeros(1, np.int16))
    return launch("extremes", "two_largest", label, 1, block, arguments, expected)


def dot(label: str, a: np.ndarray, b: np.ndarray, grid: int, block: int) -> Case:
    expected = np.array([sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))], np.int64)
    arguments = (a, b, len(a), zeros(1, np.int64))
    return launch("products", "dot", label, grid, block, arguments, {3: expected}, 8 * block)


def product_mod(label: str, values: np.ndarray, modulus: int, block: int) -> Case:
    expected = u32([math.prod(values.tolist()) % modulus])
    arguments = (values, len(values), modulus, zeros(1))
    return launch("products", "product_mod", label, 1, block, arguments, {3: expected}, 4 * block)


def matrix_chain(label: str, matrices: np.ndarray, block: int) -> Case:
    expected = np.eye(2, dtype=np.uint32)
    for matrix in matrices:
        expected = expected @ matrix
    arguments = (matrices, len(matrices), zeros((2, 2)))
    return launch("products", "matrix_chain", label, 1, block, arguments, {2: expected})


def count_if(label: str, values: np.ndarray, low: int, high: int, block: int) -> Case:
    inside = ((values >= low) & (values < high)).astype(np.int32)
    expected = rows_of(inside, block).sum(axis=1).astype(np.int32)
    arguments = (values, len(values), low, high, np.zeros_like(expected))
    return launch("predicates", "count_if", label, len(expected), block, arguments, {4: expected})


def order_check(label: str, values: np.ndarray, block: int) -> Case:
    listed = values.tolist()
    doubled = any(a == b for a, b in pairwise(listed))
    is_sorted = sorted(listed) == listed
    expected = {2: i32([is_sorted]), 3: i32([doubled])}
    arguments = (values, len(values), zeros(1, np.int32), zeros(1, np.int32))
    return launch("predicates", "order_check", label, 1, block, arguments, expected)


def find_first(label: str, values: np.ndarray, wanted: int, block: int) -> Case:
    arguments = (values, len(values), wanted, zeros(1, np.int32))
    expected = i32([values.tobytes().find(bytes([wanted]))])
    return launch("predicates", "find_first", label, 1, block, arguments, {3: expected})


def differ(label: str, a: np.ndarray, changes: Mapping[int, int], block: int) -> Case:
    b = a.copy()
    for index, flip in changes.items():
        b[index] ^= flip
    n, expected = len(a), i32([not np.array_equal(a, b)])
    return linear("reduce/predicates.cu", "differ", label, n, block, (a, b, n, zeros(1, np.int32)), {3: expected})


def moments(label: str, values: np.ndarray, block: int) -> Case:
    x, n = values.tolist(), len(values)
    squares = sum(v * v for v in x)
    expected = {
        2: np.array([sum(x)], np.int64),
        3: np.array([squares], np.uint64),
        4: np.array([sum((v - w) ** 2 for v, w in combinations(x, 2))], np.int64),
    }
    arguments = (values, n, *(np.zeros_like(e) for e in expected.values()))
    return launch("moments", "moments", label, 1, block, arguments, expected, 16 * block)


def rounded_means(label: str, values: np.ndarray, block: int) -> Case:
    expected = np.floor(values.mean(axis=1) + 0.5).astype(np.int16)
    arguments = (values, values.shape[1], np.zeros_like(expected))
    return launch("moments", "rounded_means", label, len(values), block, arguments, {2: expected})


def row_sums(label: str, matrix: np.ndarray, block: int) -> Case:
    expected = matrix.sum(axis=1).astype(np.int32)
    arguments = (matrix, matrix.shape[1], np.zeros_like(expected))
    return launch("matrix", "row_sums", label, len(matrix), block, arguments, {2: expected}, 4 * block)


def column_sums(label: str, matrix: np.ndarray) -> Case:
    rows, columns = matrix.shape
    expected = matrix.sum(axis=0).astype(np.int32)
    arguments = (matrix, rows, columns, np.zeros_like(expected))
    return launch("matrix", "column_sums", label, -(-columns // 8), (8, 8), arguments, {3: expected})


def magic_square(label: str, square: Sequence[Sequence[int]], block: int) -> Case:
    m = np.array(square)
    sums = {*m.sum(axis=0).tolist(), *m.sum(axis=1).tolist(), int(np.trace(m)), int(np.trace(m[:, ::-1]))}
    expected = i32([sums.pop() if len(sums) == 1 else -1])
    return launch("matrix", "magic_square", label, 1, block, (i32(m), len(m), zeros(1, np.int32)), {2: expected})


def and_or_xor(label: str, values: np.ndarray, grid: int, block: int) -> Case:
    folds = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)
    expected = {2 + k: u32([fold.reduce(values)]) for k, fold in enumerate(folds)}
    arguments = (values, len(values), u32([0xFFFFFFFF]), zeros(1), zeros(1))
    return launch("bitwise", "and_or_xor", label, grid, block, arguments, expected)


def two_singles(label: str, pairs: np.ndarray, singles: tuple[int, int], block: int) -> Case:
    values = rng(block).permutation(np.concatenate([pairs, pairs, u32(singles)]))
    arguments = (values, len(values), zeros(1), zeros(1))
    expected = {2: u32([min(singles)]), 3: u32([max(singles)])}
    return launch("bitwise", "two_singles", label, 1, block, arguments, expected)


def missing_number(label: str, n: int, missing: int, block: int) -> Case:
    values = rng(n).permutation([k for k in range(n + 1) if k != missing]).astype(np.uint16)
    arguments = (values, n, zeros(1))
    return launch("bitwise", "missing_number", label, 1, block, arguments, {2: u32([missing])}, 4 * block)


def segmented(kernel: str, label: str, lengths: Sequence[int], block: int) -> Case:
    offsets = i32([0, *accumulate(lengths)])
    values = small(sum(lengths), max(1, sum(lengths)), -1000, 1000)
    parts = [values[a:b].tolist() for a, b in pairwise(offsets)]
    threads = {"sum_by_thread": len(lengths), "max_by_group": 8 * len(lengths), "sum_by_element": len(values)}
    expected = i32([max(p, default=LOW) if kernel == "max_by_group" else sum(p) for p in parts])
    arguments = (values, offsets, len(lengths), np.zeros_like(expected))
    return linear("reduce/segments.cu", kernel, label, threads[kernel], block, arguments, {3: expected})


def maximum_subarray(label: str, values: np.ndarray, block: int) -> Case:
    sums = [0, *accumulate(values.tolist())]
    expected = i32([max(b - a for a, b in combinations(sums, 2))])
    arguments = (values, len(values), zeros(1, np.int32))
    return launch("kadane", "maximum_subarray", label, 1, block, arguments, {2: expected})


def longest_ones(label: str, bits: np.ndarray, block: int) -> Case:
    text = "".join(f"{w:032b}"[::-1] for w in bits.tolist())
    expected = i32([max(map(len, text.split("0")))])
    return launch("kadane", "longest_ones", label, 1, block, (bits, len(bits), zeros(1, np.int32)), {2: expected})


def three_reductions(label: str, values: np.ndarray, block: int) -> Case:
    listed = values.tolist()
    expected = {2: wrapped(values), 3: u32([max(listed, default=0)]), 4: u32([math.gcd(*listed)])}
    arguments = (values, len(values), zeros(1), zeros(1), zeros(1))
    return launch("functors", "three_reductions", label, 1, block, arguments, expected)


ONES = u32([0xFFFFFFFF] * 4)
EDGES = i32([HIGH, LOW, 0, -1, 1, HIGH, LOW])
LO_SHU = [[2, 7, 6], [9, 5, 1], [4, 3, 8]]
DURER = [[16, 3, 2, 13], [5, 10, 11, 8], [9, 6, 7, 12], [4, 15, 14, 1]]
FIBONACCI = np.tile(u32([[1, 1], [1, 0]]), (30, 1, 1))
RISING = np.arange(3, 103, 2, dtype=np.uint32)

CASES: list[Case] = [
    tree("sum_interleaved", "ragged", small(1, 75, -1000, 1000), 32),
    tree("sum_interleaved", "one", i32([7]), 4),
    tree("sum_interleaved", "edges", i32([HIGH, LOW, 0, -1, LOW, HIGH, 1]), 8),
    tree("sum_strided", "ragged", small(2, 90, -1000, 1000), 64),
    tree("sum_strided", "whole", small(3, 64), 32),
    tree("sum_sequential", "ragged", small(4, 101), 32),
    tree("sum_sequential", "256 threads", small(5, 200), 256),
    tree("sum_sequential", "one thread", small(6, 3), 1),
    tree("sum_first_add", "ragged", small(7, 150), 32, 2),
    tree("sum_first_add", "half", small(8, 20), 16, 2),
    tree("sum_any_size", "prime", small(9, 70), 37),
    tree("sum_any_size", "three", small(10, 7), 3),
    unrolled_sum("128", small(11, 300, -9999, 9999), 128),
    unrolled_sum("64", small(12, 50), 64),
    unrolled_sum("32", small(13, 77, -9999, 0), 32),
    vector_sum("ragged", small(14, 203)),
    vector_sum("tail", small(15, 3)),
    vector_sum("whole", small(16, 64)),
    stage("four blocks", words(17, 150), 4),
    stage("second launch", words(18, 4), 1),
    sum_atomic("ragged", words(19, 139), 3),
    sum_atomic("more blocks than work", words(20, 10), 3),
    sum_last_block("ragged", words(21, 170), 4),
    sum_last_block("one block", words(22, 40), 1),
    sum_last_block("20 blocks", words(23, 64), 20),
    range_of_blocks("ragged", words(24, 75, np.int32), 32),
    range_of_blocks("edges", EDGES, 4),
    range_of_blocks("one", i32([-5]), 16),
    argmax_packed("random", words(25, 60, np.int32), 32),
    argmax_packed("ties", small(26, 70, 0, 3), 16),
    argmax_packed("negative", i32([LOW, -7, LOW, -7, -9]), 8),
    argmin_tree("ragged", words(27, 77, np.int64), 32),
    argmin_tree("ties", np.array([5, -3, 1 << 40, -3, 5, -3], np.int64), 8),
    argmin_tree("high words", np.array([1 << 32, 1, -1 << 63, 1 << 33, 7], np.int64), 4),
    two_largest("random", words(28, 100, np.int16), 32),
    two_largest("ties", np.array([4, 9, -1, 9, 3], np.int16), 4),
    two_largest("one", np.array([-7], np.int16), 2),
    dot("ragged", small(29, 70), small(30, 70), 2, 32),
    dot("wide", words(31, 20, np.int32), words(32, 20, np.int32) // np.int32(64), 1, 16),
    dot("extremes", i32([LOW, LOW, HIGH]), i32([HIGH, 1, HIGH]), 1, 4),
    product_mod("prime", words(33, 40) | np.uint32(1), 1_000_000_007, 16),
    product_mod("large modulus", words(34, 20), 0xFFFFFFFB, 8),
    product_mod("factorial", np.arange(1, 31, dtype=np.uint32), 31, 32),
    product_mod("modulo one", words(35, 5), 1, 4),
    matrix_chain("fibonacci", FIBONACCI, 32),
    matrix_chain("random", words(36, (11, 2, 2)), 16),
    matrix_chain("one", words(37, (1, 2, 2)), 4),
    count_if("ragged", small(38, 90), -10, 20, 64),
    count_if("whole range", EDGES, LOW, HIGH, 4),
    count_if("none", small(39, 33), 5, 5, 40),
    order_check("sorted", RISING, 16),
    order_check("plateau", np.sort(words(40, 40, np.uint8)).astype(np.uint32), 32),
    order_check("swap at a seam", u32([*range(16), 15, 14, *range(20, 30)]), 16),
    order_check("stops early", u32([3, 1, 1, 2, *range(60)]), 4),
    order_check("one", u32([4]), 4),
    find_first("late", np.arange(100, dtype=np.uint8), 77, 16),
    find_first("repeated", np.tile(np.array([1, 2, 3], np.uint8), 20), 3, 32),
    find_first("absent", words(41, 50, np.uint8) | np.uint8(1), 0, 32),
    differ("equal", words(42, 70, np.int64), {}, 32),
    differ("high word", words(43, 70, np.int64), {69: 1 << 40}, 32),
    differ("several", words(44, 20, np.int64), {0: 1, 7: -1, 19: 4}, 8),
    moments("random", small(45, 60, -10000, 10000), 32),
    moments("constant", i32([-12345] * 9), 4),
    moments("large", i32([HIGH, 0]), 2),
    rounded_means("halves", np.array([[1, 2], [-1, -2], [0, -1], [3, 3]], np.int16), 2),
    rounded_means("random", words(46, (4, 15), np.int16), 8),
    row_sums("5 x 21", small(47, (5, 21)), 16),
    row_sums("1 x 50", small(48, (1, 50)), 32),
    row_sums("9 x 1", small(49, (9, 1)), 4),
    column_sums("13 x 10", small(50, (13, 10))),
    column_sums("1 x 16", small(51, (1, 16))),
    column_sums("20 x 3", small(52, (20, 3))),
    magic_square("lo shu", LO_SHU, 8),
    magic_square("durer", DURER, 16),
    magic_square("broken diagonal", np.roll(LO_SHU, 1, axis=0).tolist(), 8),
    magic_square("one", [[42]], 4),
    and_or_xor("random", words(53, 90), 2, 16),
    and_or_xor("masks", words(54, 30) & np.uint32(0xFFFF) | np.uint32(0x81), 1, 32),
    and_or_xor("ones", ONES, 2, 4),
    two_singles("random", words(55, 20), (0x12345678, 0x92345678), 32),
    two_singles("zero", words(56, 9), (0, 0xFFFFFFFF), 8),
    two_singles("only these", u32([]), (6, 4), 4),
    missing_number("middle", 75, 40, 32),
    missing_number("zero", 16, 0, 8),
    missing_number("last", 9, 9, 16),
    segmented("sum_by_thread", "mixed", [3, 0, 7, 1, 5, 2, 0], 4),
    segmented("sum_by_thread", "one", [9], 4),
    segmented("max_by_group", "mixed", [3, 0, 17, 8, 1], 32),
    segmented("max_by_group", "equal", [8] * 9, 32),
    segmented("sum_by_element", "mixed", [3, 1, 17, 8, 1, 12, 4], 16),
    segmented("sum_by_element", "empty segments", [0, 5, 0, 0, 20, 0], 32),
    maximum_subarray("random", small(57, 60), 16),
    maximum_subarray("all negative", small(58, 21, -50, 0), 8),
    maximum_subarray("classic", i32([-2, 1, -3, 4, -1, 2, 1, -5, 4]), 4),
    maximum_subarray("one each", small(59, 37), 64),
    longest_ones("random", words(60, 9) | words(61, 9) | words(62, 9), 16),
    longest_ones("across words", u32([0xFFFF0000, *[0xFFFFFFFF] * 3, 0x3F, 0]), 8),
    longest_ones("none", zeros(3), 4),
    longest_ones("all", ONES, 4),
    three_reductions("multiples", u32([84 * k for k in (5, 7, 30, 2, 11, 1000, 3)]), 4),
    three_reductions("random", words(63, 40), 32),
    three_reductions("zero", zeros(1), 2),
]
