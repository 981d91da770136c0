"""Number theory and long arithmetic, against Python's integers, math and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from corpus.case import Case
from corpus.inputs import linear, rng, words, zeros

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
#: For each output of a kernel: the function of a thread's inputs, and the type.
Results = Sequence[tuple[Callable[..., int], type[np.generic]]]


def u32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.uint32)


def u64(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.uint64)


def i32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)


def each(
    file: str,
    kernel: str,
    label: str,
    block: int,
    arguments: Sequence[np.ndarray | int],
    results: Results,
) -> Case:
    """Kernels (inputs..., outputs..., n), one thread an element; inputs may be scalars that all share."""
    n = next(len(a) for a in arguments if isinstance(a, np.ndarray))
    columns = [a.tolist() if isinstance(a, np.ndarray) else [a] * n for a in arguments]
    rows = list(zip(*columns, strict=True))
    expected = {len(columns) + k: np.array([f(*row) for row in rows], t) for k, (f, t) in enumerate(results)}
    everything = (*arguments, *(np.zeros_like(e) for e in expected.values()), n)
    return linear(f"numbers/{file}.cu", kernel, label, n, block, everything, expected)


@cache
def is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def sieve(label: str, n: int, block: int) -> Case:
    expected = np.array([is_prime(k) for k in range(n)], np.uint8)
    return Case("numbers/sieve.cu", "sieve", label, (1,), (block,), (np.zeros_like(expected), n), n, {0: expected})


def segmented_sieve(label: str, first: int, length: int, grid: int, block: int) -> Case:
    last = first + length * grid
    small = i32([p for p in range(2, math.isqrt(last) + 1) if is_prime(p)])
    found = i32([sum(map(is_prime, range(b, b + length))) for b in range(first, last, length)])
    arguments = (small, len(small), first, length, np.zeros_like(found))
    return Case("numbers/sieve.cu", "segmented_sieve", label, (grid,), (block,), arguments, 0, {4: found})


def factors_of(n: int) -> list[int]:
    for d in range(2, math.isqrt(n) + 1):
        if n % d == 0:
            return [d, *factors_of(n // d)]
    return [n] if n > 1 else []


def factorise(label: str, numbers: Sequence[int], block: int) -> Case:
    factors = [factors_of(n)[:8] for n in numbers]
    table = u32([f + [0] * (8 - len(f)) for f in factors])
    count = i32([len(f) for f in factors])
    arguments = (u32(numbers), np.zeros_like(table), np.zeros_like(count), len(numbers))
    return linear("numbers/primes.cu", "factorise", label, len(numbers), block, arguments, {1: table, 2: count})


def miller_rabin(label: str, numbers: Sequence[int], primes: Sequence[int]) -> Case:
    """``primes``: those of the numbers that are prime, from a table."""
    expected = i32([n not in primes for n in numbers])
    arguments = (u32(numbers), np.zeros_like(expected))
    return Case("numbers/primes.cu", "miller_rabin", label, (len(numbers),), (3,), arguments, 0, {1: expected})


def goldbach(label: str, limit: int, block: int) -> Case:
    evens = range(4, limit + 1, 2)
    expected = i32([next(p for p in range(2, e) if is_prime(p) and is_prime(e - p)) for e in evens])
    arguments = (limit, np.zeros_like(expected))
    return linear("numbers/primes.cu", "goldbach", label, len(evens), block, arguments, {1: expected})


def gcd_of_array(label: str, values: Sequence[int], block: int) -> Case:
    arguments = (u32(values), len(values), zeros(1))
    expected = {2: u32([math.gcd(*values)])}
    return Case("numbers/gcd.cu", "gcd_of_array", label, (1,), (block,), arguments, 0, expected)


def modular_inverse(label: str, values: Sequence[int], modulus: int, block: int) -> Case:
    def inverse(x: int, m: int) -> int:
        return pow(x, -1, m) if math.gcd(x, m) == 1 else 0

    return each("gcd", "modular_inverse", label, block, (i32(values), modulus), [(inverse, np.int32)])


def chinese_remainder(label: str, moduli: Sequence[int], solutions: Sequence[int], block: int) -> Case:
    remainders = u32([[x % m for m in moduli] for x in solutions])
    n, expected = len(solutions), {3: u64(solutions)}
    arguments = (remainders, u32(moduli), len(moduli), zeros(n, np.uint64), n)
    return linear("numbers/gcd.cu", "chinese_remainder", label, n, block, arguments, expected)


def montgomery(label: str, a: np.ndarray, b: np.ndarray, modulus: int, block: int) -> Case:
    def reduced(x: int, y: int, m: int) -> int:
        return x * y * pow(1 << 32, -1, m) % m

    m = np.uint32(modulus)
    return each("powers", "montgomery", label, block, (a % m, b % m, modulus), [(reduced, np.uint32)])


def cube(n: int) -> int:
    root = round(n ** (1 / 3))
    return next(r for r in range(root + 2, -1, -1) if r**3 <= n)


def digit_facts(label: str, numbers: Sequence[int], block: int) -> Case:
    results: Results = [
        (lambda x: sum(map(int, str(x))), np.int32),
        (lambda x: (x - 1) % 9 + 1 if x else 0, np.int32),
        (lambda x: int(str(x)[::-1]), np.uint32),
        (lambda x: sum(int(d) ** len(str(x)) for d in str(x)) == x, np.bool_),
    ]
    return each("digits", "digit_facts", label, block, (u32(numbers),), results)


def happy(label: str, first: int, n: int, block: int) -> Case:
    def follow(x: int, seen: tuple[int, ...] = ()) -> bool:
        return x == 1 or (x not in seen and follow(sum(int(d) ** 2 for d in str(x)), (*seen, x)))

    expected = np.array([follow(x) for x in range(first, first + n)])
    return linear("numbers/digits.cu", "happy", label, n, block, (first, np.zeros_like(expected), n), {1: expected})


def kaprekar(label: str, numbers: Sequence[int], block: int) -> Case:
    def steps(x: int) -> int:
        digits = sorted(f"{x:04}")
        if len(set(digits)) == 1:
            return -1
        return 0 if x == 6174 else 1 + steps(int("".join(digits[::-1])) - int("".join(digits)))

    return each("digits", "kaprekar", label, block, (np.array(numbers, np.int16),), [(steps, np.int8)])


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def collatz_path(x: int) -> list[int]:
    path = [x]
    while path[-1] > 1:
        path.append(3 * path[-1] + 1 if path[-1] % 2 else path[-1] // 2)
    return path


def collatz(label: str, start: Sequence[int], block: int) -> Case:
    results: Results = [
        (lambda x: len(collatz_path(x)) - 1, np.int32),
        (lambda x: max(collatz_path(x)), np.uint32),
    ]
    return each("sequences", "collatz", label, block, (u32(start),), results)


def longest_collatz(label: str, limit: int, block: int) -> Case:
    best = max(range(1, limit), key=lambda x: (len(collatz_path(x)), -x))
    expected = u32([len(collatz_path(best)) << 16 | 0xFFFF - best])
    arguments = (limit, zeros(1))
    return linear("numbers/sequences.cu", "longest_collatz", label, limit - 1, block, arguments, {1: expected})


def pascal(label: str, rows: int, modulus: int, block: int) -> Case:
    expected = u32([math.comb(r, k) % modulus for r in range(rows) for k in range(r + 1)])
    arguments = (np.zeros_like(expected), rows, modulus)
    return Case("numbers/sequences.cu", "pascal", label, (1,), (block,), arguments, 0, {0: expected})


def listed(kernel: str, label: str, values: np.ndarray, block: int) -> Case:
    """Kernels (out, n)."""
    arguments = (np.zeros_like(values), len(values))
    return linear("numbers/sequences.cu", kernel, label, len(values), block, arguments, {0: values})


def partitions(label: str, n: int, block: int) -> Case:
    @cache
    def ways(total: int, largest: int) -> int:
        return 1 if total == 0 else sum(ways(total - p, p) for p in range(1, min(total, largest) + 1))

    expected = u32([ways(k, k) for k in range(n)])
    arguments = (zeros(n), n)
    return Case("numbers/sequences.cu", "partitions", label, (1,), (block,), arguments, 0, {0: expected})


def aliquot(n: int) -> int:
    return sum(d for d in range(1, n) if n % d == 0)


def classify(label: str, numbers: Sequence[int], block: int) -> Case:
    kinds = [1 if aliquot(n) == n else 2 if aliquot(n) > n else 0 for n in numbers]
    expected = {1: np.array(kinds, np.uint8), 2: i32([kinds.count(k) for k in range(3)])}
    n = len(numbers)
    arguments = (i32(numbers), zeros(n, np.uint8), zeros(3, np.int32), n)
    return linear("numbers/divisors.cu", "classify", label, n, block, arguments, expected)


def totient(n: int) -> int:
    return sum(math.gcd(k, n) == 1 for k in range(1, n + 1))


def amicable(label: str, first: int, n: int, block: int) -> Case:
    partners = [aliquot(a) if aliquot(a) != a and aliquot(aliquot(a)) == a else 0 for a in range(first, first + n)]
    arguments = (first, n, zeros(n, np.int32))
    return linear("numbers/divisors.cu", "amicable", label, n, block, arguments, {2: i32(partners)})


# --- Big integers ----------------------------------------------------------------------------------------------------


def limbs_of(value: int, limbs: int) -> list[int]:
    return [value >> 32 * k & M32 for k in range(limbs)]


def table(values: Sequence[int], limbs: int) -> np.ndarray:
    return u32([limbs_of(v, limbs) for v in values])


def number(seed: int, limbs: int) -> int:
    return int.from_bytes(words(seed, limbs).tobytes(), "little")


def big_add(label: str, a: int, b: int, limbs: int, block: int) -> Case:
    total = a + b
    arguments = (u32(limbs_of(a, limbs)), u32(limbs_of(b, limbs)), zeros(limbs), limbs, zeros(1))
    expected = {2: u32(limbs_of(total, limbs)), 4: u32([total >> 32 * limbs])}
    return Case("numbers/big_integer.cu", "big_add", label, (1,), (block,), arguments, 0, expected)


def big_pairs(
    kernel: str, label: str, pairs: Sequence[tuple[int, int]], limbs: int, block: int, expected: np.ndarray
) -> Case:
    a, b = zip(*pairs, strict=True)
    arguments = (table(a, limbs), table(b, limbs), np.zeros_like(expected), limbs, len(pairs))
    return linear("numbers/big_integer.cu", kernel, label, len(pairs), block, arguments, {2: expected})


def big_subtract(label: str, pairs: Sequence[tuple[int, int]], limbs: int, block: int) -> Case:
    return big_pairs("big_subtract", label, pairs, limbs, block, table([a - b for a, b in pairs], limbs))


def big_multiply(label: str, pairs: Sequence[tuple[int, int]], limbs: int, block: int) -> Case:
    return big_pairs("big_multiply", label, pairs, limbs, block, table([a * b for a, b in pairs], 2 * limbs))


def big_compare(label: str, pairs: Sequence[tuple[int, int]], limbs: int, block: int) -> Case:
    order = np.array([(a > b) - (a < b) for a, b in pairs], np.int8)
    return big_pairs("big_compare", label, pairs, limbs, block, order)


def factorial_digits(label: str, n: int, capacity: int, block: int) -> Case:
    digits, limbs = str(math.factorial(n)), []
    while digits:
        digits, part = digits[:-4], digits[-4:]
        limbs.append(int(part))
    expected = np.array(limbs + [0] * (capacity - len(limbs)), np.uint16)
    arguments = (n, np.zeros_like(expected), capacity, zeros(1, np.int32))
    outputs = {1: expected, 3: i32([len(limbs)])}
    return Case("numbers/big_integer.cu", "factorial_digits", label, (1,), (block,), arguments, 0, outputs)


def big_divide_small(label: str, numbers: Sequence[int], divisors: Sequence[int], limbs: int, block: int) -> Case:
    pairs = list(zip(numbers, divisors, strict=True))
    expected = {0: table([a // b for a, b in pairs], limbs), 2: u32([a % b for a, b in pairs])}
    arguments = (table(numbers, limbs), u32(divisors), zeros(len(pairs)), limbs, len(pairs))
    return linear("numbers/big_integer.cu", "big_divide_small", label, len(pairs), block, arguments, expected)


# --- Fractions -------------------------------------------------------------------------------------------------------


def pairs_of(fractions: Sequence[Fraction]) -> np.ndarray:
    return i32([[f.numerator, f.denominator] for f in fractions])


def add_fractions(label: str, a: Sequence[Fraction], b: Sequence[Fraction], block: int) -> Case:
    expected = pairs_of([x + y for x, y in zip(a, b, strict=True)])
    arguments = (pairs_of(a), pairs_of(b), np.zeros_like(expected), len(a))
    return linear("numbers/rational.cu", "add_fractions", label, len(a), block, arguments, {2: expected})


def extreme_fractions(label: str, fractions: Sequence[Fraction], block: int) -> Case:
    expected = i32([fractions.index(min(fractions)), fractions.index(max(fractions))])
    arguments = (pairs_of(fractions), len(fractions), zeros(2, np.int32))
    return Case("numbers/rational.cu", "extreme_fractions", label, (1,), (block,), arguments, 0, {2: expected})


def continued_fraction(label: str, fractions: Sequence[Fraction], capacity: int, block: int) -> Case:
    rows, counts = [], []
    for f in fractions:
        terms = []
        while len(terms) < capacity:
            terms.append(math.floor(f))
            if f == terms[-1]:
                break
            f = 1 / (f - terms[-1])
        rows.append(terms + [0] * (capacity - len(terms)))
        counts.append(len(terms))
    n = len(fractions)
    arguments = (pairs_of(fractions), zeros((n, capacity), np.int32), capacity, zeros(n, np.int32), n)
    expected = {1: i32(rows), 3: i32(counts)}
    return linear("numbers/rational.cu", "continued_fraction", label, n, block, arguments, expected)


def fractions(seed: int, n: int) -> list[Fraction]:
    numbers = rng(seed).integers(-300, 300, (n, 2)).tolist()
    return [Fraction(a, abs(b) + 1) for a, b in numbers]


PRIME: Results = [(is_prime, np.bool_)]
GCD_LCM: Results = [(math.gcd, np.uint32), (math.lcm, np.uint64)]
GCD: Results = [(math.gcd, np.uint32)]
EDGE_PAIRS = (u32([0, 0, 7, M32, 1 << 31, 48, 17]), u32([0, 5, 0, M32, 1 << 30, 36, 13]))
POWER: Results = [(pow, np.uint32)]
PRODUCT: Results = [(lambda a, b, m: a * b % m, np.uint64)]
SQUARE: Results = [(math.isqrt, np.uint16)]
SQUARE64: Results = [(math.isqrt, np.uint32)]
CUBE: Results = [(cube, np.uint32)]
TOTIENT: Results = [(totient, np.uint32)]
HALF = Fraction(1, 2)
LARGEST = (1 << 96) - 1

CASES: list[Case] = [
    sieve("100", 100, 32),
    sieve("ragged", 53, 7),
    sieve("two", 3, 4),
    segmented_sieve("from 100", 100, 32, 2, 8),
    segmented_sieve("ragged", 2, 19, 3, 4),
    each("primes", "trial_division", "edges", 4, (u32([0, 1, 2, 3, 4, 9, 25, 49, 97, 2047]),), PRIME),
    each("primes", "trial_division", "ragged", 32, (u32(list(range(50, 90))),), PRIME),
    each("primes", "trial_division", "large", 1, (u32([10007]),), PRIME),
    factorise("edges", [0, 1, 2, 256, 97, 360, 1024], 4),
    factorise("ragged", [30030, 6469, 999, 1 << 31, 8], 2),
    miller_rabin("edges", [0, 1, 2, 3, 4, 7, 61], [2, 3, 7, 61]),
    miller_rabin("large", [65537, 3215031751], [65537]),
    goldbach("to 40", 40, 16),
    goldbach("ragged", 24, 4),
    each("gcd", "gcd_lcm", "edges", 4, EDGE_PAIRS, GCD_LCM),
    each("gcd", "gcd_lcm", "ragged", 4, (words(1, 9), words(2, 9) >> np.uint32(8)), GCD_LCM),
    each("gcd", "binary_gcd", "edges", 8, EDGE_PAIRS, GCD),
    each("gcd", "binary_gcd", "ragged", 4, (words(3, 5), words(4, 5)), GCD),
    gcd_of_array("stride", [36 * k for k in range(1, 14)], 4),
    gcd_of_array("zeros", [0, 0, 18, 0, 27], 8),
    gcd_of_array("one", [42], 1),
    modular_inverse("prime", [1, 2, 3, 500, 1008, 0, -1], 1009, 4),
    modular_inverse("composite", list(range(1, 13)), 12, 8),
    chinese_remainder("sun tzu", [3, 5, 7], [23, 0, 104], 4),
    chinese_remainder("primes", [11, 13, 17], [2430, 1, 2000], 2),
    each("powers", "power_mod", "edges", 4, (u32([0, 2, M32, 5, 7]), u32([0, 31, 257, 1, 0]), 1000000007), POWER),
    each("powers", "power_mod", "one", 1, (u32([5]), u32([3]), 1), POWER),
    each("powers", "power_mod", "ragged", 2, (words(5, 3), words(6, 3) >> np.uint32(20), M32), POWER),
    each("powers", "multiply_mod64", "edges", 4, (u64([0, M64, 1 << 62]), u64([5, M64, 3]), (1 << 63) - 25), PRODUCT),
    each("powers", "multiply_mod64", "small", 2, (words(7, 3, np.uint64), u64([1, 200, 77]), 1000003), PRODUCT),
    montgomery("small", u32([0, 1, 5, 96]), u32([3, 1, 7, 96]), 97, 4),
    montgomery("large", words(8, 7), words(9, 7), 4294967291, 4),
    each("powers", "square_root", "edges", 4, (u32([0, 1, 3, 4, 15, 16, M32, 65535**2, 65535**2 - 1]),), SQUARE),
    each("powers", "square_root", "ragged", 8, (words(10, 13),), SQUARE),
    each("powers", "cube_root", "edges", 4, (u64([0, 1, 7, 8, 26, 27, M64, 2642245**3, 2642245**3 - 1]),), CUBE),
    each("powers", "cube_root", "random", 4, (words(11, 3, np.uint64),), CUBE),
    each("powers", "newton_root64", "edges", 4, (u64([0, 1, 2, 4, M32, 1 << 32, M64, M32 * M32]),), SQUARE64),
    each("powers", "newton_root64", "random", 4, (words(12, 5, np.uint64),), SQUARE64),
    digit_facts("edges", [0, 9, 10, 153, 370, 9474, 100, 123456789], 4),
    digit_facts("ragged", rng(13).integers(0, 100000, 9).tolist(), 8),
    happy("from 1", 1, 20, 8),
    happy("large", 1000000000, 3, 4),
    kaprekar("mixed", [6174, 1, 1112, 3524, 9998, 5555, 0], 4),
    kaprekar("one", [2111], 1),
    each(
        "sequences",
        "fibonacci_mod",
        "edges",
        4,
        (u32([0, 1, 2, 10, M32]), 10000),
        [(lambda k, m: fibonacci(k % 15000) % m, np.uint32)],
    ),
    each(
        "sequences",
        "fibonacci_mod",
        "ragged",
        4,
        (u32([90, 91, 1000, 7, 12]), 46337),
        [(lambda k, m: fibonacci(k) % m, np.uint32)],
    ),
    listed("fibonacci64", "to 20", u64([fibonacci(k) for k in range(21)]), 8),
    listed("fibonacci64", "zero", u64([0]), 2),
    listed("catalan", "to 30", u64([math.comb(2 * k, k) // (k + 1) for k in range(31)]), 16),
    listed("catalan", "ragged", u64([math.comb(2 * k, k) // (k + 1) for k in range(5)]), 4),
    collatz("edges", [1, 2, 3, 27, 0], 4),
    collatz("ragged", list(range(5, 18)), 8),
    longest_collatz("to 30", 30, 16),
    longest_collatz("ragged", 10, 4),
    pascal("10 rows", 10, 1000003, 16),
    pascal("parity", 17, 2, 32),
    pascal("one", 1, 1, 1),
    partitions("20", 20, 4),
    partitions("ragged", 11, 16),
    partitions("one", 1, 2),
    classify("small", [0, 1, 2, 6, 12, 28, 97], 4),
    classify("ragged", [496, 945, 100, 64, 36], 8),
    each("divisors", "totient", "edges", 4, (u32([1, 2, 9, 36, 97, 1000]),), TOTIENT),
    each("divisors", "totient", "ragged", 8, (u32(list(range(60, 73))),), TOTIENT),
    amicable("220", 219, 3, 4),
    amicable("284", 280, 7, 4),
    big_add("carries", LARGEST, 1, 3, 4),
    big_add("no carry", (1 << 64) - 1, 1, 5, 8),
    big_add("random", number(14, 24), number(15, 24), 24, 32),
    big_add("one limb", M32, M32, 1, 1),
    big_subtract("edges", [(0, 0), (1 << 64, 1), (0, 1), (LARGEST, LARGEST), (5, 1 << 95)], 3, 4),
    big_subtract("random", [(number(16, 5), number(17, 5)), (number(18, 5), number(19, 5))], 5, 2),
    big_multiply("edges", [(0, LARGEST), (LARGEST, LARGEST), (1 << 32, 1 << 64)], 3, 4),
    big_multiply("random", [(number(20, 6), number(21, 6))], 6, 1),
    big_compare("edges", [(0, 0), (1 << 64, M64), (M64, 1 << 64), (LARGEST, LARGEST - 1), (7, 7)], 3, 4),
    big_compare("high bit", [(1 << 31, 1), (1, 1 << 31)], 1, 4),
    factorial_digits("12", 12, 8, 4),
    factorial_digits("30", 30, 10, 1),
    factorial_digits("zero", 0, 1, 1),
    big_divide_small("edges", [LARGEST, 0, 1 << 64, 12345], [M32, 7, 3, 1], 3, 4),
    big_divide_small("random", [number(22, 4), number(23, 4)], [1000000007, 10], 4, 2),
    add_fractions("halves", [HALF, -HALF, 0 * HALF], [HALF, HALF, HALF], 4),
    add_fractions("ragged", fractions(24, 5), fractions(25, 5), 4),
    extreme_fractions("mixed", fractions(26, 9), 1),
    extreme_fractions("ties", [HALF, Fraction(-3), HALF, Fraction(-3)], 2),
    continued_fraction("known", [Fraction(355, 113), Fraction(-7, 3), Fraction(0), Fraction(415, 93)], 5, 4),
    continued_fraction("cut", fractions(27, 3), 2, 2),
]
