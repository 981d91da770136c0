"""Warps of 32 threads, against NumPy on rows of 32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpus.case import Argument, Case
from corpus.inputs import rng, words, zeros


def i32(values: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.array(values, np.int32)


def small(seed: int, n: int, low: int = -50, high: int = 50) -> np.ndarray:
    return rng(seed).integers(low, high, n, np.int32)


def warps(values: np.ndarray, width: int = 32) -> np.ndarray:
    return values.reshape(-1, width)


def mask_of(flags: np.ndarray) -> int:
    return sum(1 << k for k, flag in enumerate(flags) if flag)


def launch(
    file: str,
    kernel: str,
    label: str,
    grid: int,
    block: int,
    arguments: Sequence[Argument],
    expected: dict[int, np.ndarray],
) -> Case:
    return Case(f"warp/{file}.cu", kernel, label, (grid,), (block,), tuple(arguments), 0, expected)


def warp_sum(label: str, n: int, grid: int, block: int) -> Case:
    values = small(n, n)
    padded = np.pad(values, (0, grid * block - n))
    expected = warps(padded).sum(axis=1).astype(np.int32)
    return launch("reduce", "warp_sum", label, grid, block, (values, np.zeros_like(expected), n), {1: expected})


def butterfly_extremes(label: str, values: np.ndarray, grid: int) -> Case:
    rows = warps(values)
    pairs = np.stack([rows.min(axis=1), rows.max(axis=1)], axis=1).astype(np.int32)
    expected = np.repeat(pairs, 32, axis=0)
    arguments = (values, np.zeros_like(expected))
    return launch("reduce", "butterfly_extremes", label, grid, len(values) // grid, arguments, {1: expected})


def group_product(label: str, values: np.ndarray, grid: int) -> Case:
    expected = np.multiply.reduce(warps(values, 8), axis=1, dtype=np.uint32)
    arguments = (values, np.zeros_like(expected))
    return launch("reduce", "group_product", label, grid, len(values) // grid, arguments, {1: expected})


def warp_sum64(label: str, values: np.ndarray, grid: int) -> Case:
    expected = np.array([values.sum()], np.int64)
    arguments = (values, np.zeros_like(expected))
    return launch("reduce", "warp_sum64", label, grid, len(values) // grid, arguments, {1: expected})


def block_sum(label: str, n: int, grid: int, block: int) -> Case:
    values = small(n, n, -1000, 1000)
    expected = i32([values.sum()])
    return launch("reduce", "block_sum", label, grid, block, (values, n, np.zeros_like(expected)), {2: expected})


def warp_argmax(label: str, values: np.ndarray, grid: int) -> Case:
    rows = warps(values)
    expected = i32(rows.argmax(axis=1) + 32 * np.arange(len(rows)))
    arguments = (values, np.zeros_like(expected))
    return launch("reduce", "warp_argmax", label, grid, len(values) // grid, arguments, {1: expected})


def warp_scan(label: str, values: np.ndarray, grid: int) -> Case:
    inclusive = np.cumsum(warps(values), axis=1).astype(np.int32).ravel()
    arguments = (values, np.zeros_like(values), np.zeros_like(values))
    expected = {1: inclusive, 2: inclusive - values}
    return launch("scan", "warp_scan", label, grid, len(values) // grid, arguments, expected)


def block_scan(label: str, n: int, block: int) -> Case:
    values = small(n, n)
    arguments = (values, np.zeros_like(values), n)
    return launch("scan", "block_scan", label, 1, block, arguments, {1: np.cumsum(values).astype(np.int32)})


def segmented_scan(label: str, values: np.ndarray, heads: np.ndarray, grid: int) -> Case:
    expected = []
    for i, (value, head) in enumerate(zip(values.tolist(), heads.tolist(), strict=True)):
        expected.append(value if head or i % 32 == 0 else expected[-1] + value)
    arguments = (values, heads, np.zeros_like(values))
    return launch("scan", "segmented_scan", label, grid, len(values) // grid, arguments, {2: i32(expected)})


def running_max(label: str, values: np.ndarray, grid: int) -> Case:
    expected = np.maximum.accumulate(warps(values, 16), axis=1).ravel()
    arguments = (values, np.zeros_like(values))
    return launch("scan", "running_max", label, grid, len(values) // grid, arguments, {1: expected})


def warp_votes(label: str, values: np.ndarray, threshold: int, grid: int) -> Case:
    above = warps(values > threshold)
    ballots = np.array([mask_of(row) for row in above], np.uint32)
    expected = {2: above.any(axis=1), 3: above.all(axis=1), 4: ballots}
    arguments = (values, threshold, *(np.zeros_like(e) for e in expected.values()))
    return launch("votes", "warp_votes", label, grid, len(values) // grid, arguments, expected)


def ragged_votes(label: str, flags: Sequence[int]) -> Case:
    rows = [np.array(flags[k : k + 32]) for k in range(0, len(flags), 32)]
    ballots = np.array([mask_of(row) for row in rows], np.uint32)
    everyone = np.array([row.all() for row in rows], np.uint32)
    arguments = (np.array(flags, np.uint8), np.zeros_like(ballots), np.zeros_like(everyone))
    return launch("votes", "ragged_votes", label, 1, len(flags), arguments, {1: ballots, 2: everyone})


def block_votes(label: str, values: np.ndarray, block: int) -> Case:
    rows = values.reshape(-1, block)
    columns = [(rows % 2).sum(axis=1), (rows == 0).any(axis=1), (rows > 0).all(axis=1)]
    expected = np.stack(columns, axis=1).astype(np.int32)
    return launch("votes", "block_votes", label, len(rows), block, (values, np.zeros_like(expected)), {1: expected})


def vote_loop(label: str, values: np.ndarray, grid: int) -> Case:
    rounds = [max((x.bit_length() - 1 + x.bit_count() - 1 if x else 0) for x in row) for row in warps(values).tolist()]
    expected = {1: np.repeat(i32(rounds), 32), 2: np.minimum(values, 1)}
    arguments = (values, zeros(len(values), np.int32), np.zeros_like(values))
    return launch("votes", "vote_loop", label, grid, len(values) // grid, arguments, expected)


def vote_in_branch(label: str, values: np.ndarray) -> Case:
    negative = values < 0
    odd, large = mask_of(negative & (values % 2 == 1)), mask_of(values > 100)
    expected = np.where(negative, odd, large).astype(np.uint32)
    return launch("votes", "vote_in_branch", label, 1, 32, (values, np.zeros_like(expected)), {1: expected})


def compact_warp(label: str, values: np.ndarray) -> Case:
    kept = values[values > 0]
    expected = {1: np.pad(kept, (0, 32 - len(kept))), 2: i32([len(kept)])}
    arguments = (values, np.zeros_like(values), zeros(1, np.int32))
    return launch("compact", "compact_warp", label, 1, 32, arguments, expected)


def aggregated_count(label: str, n: int, divisor: int, grid: int, block: int) -> Case:
    values = small(n, n)
    expected = i32([(values % divisor == 0).sum()])
    arguments = (values, n, divisor, np.zeros_like(expected))
    return launch("compact", "aggregated_count", label, grid, block, arguments, {3: expected})


def compact_block(label: str, n: int, block: int) -> Case:
    values = words(n, n, np.uint16)
    kept = values[values % 3 == 0]
    expected = {2: np.pad(kept, (0, n - len(kept))), 3: i32([len(kept)])}
    arguments = (values, n, np.zeros_like(values), zeros(1, np.int32))
    return launch("compact", "compact_block", label, 1, block, arguments, expected)


def split_by_bit(label: str, values: np.ndarray, bits: int) -> Case:
    order = np.argsort(values % np.uint32(1 << bits), kind="stable")
    return launch("compact", "split_by_bit", label, 1, 32, (values, bits), {0: values[order]})


def group_peers(label: str, values: np.ndarray, grid: int) -> Case:
    peers, leader, rank = [], [], []
    for row in warps(values):
        for lane, value in enumerate(row):
            same = row == value
            peers.append(mask_of(same))
            leader.append(int(same.argmax()))
            rank.append(int(same[:lane].sum()))
    expected = {1: np.array(peers, np.uint32), 2: i32(leader), 3: i32(rank)}
    arguments = (values, *(np.zeros_like(e) for e in expected.values()))
    return launch("match", "group_peers", label, grid, len(values) // grid, arguments, expected)


def histogram_by_match(label: str, n: int, bins: int, grid: int, block: int) -> Case:
    values = rng(n).integers(0, bins, n, np.uint8)
    expected = np.bincount(values, minlength=bins).astype(np.int32)
    arguments = (values, n, np.zeros_like(expected))
    return launch("match", "histogram_by_match", label, grid, block, arguments, {2: expected})


def uniform(label: str, values: np.ndarray, grid: int) -> Case:
    same = [32 * (len(set(row)) == 1) for row in warps(values).tolist()]
    expected = np.repeat(i32(same), 32)
    arguments = (values, np.zeros_like(expected))
    return launch("match", "uniform", label, grid, len(values) // grid, arguments, {1: expected})


def broadcast_from(label: str, values: np.ndarray, sources: Sequence[int], grid: int) -> Case:
    picked = [row[s % 32] for row, s in zip(warps(values), sources, strict=True)]
    expected = np.repeat(i32(picked), 32)
    arguments = (values, i32(sources), np.zeros_like(values))
    return launch("exchange", "broadcast_from", label, grid, len(values) // grid, arguments, {2: expected})


def rotate_and_reverse(label: str, values: np.ndarray, by: int, grid: int) -> Case:
    rows = warps(values)
    expected = {2: np.roll(rows, -by, axis=1).ravel(), 3: rows[:, ::-1].ravel().copy()}
    arguments = (values, by, np.zeros_like(values), np.zeros_like(values))
    return launch("exchange", "rotate_and_reverse", label, grid, len(values) // grid, arguments, expected)


def gather_in_groups(label: str, values: np.ndarray, index: np.ndarray, grid: int) -> Case:
    expected = np.take_along_axis(warps(values, 8), warps(index, 8) % 8, axis=1).ravel()
    arguments = (values, index, np.zeros_like(values))
    return launch("exchange", "gather_in_groups", label, grid, len(values) // grid, arguments, {2: expected})


def bitonic_warp(label: str, values: np.ndarray, descending: bool, grid: int) -> Case:
    rows = np.sort(warps(values), axis=1)
    expected = (rows[:, ::-1] if descending else rows).ravel().copy()
    arguments = (values, int(descending))
    return launch("exchange", "bitonic_warp", label, grid, len(values) // grid, arguments, {0: expected})


def adjacent_difference(label: str, values: np.ndarray, grid: int) -> Case:
    expected = np.diff(values, prepend=i32([0]))
    arguments = (values, np.zeros_like(values))
    return launch("exchange", "adjacent_difference", label, grid, len(values) // grid, arguments, {1: expected})


def transpose_tile(label: str, values: np.ndarray, grid: int) -> Case:
    expected = values.reshape(-1, 4, 8).transpose(0, 2, 1).ravel().copy()
    arguments = (values, np.zeros_like(values))
    return launch("exchange", "transpose_tile", label, grid, len(values) // grid, arguments, {1: expected})


def polynomial(label: str, coefficients: np.ndarray, x: int) -> Case:
    value = sum(c * x**k for k, c in enumerate(coefficients.tolist()))
    expected = np.array([value % (1 << 32)], np.uint32)
    return launch("exchange", "polynomial", label, 1, 32, (coefficients, x, zeros(1)), {2: expected})


def warp_tree(label: str, values: np.ndarray, grid: int) -> Case:
    expected = warps(values).sum(axis=1).astype(np.int32)
    arguments = (values, np.zeros_like(expected))
    return launch("syncwarp", "warp_tree", label, grid, len(values) // grid, arguments, {1: expected})


def pairs(label: str, n: int, steps: int) -> Case:
    values = small(n, n)
    state = values.tolist()
    for s in range(steps):
        for k in range(0, n, 2):
            state[k] = state[k] * 3 + s
            state[k + 1] ^= state[k]
    return launch("syncwarp", "pairs", label, 1, n, (values, steps, np.zeros_like(values)), {2: i32(state)})


def divergent_then_shuffle(label: str, lengths: np.ndarray) -> Case:
    sums = [sum(k * (t % 32) for k in range(length) if k % 3 != 2) for t, length in enumerate(lengths.tolist())]
    expected = i32([s + sums[t ^ 1] for t, s in enumerate(sums)])
    arguments = (lengths, np.zeros_like(expected))
    return launch("syncwarp", "divergent_then_shuffle", label, 1, len(lengths), arguments, {1: expected})


def warp_pipeline(label: str, values: np.ndarray, count: int) -> Case:
    state = values.copy()
    for warp in range(count):
        state = state + warp + 1 + np.concatenate([[0], state[:-1]])
    arguments = (values, np.zeros_like(values))
    return launch("syncwarp", "warp_pipeline", label, 1, 32 * count, arguments, {1: i32(state)})


CASES: list[Case] = [
    warp_sum("one", 32, 1, 32),
    warp_sum("ragged", 75, 2, 64),
    butterfly_extremes("small", small(1, 32), 1),
    butterfly_extremes("edges", np.tile(i32([2**31 - 1, -(2**31), 0, -1]), 16), 1),
    group_product("one", words(2, 32), 1),
    group_product("two", words(3, 128), 2),
    warp_sum64("wide", words(4, 64, np.int64) >> 8, 2),
    warp_sum64("carry", np.full(32, 0xFFFFFFFF, np.int64), 1),
    block_sum("ragged", 100, 1, 64),
    block_sum("stride", 201, 2, 32),
    block_sum("few", 3, 1, 96),
    warp_argmax("random", words(5, 64, np.int16), 1),
    warp_argmax("ties", np.repeat(np.array([3, -2, 3, 1], np.int16), 8), 1),
    warp_scan("random", small(6, 64), 1),
    warp_scan("ones", np.ones(32, np.int32), 1),
    block_scan("whole", 96, 96),
    block_scan("ragged", 41, 64),
    segmented_scan("random", small(7, 64), rng(8).integers(0, 4, 64) == 0, 2),
    segmented_scan("no heads", small(9, 32), np.zeros(32, np.bool_), 1),
    segmented_scan("all heads", small(10, 32), np.ones(32, np.bool_), 1),
    running_max("random", small(11, 64), 2),
    running_max("edges", np.tile(i32([-(2**31), 2**31 - 1, -5, 0]), 8), 1),
    warp_votes("mixed", small(12, 96), 0, 1),
    warp_votes("all", i32([5] * 32), 4, 1),
    warp_votes("none", i32([-5] * 64), 4, 2),
    ragged_votes("45 threads", [k % 3 == 0 for k in range(45)]),
    ragged_votes("full", [1] * 37),
    ragged_votes("5 threads", [0, 1, 1, 0, 1]),
    ragged_votes("64 threads", [1] * 32 + [0] * 32),
    block_votes("ragged", small(13, 80, 0, 30), 40),
    block_votes("warps", i32([1] * 64), 64),
    block_votes("one", i32([0, 7]), 1),
    vote_loop("random", words(14, 32) >> np.uint32(20), 1),
    vote_loop("two warps", np.repeat(np.array([0, 1, 1, 13], np.uint32), 16), 1),
    vote_in_branch("mixed", small(15, 32, -150, 150)),
    vote_in_branch("negative", i32([-1, -2] * 16)),
    compact_warp("mixed", small(16, 32)),
    compact_warp("none", i32([0] * 32)),
    compact_warp("all", i32(range(1, 33))),
    aggregated_count("ragged", 70, 3, 2, 64),
    aggregated_count("none", 32, 97, 1, 32),
    compact_block("ragged", 50, 64),
    compact_block("whole", 96, 96),
    split_by_bit("5 bits", words(17, 32) % np.uint32(32), 5),
    split_by_bit("low bits", words(18, 32), 3),
    group_peers("few values", small(19, 64, 0, 5), 1),
    group_peers("same", i32([7] * 32), 1),
    group_peers("distinct", i32(range(32)), 1),
    histogram_by_match("ragged", 45, 6, 2, 32),
    histogram_by_match("one bin", 32, 1, 1, 32),
    uniform("mixed", np.repeat(np.array([1 << 40, -1, 5, 5], np.int64), 16), 1),
    uniform("high word", np.array([1] * 31 + [(1 << 32) + 1], np.int64), 1),
    broadcast_from("lanes", words(20, 96, np.int32), [0, 31, 17], 1),
    broadcast_from("wrapped", words(21, 64, np.int32), [33, 5], 2),
    rotate_and_reverse("by 1", words(22, 32), 1, 1),
    rotate_and_reverse("by 31", words(23, 64), 31, 1),
    gather_in_groups("random", words(24, 64, np.int32), small(25, 64, 0, 8), 2),
    gather_in_groups("same", words(26, 32, np.int32), i32([3] * 32), 1),
    bitonic_warp("ascending", words(27, 64, np.int32), False, 1),
    bitonic_warp("descending", small(28, 32, 0, 9), True, 1),
    adjacent_difference("random", small(29, 64), 2),
    adjacent_difference("one", small(30, 32), 1),
    transpose_tile("one", words(31, 32, np.int16), 1),
    transpose_tile("four", words(32, 128, np.int16), 2),
    polynomial("small", np.arange(32, dtype=np.uint32), 2),
    polynomial("wrapping", words(33, 32), 0x9E3779B9),
    polynomial("zero", words(34, 32), 0),
    warp_tree("one", small(35, 32), 1),
    warp_tree("three", small(36, 96), 1),
    pairs("one warp", 32, 3),
    pairs("two warps", 64, 2),
    pairs("no steps", 32, 0),
    divergent_then_shuffle("random", rng(37).integers(0, 9, 32, np.uint8)),
    divergent_then_shuffle("two warps", np.tile(np.array([0, 7], np.uint8), 32)),
    warp_pipeline("three warps", small(38, 32), 3),
    warp_pipeline("one warp", small(39, 32), 1),
]
