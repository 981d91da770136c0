"""Random number generators, against NumPy's own, published outputs and plain Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corpus.case import Case
from corpus.inputs import linear, words, zeros

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1


def u32(values: list[int]) -> np.ndarray:
    return np.array([v & M32 for v in values], np.uint32)


def lcg_sequence(seed: int) -> Iterator[int]:
    while True:
        yield seed
        seed = (seed * 1664525 + 1013904223) % (1 << 32)


def take(stream: Iterator[int], count: int) -> list[int]:
    return [next(stream) for _ in range(count)]


def lcg_streams(label: str, seeds: list[int], draws: int, block: int) -> Case:
    expected = np.array([take(lcg_sequence(s), draws + 1)[1:] for s in seeds], np.uint32).T.copy()
    arguments = (u32(seeds), np.zeros_like(expected), draws, len(seeds))
    return linear("random/lcg.cu", "lcg_streams", label, len(seeds), block, arguments, {1: expected})


def lcg_jump(label: str, seed: int, first: int, n: int, block: int) -> Case:
    expected = u32(take(lcg_sequence(seed), first + n)[first:])
    return linear("random/lcg.cu", "lcg_jump", label, n, block, (seed, first, zeros(n), n), {2: expected})


def ansi_rand(label: str, seed: int, draws: int) -> Case:
    values, state = [], seed
    for _ in range(draws):
        state = (state * 1103515245 + 12345) % (1 << 64)
        values.append((state >> 16) % 32768)
    expected = np.array(values, np.int16)
    return linear("random/lcg.cu", "ansi_rand", label, 4, 2, (seed, np.zeros_like(expected), draws), {1: expected})


def xorshift(x: int, shifts: tuple[int, ...], bits: int) -> int:
    for shift in shifts:
        x ^= (x << shift if shift > 0 else x >> -shift) % (1 << bits)
    return x


def xorshift32(label: str, seeds: list[int], steps: int, block: int) -> Case:
    ends, sums = [], []
    for x in seeds:
        total = 0
        for _ in range(steps):
            x = xorshift(x, (13, -17, 5), 32)
            total += x % 256
        ends.append(x)
        sums.append(total)
    arguments = (u32(seeds), zeros(len(seeds)), steps, len(seeds))
    expected = {0: u32(ends), 1: u32(sums)}
    return linear("random/xorshift.cu", "xorshift32", label, len(seeds), block, arguments, expected)


def xorshift64star(label: str, seeds: np.ndarray, draws: int, grid: int, block: int) -> Case:
    out = []
    for seed in seeds:
        x = int(seed)
        for _ in range(draws):
            x = xorshift(x, (-12, 25, -27), 64)
            out.append(x * 0x2545F4914F6CDD1D % (1 << 64) >> 32)
    arguments = (seeds, zeros(len(out)), draws, len(seeds))
    return Case("random/xorshift.cu", "xorshift64star", label, (grid,), (block,), arguments, 0, {1: u32(out)})


def xorshift128_range(label: str, states: np.ndarray, low: int, high: int, draws: int, block: int) -> Case:
    ends, out = [], []
    for state in states:
        history = [int(x) for x in state]
        for _ in range(draws):
            t = history[-4] ^ history[-4] << 11 & M32
            history.append(history[-1] ^ history[-1] >> 19 ^ t ^ t >> 8)
            out.append(low + history[-1] % (high - low + 1))
        ends += history[-4:]
    arguments = (states, low, high, zeros(len(out)), draws, len(states))
    expected = {0: u32(ends).reshape(states.shape), 3: u32(out)}
    return linear("random/xorshift.cu", "xorshift128_range", label, len(states), block, arguments, expected)


def pcg_stream(seed: int, sequence: int) -> Iterator[int]:
    step, inc = 6364136223846793005, 2 * sequence + 1
    state = ((inc + seed) * step + inc) & M64
    while True:
        word, turn = (state >> 18 ^ state) >> 27 & M32, state >> 59
        yield (word >> turn | word << (32 - turn)) & M32
        state = (state * step + inc) & M64


def pcg32(label: str, seed: int, draws: int, n: int, block: int) -> Case:
    expected = u32([x for i in range(n) for x in take(pcg_stream(seed, i), draws)])
    return linear("random/pcg.cu", "pcg32", label, n, block, (seed, np.zeros_like(expected), draws, n), {1: expected})


def pcg32_dice(label: str, seed: int, sides: int, draws: int, n: int, block: int) -> Case:
    out = []
    for i in range(n):
        kept = (x % sides + 1 for x in pcg_stream(seed + i, 54) if x >= (1 << 32) % sides)
        out += take(kept, draws)
    arguments = (seed, sides, zeros(len(out)), draws, n)
    return linear("random/pcg.cu", "pcg32_dice", label, n, block, arguments, {2: u32(out)})


def philox(label: str, key: int, offset: int, n: int, block: int) -> Case:
    out = []
    for i in range(n):
        c = [offset + i & M32, 0, 0, 0]
        for r in range(10):
            k0, k1 = key + r * 0x9E3779B9 & M32, (key >> 32) + r * 0xBB67AE85 & M32
            p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [p1 >> 32 ^ c[1] ^ k0, p1 & M32, p0 >> 32 ^ c[3] ^ k1, p0 & M32]
        out += c
    return linear("random/philox.cu", "philox4x32", label, n, block, (key, offset, zeros(4 * n), n), {2: u32(out)})


def mt19937(label: str, seed: int, wanted: int, block: int) -> Case:
    generator = np.random.RandomState(seed)
    seeded = np.array(generator.get_state()[1], np.uint32)
    expected = generator.randint(0, 1 << 32, wanted, np.uint32)
    return Case(
        "random/mersenne.cu", "mt19937", label, (1,), (block,), (seeded, zeros(wanted), wanted), 0, {1: expected}
    )


def mt19937_seed(label: str, seed: int, count: int) -> Case:
    expected = np.array(np.random.RandomState(seed).get_state()[1][:count], np.uint32)
    return linear("random/mersenne.cu", "mt19937_seed", label, 1, 1, (seed, zeros(count), count), {1: expected})


def splitmix64(label: str, seed: int, n: int, block: int) -> Case:
    out = []
    for i in range(n):
        z = seed + (i + 1) * 0x9E3779B97F4A7C15 & M64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
        out.append(z ^ z >> 31)
    expected = np.array(out, np.uint64)
    return linear(
        "random/splitmix.cu", "splitmix64", label, n, block, (seed, np.zeros_like(expected), n), {1: expected}
    )


def lfsr16(label: str, seeds: list[int], steps: int, block: int) -> Case:
    galois, fibonacci = [], []
    for seed in seeds:
        g, bits = seed, [seed >> k & 1 for k in range(16)]
        for _ in range(steps):
            g = g >> 1 ^ (0xB400 if g % 2 else 0)
            bits = [*bits[1:], (bits[0] + bits[2] + bits[3] + bits[5]) % 2]
        galois.append(g)
        fibonacci.append(sum(bit << k for k, bit in enumerate(bits)))
    given = np.array(seeds, np.uint16)
    expected = {1: np.array(galois, np.uint16), 2: np.array(fibonacci, np.uint16)}
    arguments = (given, np.zeros_like(given), np.zeros_like(given), steps, len(seeds))
    return linear("random/lfsr.cu", "lfsr16", label, len(seeds), block, arguments, expected)


def lfsr8_period(label: str, taps: list[int], block: int) -> Case:
    periods = []
    for tap in taps:
        seen = [1]
        while True:
            following = seen[-1] >> 1 ^ (tap if seen[-1] % 2 else 0)
            if following in seen:
                break
            seen.append(following)
        periods.append(len(seen) if following == 1 else -1)
    arguments = (np.array(taps, np.uint8), zeros(len(taps), np.int32), len(taps))
    return linear(
        "random/lfsr.cu", "lfsr8_period", label, len(taps), block, arguments, {1: np.array(periods, np.int32)}
    )


def draws_from(state: int) -> Iterator[int]:
    while True:
        state = (state * 747796405 + 2891336453) & M32
        word = ((state >> (state >> 28) + 4) ^ state) * 277803737 & M32
        yield word >> 22 ^ word


def shuffle_decks(label: str, seed: int, cards: int, n: int, block: int) -> Case:
    decks = []
    for i in range(n):
        stream = draws_from(seed ^ (i * 0x9E3779B9 & M32))
        deck = list(range(cards))
        for k in range(cards - 1, 0, -1):
            other = next(stream) % (k + 1)
            deck[k], deck[other] = deck[other], deck[k]
        decks.append(deck)
    expected = np.array(decks, np.uint8)
    arguments = (seed, np.zeros_like(expected), cards, n)
    return linear("random/sampling.cu", "shuffle_decks", label, n, block, arguments, {1: expected})


def dice_histogram(label: str, seed: int, rolls: int, grid: int, block: int) -> Case:
    histogram = np.zeros(11, np.uint32)
    for i in range(grid * block):
        throws = take(draws_from(seed + i & M32), 2 * rolls)
        for a, b in zip(throws[::2], throws[1::2], strict=True):
            histogram[a % 6 + b % 6] += 1
    arguments = (seed, rolls, zeros(11))
    return Case("random/sampling.cu", "dice_histogram", label, (grid,), (block,), arguments, 0, {2: histogram})


def reservoir(label: str, length: int, seed: int, size: int, threads: int) -> Case:
    stream = words(length, length, np.int32)
    chosen = []
    for i in range(threads):
        mine, source = [int(x) for x in stream[:size]], draws_from(seed + i)
        for k in range(size, length):
            slot = next(source) % (k + 1)
            if slot < size:
                mine[slot] = int(stream[k])
        chosen += mine + [0] * (size - len(mine))
    expected = np.array(chosen, np.int32)
    arguments = (stream, length, seed, np.zeros_like(expected), size)
    return linear("random/sampling.cu", "reservoir", label, threads, threads, arguments, {3: expected})


def darts(label: str, seed: int, throws: int, grid: int, block: int) -> Case:
    hits = 0
    for i in range(grid * block):
        for word in take(draws_from(seed ^ i), throws):
            hits += (word % 65536 - 32768) ** 2 + ((word >> 16) - 32768) ** 2 <= 32767**2
    arguments = (seed, throws, zeros(1, np.int32))
    expected = {2: np.array([hits], np.int32)}
    return Case("random/sampling.cu", "darts", label, (grid,), (block,), arguments, 0, expected)


def middle_square(label: str, keys: np.ndarray, draws: int, block: int) -> Case:
    out = []
    for key in keys:
        x, s = 0, int(key) | 1
        for k in range(1, draws + 1):
            x = x * x + k * s & M64
            x = (x >> 32 | x << 32) & M64
        out.append(x)
    arguments = (keys, zeros(len(keys)), draws, len(keys))
    return linear("random/weyl.cu", "middle_square", label, len(keys), block, arguments, {1: u32(out)})


def threefry(label: str, key: tuple[int, int], counters: np.ndarray, block: int) -> Case:
    schedule = (*key, 0x1BD11BDA ^ key[0] ^ key[1])
    out = []
    for counter in counters:
        x, y = (int(c) + k & M32 for c, k in zip(counter, key, strict=True))
        for group in range(1, 6):
            for r in (13, 15, 26, 6) if group % 2 else (17, 29, 16, 24):
                x = x + y & M32
                y = (y << r | y >> 32 - r) & M32 ^ x
            x, y = x + schedule[group % 3] & M32, y + schedule[(group + 1) % 3] + group & M32
        out.append([x, y])
    expected = np.array(out, np.uint32)
    arguments = (key[0] | key[1] << 32, counters, len(counters))
    return linear("random/weyl.cu", "threefry2x32", label, len(counters), block, arguments, {1: expected})


CASES: list[Case] = [
    lcg_streams("small", [0, 1, M32], 3, 4),
    lcg_streams("ragged", list(range(100, 137)), 2, 16),
    lcg_jump("start", 0, 0, 5, 4),
    lcg_jump("far", 12345, 1000, 40, 32),
    ansi_rand("one", 1, 8),
    ansi_rand("zero", 0, 1),
    ansi_rand("wide", M64, 6),
    xorshift32("ones", [1, M32, 0x80000000, 0], 4, 4),
    xorshift32("ragged", list(range(1, 38)), 3, 32),
    xorshift32("no steps", [5], 0, 1),
    xorshift64star("small", np.array([1, M64, 1 << 63], np.uint64), 2, 1, 4),
    xorshift64star("stride", words(1, 11, np.uint64), 2, 2, 3),
    xorshift128_range("dice", words(2, (5, 4)), 1, 6, 3, 4),
    xorshift128_range("wide", words(3, (2, 4)), 0, M32 - 1, 2, 2),
    xorshift128_range("one value", words(4, (1, 4)), 9, 9, 2, 1),
    pcg32("zero", 0, 2, 4, 4),
    pcg32("ragged", 0xDEADBEEFCAFEF00D, 3, 5, 2),
    pcg32_dice("published", 42, 6, 8, 1, 1),
    pcg32_dice("rejects", 7, 3000000000, 4, 3, 4),
    pcg32_dice("one side", M64, 1, 2, 2, 1),
    philox("published", 0, 0, 1, 1),
    philox("ragged", 0x0123456789ABCDEF, M32 - 2, 6, 4),
    mt19937("seed 5489", 5489, 12, 64),
    mt19937("ragged", 1, 624, 256),
    mt19937_seed("seed 5489", 5489, 20),
    mt19937_seed("zero", 0, 3),
    splitmix64("published", 1234567, 5, 1),
    splitmix64("ragged", M64, 21, 8),
    splitmix64("zero", 0, 2, 4),
    lfsr16("steps", [0xACE1, 1, 0xFFFF], 20, 4),
    lfsr16("ragged", list(range(0, 60000, 6000)), 5, 8),
    lfsr16("zero", [0], 3, 1),
    lfsr8_period("maximal", [0xB8], 1),
    lfsr8_period("short", [0x80, 0x81, 0xC0, 0x40], 4),
    shuffle_decks("small", 1, 5, 3, 4),
    shuffle_decks("ragged", 99, 13, 5, 2),
    shuffle_decks("one card", 7, 1, 2, 2),
    dice_histogram("one block", 3, 2, 1, 16),
    dice_histogram("ragged", M32 - 5, 1, 2, 21),
    reservoir("sample", 20, 5, 4, 3),
    reservoir("short stream", 3, 5, 5, 2),
    darts("small", 1, 5, 1, 8),
    darts("ragged", 1000, 3, 3, 5),
    middle_square("edges", np.array([1, 0xB5AD4ECEDA1CE2A9, M64], np.uint64), 4, 4),
    middle_square("ragged", words(5, 9, np.uint64), 2, 4),
    threefry("zeros", (0, 0), np.zeros((1, 2), np.uint32), 1),
    threefry("ones", (M32, M32), np.full((2, 2), M32, np.uint32), 4),
    threefry("ragged", (0x13198A2E, 0x03707344), words(6, (5, 2)), 4),
]
