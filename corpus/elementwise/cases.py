"""One element a thread, against NumPy and Python's integers."""

from __future__ import annotations

import colorsys
import datetime
import math
import operator
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from corpus.case import Argument, Case
from corpus.inputs import i32, launch, linear, rng, small, u32, words, zeros

LOW, HIGH = -(2**31), 2**31 - 1
Outputs = Sequence[np.ndarray]


def over(
    file: str,
    kernel: str,
    label: str,
    n: int,
    block: int,
    arguments: Sequence[Argument],
    outputs: Outputs,
    after: Sequence[int] = (),
) -> Case:
    """Kernels (arguments..., outputs..., scalars after them...) over n elements."""
    expected = {len(arguments) + k: output for k, output in enumerate(outputs)}
    everything = (*arguments, *map(np.zeros_like, outputs), *after)
    return linear(f"elementwise/{file}.cu", kernel, label, n, block, everything, expected)


def mapped(
    file: str,
    kernel: str,
    label: str,
    block: int,
    arguments: Sequence[Argument],
    functions: Sequence[tuple[Callable[..., object], type[np.generic]]],
) -> Case:
    """Kernels (inputs..., outputs..., n); each output is a function of the element's inputs and the scalars."""
    n = next(len(a) for a in arguments if isinstance(a, np.ndarray))
    rows = list(zip(*(a.tolist() if isinstance(a, np.ndarray) else [a] * n for a in arguments), strict=True))
    outputs = [np.array([f(*row) for row in rows], t) for f, t in functions]
    return over(file, kernel, label, n, block, arguments, outputs, [n])


def in_place(
    file: str, kernel: str, label: str, n: int, block: int, arguments: Sequence[Argument], at: int, result: np.ndarray
) -> Case:
    return linear(f"elementwise/{file}.cu", kernel, label, n, block, arguments, {at: result})


# --- basic -----------------------------------------------------------------------------------------------------------


def vector_add(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    return over("basic", "vector_add", label, len(a), block, (a, b), [a + b], [len(a)])


def saxpy(label: str, alpha: int, n: int, block: int) -> Case:
    x, y = small(n, n), small(n + 1, n)
    return in_place("basic", "saxpy", label, n, block, (n, alpha, x, y), 3, alpha * x + y)


def clamp(label: str, values: np.ndarray, low: int, high: int, block: int) -> Case:
    n = len(values)
    return over("basic", "clamp", label, n, block, (values,), [np.clip(values, low, high)], [low, high, n])


def relu(label: str, values: np.ndarray, block: int) -> Case:
    result = np.where(values < 0, 0, values).astype(np.int32)
    return in_place("basic", "relu", label, len(values), block, (values, len(values)), 0, result)


def leaky_relu(label: str, values: np.ndarray, block: int) -> Case:
    return mapped("basic", "leaky_relu", label, block, (values,), [(lambda x: x if x > 0 else x // 8, np.int32)])


def absolute_and_sign(label: str, values: np.ndarray, block: int) -> Case:
    functions = [(abs, np.int32), (np.sign, np.int8)]
    return mapped("basic", "absolute_and_sign", label, block, (values,), functions)


def divide(label: str, a: Sequence[int] | np.ndarray, b: Sequence[int] | np.ndarray, block: int) -> Case:
    def quotient(x: int, y: int) -> int:
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    functions = [(quotient, np.int32), (lambda x, y: int(math.fmod(x, y)), np.int32)]
    return mapped("basic", "divide", label, block, (i32(a), i32(b)), functions)


def polynomial(label: str, x: np.ndarray, coefficients: Sequence[int], block: int) -> Case:
    y = sum(c * x.astype(np.int64) ** k for k, c in enumerate(coefficients))
    after = [i32(coefficients), len(coefficients) - 1, len(x)]
    arguments = (x, zeros(len(x), np.int32), *after)
    return linear("elementwise/basic.cu", "polynomial", label, len(x), block, arguments, {1: i32(y)})


# --- stride ----------------------------------------------------------------------------------------------------------


def fill_and_count(label: str, n: int, value: int, step: int, grid: int, block: int) -> Case:
    expected = i32(range(value, value + n * step, step) if step else [value] * n)
    arguments = (np.zeros_like(expected), value, step, n)
    return launch("elementwise/stride.cu", "fill_and_count", label, grid, block, arguments, {0: expected})


def scaled_difference(label: str, n: int, scale: int, grid: int, block: int) -> Case:
    a, b = small(n, n), small(n + 7, n)
    arguments = (a, b, np.zeros_like(a), scale, n)
    return launch("elementwise/stride.cu", "scaled_difference", label, grid, block, arguments, {2: (a - b) * scale})


def reverse_in_place(label: str, n: int, block: int) -> Case:
    values = words(n, n, np.int32)
    return in_place("stride", "reverse_in_place", label, n, block, (values, n), 0, values[::-1].copy())


def reverse_shared(label: str, n: int, block: int) -> Case:
    values = words(n, n, np.int16)
    arguments = (values, np.zeros_like(values), n)
    expected = {1: values[::-1].copy()}
    return linear("elementwise/stride.cu", "reverse_shared", label, n, block, arguments, expected, 2 * block)


def gather(label: str, source: int, n: int, block: int) -> Case:
    values, index = words(n, source, np.int32), rng(n).integers(0, source, n, np.uint8)
    return over("stride", "gather", label, n, block, (values, index), [values[index]], [n])


def scatter(label: str, index: Sequence[int], room: int, block: int) -> Case:
    """``index``: targets, all different, or -1."""
    values = words(room, len(index), np.int32)
    result = zeros(room, np.int32)
    for value, target in zip(values, index, strict=True):
        if target >= 0:
            result[target] = value
    return over("stride", "scatter", label, len(index), block, (values, i32(index)), [result], [len(index)])


def interleave(label: str, n: int, block: int) -> Case:
    even, odd = words(n, n, np.uint16), words(n + 1, n, np.uint16)
    result = np.stack([even, odd], axis=1).ravel()
    return over("stride", "interleave", label, 2 * n, block, (even, odd), [result], [n])


def rotate_left(label: str, n: int, by: int, block: int) -> Case:
    values = words(n, n, np.int32)
    return over("stride", "rotate_left", label, n, block, (values,), [np.roll(values, -by)], [by, n])


def add_bias(label: str, rows: int, columns: int, pitch: int, block: tuple[int, int]) -> Case:
    values, bias = small(rows, (rows, pitch)), small(columns, columns)
    result = np.zeros_like(values)
    result[:, :columns] = values[:, :columns] + bias
    arguments = (values, bias, np.zeros_like(values), rows, columns, pitch)
    grid = (-(-columns // block[0]), -(-rows // block[1]))
    return launch("elementwise/stride.cu", "add_bias", label, grid, block, arguments, {2: result})


# --- colour ----------------------------------------------------------------------------------------------------------


def invert(label: str, n: int, block: int) -> Case:
    data = words(n, n, np.uint8)
    return in_place("colour", "invert", label, n, block, (data, n), 0, ~data)


def brighten(label: str, n: int, by: int, block: int) -> Case:
    data = words(n, n, np.uint8)
    result = np.clip(data.astype(int) + by, 0, 255).astype(np.uint8)
    return over("colour", "brighten", label, n, block, (data,), [result], [by, n])


def to_rgb565(label: str, colours: np.ndarray, block: int) -> Case:
    r, g, b, _ = colours.astype(np.uint16).T
    result = r // 8 * 2048 + g // 4 * 32 + b // 8
    return over("colour", "to_rgb565", label, len(colours), block, (colours,), [result], [len(colours)])


def from_rgb565(label: str, packed: np.ndarray, block: int) -> Case:
    def widen(value: int, bits: int) -> int:
        return int((f"{value:0{bits}b}" * 2)[:8], 2)

    rows = [[widen(x >> 11, 5), widen(x >> 5 & 63, 6), widen(x & 31, 5), 255] for x in packed.tolist()]
    return over(
        "colour", "from_rgb565", label, len(packed), block, (packed,), [np.array(rows, np.uint8)], [len(packed)]
    )


def blend(label: str, top: np.ndarray, under: np.ndarray, block: int) -> Case:
    alpha = top[:, 3:].astype(int)
    colours = (top[:, :3] * alpha + under[:, :3] * (255 - alpha) + 127) // 255
    result = np.hstack([colours, under[:, 3:]]).astype(np.uint8)
    return over("colour", "blend", label, len(top), block, (top, under), [result], [len(top)])


def to_hsv(label: str, colours: np.ndarray, block: int) -> Case:
    def convert(r: int, g: int, b: int) -> tuple[int, int, int]:
        hue, _, _ = colorsys.rgb_to_hsv(r, g, b)  # a fraction of the circle
        high, chroma = max(r, g, b), max(r, g, b) - min(r, g, b)
        if not chroma:
            return 0, 0, high
        base, difference = (0, g - b) if high == r else (2, b - r) if high == g else (4, r - g)
        fixed = base * 256 + int(difference * 256 / chroma)
        assert abs((fixed % 1536) / 1536 - hue) % 1 < 2 / 1536
        return fixed % 1536, chroma * 255 // high, high

    result = np.array([convert(*c) for c in colours.tolist()], np.uint16)
    return over("colour", "to_hsv", label, len(colours), block, (colours,), [result], [len(colours)])


def look_up_palette(label: str, nibbles: Sequence[int], block: int) -> Case:
    packed = np.array([a + 16 * b for a, b in zip(nibbles[::2], [*nibbles[1::2], 0], strict=False)], np.uint8)
    result = np.array([k * (k + 2) for k in nibbles], np.uint8)
    return over("colour", "look_up_palette", label, len(nibbles), block, (packed,), [result], [len(nibbles)])


# --- wide ------------------------------------------------------------------------------------------------------------


def add64(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    return over("wide", "add64", label, len(a), block, (a, b), [a + b, a - b], [len(a)])


def multiply_wide(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    functions = [(operator.mul, np.int64), (lambda x, y: x % 2**32 * (y % 2**32), np.uint64)]
    return mapped("wide", "multiply_wide", label, block, (a, b), functions)


def multiply_q16(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    return mapped("wide", "multiply_q16", label, block, (a, b), [(lambda x, y: (x * y + 2**15) // 2**16, np.int32)])


def linear_interpolation(label: str, ends: np.ndarray, weights: Sequence[int], block: int) -> Case:
    def between(x: int, y: int, w: int) -> int:
        return x + (y - x) * w // 65536

    arguments = (ends[0].copy(), ends[1].copy(), np.array(weights, np.uint16))
    return mapped("wide", "linear_interpolation", label, block, arguments, [(between, np.int32)])


def clock_time(label: str, seconds: Sequence[int], block: int) -> Case:
    epoch = datetime.datetime(1970, 1, 1)
    moments = [epoch + datetime.timedelta(seconds=s) for s in seconds]
    days = u32([(m - epoch).days for m in moments])
    time = np.array([[m.hour, m.minute, m.second, m.isoweekday() % 7] for m in moments], np.uint8)
    arguments = (np.array(seconds, np.uint64),)
    return over("wide", "clock_time", label, len(seconds), block, arguments, [days, time], [len(seconds)])


def integer_root(label: str, values: Sequence[int], block: int) -> Case:
    functions = [(lambda x: min(math.isqrt(x), 65535), np.uint32)]
    return mapped("wide", "integer_root", label, block, (np.array(values, np.uint64),), functions)


# --- vectors ---------------------------------------------------------------------------------------------------------


def add_int4(label: str, n: int, block: int) -> Case:
    a, b = words(n, (n, 4), np.int32), words(n + 1, (n, 4), np.int32)
    return over("vectors", "add_int4", label, n, block, (a, b), [a + b], [n])


def complex_product(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    products = [complex(*x) * complex(*y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    result = i32([[int(p.real), int(p.imag)] for p in products])
    return over("vectors", "complex_product", label, len(a), block, (a, b), [result], [len(a)])


def cross_product(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    return over("vectors", "cross_product", label, len(a), block, (a, b), [i32(np.cross(a, b))], [len(a)])


def move_particles(label: str, n: int, size: int, steps: int, block: int) -> Case:
    state = np.zeros(n, [("x", "<i4"), ("y", "<i4"), ("vx", "<i2"), ("vy", "<i2")])
    random = rng(n)
    for axis in "xy":
        state[axis], state["v" + axis] = random.integers(0, size, n), random.integers(-3, 4, n)
    after = state.copy()
    for particle in after:
        for axis in "xy":
            position, speed = int(particle[axis]), int(particle["v" + axis])
            for _ in range(steps):
                inside = 0 <= position + speed < size
                position, speed = (position + speed, speed) if inside else (position - speed, -speed)
            particle[axis], particle["v" + axis] = position, speed
    as_words = [np.frombuffer(s.tobytes(), np.int32).reshape(n, 3).copy() for s in (state, after)]
    return in_place("vectors", "move_particles", label, n, block, (as_words[0], size, steps, n), 0, as_words[1])


def widen_bytes(label: str, n: int, scale: int, block: int) -> Case:
    data = words(n, (n, 4), np.int8)
    return over("vectors", "widen_bytes", label, n, block, (data,), [data.astype(np.int32) * scale], [scale, n])


def swap_pairs(label: str, n: int, block: int) -> Case:
    pairs = words(n, (n, 2), np.int64)
    return in_place("vectors", "swap_pairs", label, n, block, (pairs, n), 0, pairs[:, ::-1].copy())


# --- narrow ----------------------------------------------------------------------------------------------------------


def add_saturated(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    functions = [(lambda x, y: min(max(x + y, -128), 127), np.int8)]
    return mapped("narrow", "add_saturated", label, block, (a, b), functions)


def subtract_saturated(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    return mapped("narrow", "subtract_saturated", label, block, (a, b), [(lambda x, y: max(x - y, 0), np.uint16)])


def compare_bytes(label: str, a: np.ndarray, b: np.ndarray, block: int) -> Case:
    functions = [(lambda x, y: abs(x - y), np.uint8), (lambda x, y: math.ceil((x + y) / 2), np.uint8)]
    return mapped("narrow", "compare_bytes", label, block, (a, b), functions)


def quantise(label: str, values: np.ndarray, shift: int, zero: int, block: int) -> Case:
    rounded = np.floor(values / 2**shift + 0.5).astype(int) + zero
    result = np.clip(rounded, -128, 127).astype(np.int8)
    return over("narrow", "quantise", label, len(values), block, (values,), [result], [shift, zero, len(values)])


def wrap_around(label: str, values: np.ndarray, block: int) -> Case:
    n = len(values)
    return over(
        "narrow", "wrap_around", label, n, block, (values,), [values * np.int16(3), values.astype(np.uint8)], [n]
    )


def xor_stream(label: str, n: int, key: bytes, block: int) -> Case:
    data, repeated = words(n, n, np.uint8), np.resize(np.frombuffer(key, np.uint8), n)
    arguments = (data, np.frombuffer(key, np.uint8).copy(), len(key), n)
    return in_place("narrow", "xor_stream", label, n, block, arguments, 0, data ^ repeated)


# --- choices ---------------------------------------------------------------------------------------------------------


def fizz_buzz(label: str, first: int, n: int, block: int) -> Case:
    pattern = b"B..f.bf..fb.f.."
    result = np.array([pattern[k % 15] for k in range(first, first + n)], np.int8)
    return over("choices", "fizz_buzz", label, n, block, (first,), [result], [n])


def median_of_three(label: str, values: np.ndarray, block: int) -> Case:
    columns = tuple(column.copy() for column in values)
    return mapped("choices", "median_of_three", label, block, columns, [(lambda *x: median(x), np.int32)])


def days_of_month(label: str, years: Sequence[int], months: Sequence[int], block: int) -> Case:
    def days(year: int, month: int) -> int:
        return (datetime.date(year + month // 12, month % 12 + 1, 1) - datetime.date(year, month, 1)).days

    arguments = (i32(years), np.array(months, np.uint8))
    return mapped("choices", "days_of_month", label, block, arguments, [(days, np.uint8)])


def calculator(label: str, lines: Sequence[tuple[int, str, int]], block: int) -> Case:
    operations = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": lambda x, y: int(x / y) if y else -1,
        "&": operator.and_,
        "|": operator.or_,
        "^": operator.xor,
        "?": lambda x, y: 0,
    }
    a, symbols, b = zip(*lines, strict=True)
    result = i32([operations[s](x, y) for x, s, y in lines])
    arguments = (i32(a), i32(b), np.frombuffer("".join(symbols).encode(), np.int8).copy())
    return over("choices", "calculator", label, len(lines), block, arguments, [result], [len(lines)])


def income_tax(label: str, incomes: Sequence[int], brackets: Sequence[tuple[int, int]], block: int) -> Case:
    limits, percent = (list(column) for column in zip(*brackets, strict=True))

    def due(income: int) -> int:
        pieces = [min(income, high) - min(income, low) for low, high in zip([0, *limits], limits, strict=False)]
        return sum(piece // 100 * p for piece, p in zip(pieces, percent, strict=True))

    tax = u32([due(income) for income in incomes])
    arguments = (u32(incomes), np.zeros_like(tax), u32(limits), u32(percent), len(limits), len(incomes))
    return linear("elementwise/choices.cu", "income_tax", label, len(incomes), block, arguments, {1: tax})


EDGES = i32([LOW, LOW + 1, -1, 0, 1, HIGH - 1, HIGH])
BOUNDED = i32([-HIGH, -100, -1, 0, 1, 7, HIGH])
BRACKETS = [(1000_00, 0), (5000_00, 20), (20000_00, 35), (2**32 - 1, 45)]

CASES: list[Case] = [
    vector_add("ragged", small(1, 37), small(2, 37), 16),
    vector_add("wrapping", EDGES, EDGES[::-1] + i32([0, -1, 5, 0, 1, -1, 1]), 4),
    vector_add("one", i32([40]), i32([2]), 32),
    saxpy("ragged", 3, 29, 8),
    saxpy("negative", -1000, 64, 32),
    saxpy("zero", 0, 5, 8),
    clamp("symmetric", small(3, 33), -10, 10, 16),
    clamp("edges", EDGES, LOW, 0, 8),
    clamp("one value", small(4, 12), 5, 5, 12),
    relu("mixed", small(5, 45), 32),
    relu("edges", EDGES, 8),
    leaky_relu("mixed", small(6, 40), 16),
    leaky_relu("edges", EDGES, 4),
    absolute_and_sign("mixed", small(7, 30), 16),
    absolute_and_sign("edges", BOUNDED, 4),
    divide("signs", [7, -7, 7, -7, 0, 1, -1, 100, -100], [2, 2, -2, -2, 5, 9, 9, 7, 7], 4),
    divide("edges", [LOW, LOW, HIGH, HIGH, LOW, HIGH, 5], [2, LOW, HIGH, -1, HIGH, LOW, LOW], 8),
    divide("random", words(8, 10, np.int32), small(9, 10, 1, 1000), 8),
    polynomial("cubic", small(10, 21, -20, 20), [5, -3, 0, 2], 8),
    polynomial("constant", small(11, 9), [42], 16),
    polynomial("degree 5", small(12, 16, -9, 9), [1, -1, 2, -2, 3, -3], 16),
    fill_and_count("one block", 20, 7, 3, 1, 8),
    fill_and_count("more threads", 10, -5, -2, 2, 16),
    fill_and_count("constant", 33, 9, 0, 2, 8),
    scaled_difference("stride", 50, 3, 2, 8),
    scaled_difference("exact", 32, -7, 1, 32),
    scaled_difference("three blocks", 31, 100, 3, 4),
    reverse_in_place("odd", 31, 8),
    reverse_in_place("even", 24, 32),
    reverse_in_place("one", 1, 4),
    reverse_shared("whole blocks", 32, 8),
    reverse_shared("ragged", 29, 8),
    reverse_shared("one block", 13, 16),
    gather("small source", 5, 40, 16),
    gather("large source", 100, 21, 32),
    scatter("permutation", [3, 0, 4, 1, 5, 2], 6, 4),
    scatter("holes", [9, -1, 2, -1, 7, 0, -1], 12, 8),
    interleave("ragged", 11, 8),
    interleave("exact", 16, 32),
    rotate_left("by 3", 20, 3, 8),
    rotate_left("by 0", 9, 0, 16),
    rotate_left("by n - 1", 17, 16, 8),
    add_bias("padded", 5, 6, 8, (4, 2)),
    add_bias("tall", 9, 2, 3, (8, 4)),
    add_bias("exact", 4, 8, 8, (4, 4)),
    invert("ragged", 45, 16),
    invert("one", 1, 32),
    brighten("up", 30, 100, 16),
    brighten("down", 21, -77, 8),
    brighten("far", 8, 1000, 8),
    to_rgb565("random", words(13, (22, 4), np.uint8), 8),
    to_rgb565("edges", np.array([[0] * 4, [255] * 4, [8, 4, 8, 0], [7, 3, 7, 255]], np.uint8), 4),
    from_rgb565("random", words(14, 19, np.uint16), 8),
    from_rgb565("edges", np.array([0, 0xFFFF, 0xF800, 0x07E0, 0x001F], np.uint16), 8),
    blend("random", words(15, (12, 4), np.uint8), words(16, (12, 4), np.uint8), 8),
    blend("alpha 0 and 255", np.array([[9, 8, 7, 0], [9, 8, 7, 255]], np.uint8), words(17, (2, 4), np.uint8), 4),
    to_hsv("random", words(18, (10, 3), np.uint8), 4),
    to_hsv("primaries", np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0], [9, 9, 9]], np.uint8), 8),
    to_hsv("ties", np.array([[200, 200, 0], [0, 90, 90], [90, 0, 90], [255, 255, 254]], np.uint8), 4),
    look_up_palette("all", range(16), 8),
    look_up_palette("odd", [15, 0, 7, 7, 1], 4),
    add64("random", words(19, 14, np.int64), words(20, 14, np.int64), 8),
    add64("carries", np.array([0xFFFFFFFF, -1, 2**63 - 1, 0]), np.array([1, 1, 0, -(2**63)]), 4),
    multiply_wide("random", words(21, 13, np.int32), words(22, 13, np.int32), 8),
    multiply_wide("edges", EDGES, EDGES[::-1].copy(), 4),
    multiply_q16("fractions", small(23, 20, -(1 << 20), 1 << 20), small(24, 20, -(1 << 18), 1 << 18), 8),
    multiply_q16("rounding", i32([1, -1, 3, -3, 65536, 1]), i32([0x8000, 0x8000, 0x8000, 0x8000, -5, 0x7FFF]), 8),
    linear_interpolation("random", words(25, (2, 12), np.int32), words(26, 12, np.uint16).tolist(), 8),
    linear_interpolation("ends", i32([[LOW, HIGH, 5], [HIGH, LOW, 5]]), [0, 65535, 32768], 4),
    clock_time("past and future", [0, 86399, 86400, 951782400, 1700000000, 2**32, 13569465600], 4),
    clock_time("a week", range(3661, 7 * 90000, 90000), 8),
    integer_root("squares", [0, 1, 3, 4, 15, 16, 17, 99, 100, 2**32 - 1], 8),
    integer_root("beyond", [2**32, 2**64 - 1, 65535**2 - 1, 65535**2], 4),
    add_int4("ragged", 11, 8),
    add_int4("one", 1, 4),
    complex_product("random", small(27, (15, 2)), small(28, (15, 2)), 8),
    complex_product("units", i32([[0, 1], [1, 0], [0, -1]]), i32([[0, 1], [0, 1], [0, 1]]), 4),
    cross_product("random", small(29, (13, 3)), small(30, (13, 3)), 8),
    cross_product("parallel", i32([[1, 2, 3], [1, 0, 0]]), i32([[2, 4, 6], [0, 1, 0]]), 4),
    move_particles("bounces", 9, 12, 10, 8),
    move_particles("one step", 16, 100, 1, 16),
    move_particles("no step", 3, 50, 0, 4),
    widen_bytes("ragged", 13, 1000, 8),
    widen_bytes("negative", 8, -1, 8),
    swap_pairs("ragged", 7, 4),
    swap_pairs("exact", 8, 8),
    add_saturated("random", words(31, 37, np.int8), words(32, 37, np.int8), 16),
    add_saturated("edges", np.array([127, -128, 127, -128], np.int8), np.array([127, -128, -128, -1], np.int8), 4),
    subtract_saturated("random", words(33, 21, np.uint16), words(34, 21, np.uint16), 8),
    subtract_saturated("edges", np.array([0, 65535, 5, 5], np.uint16), np.array([65535, 0, 5, 6], np.uint16), 4),
    compare_bytes("random", words(35, 26, np.uint8), words(36, 26, np.uint8), 8),
    compare_bytes("edges", np.array([0, 255, 255], np.uint8), np.array([255, 0, 255], np.uint8), 4),
    quantise("small", small(37, 25, -3000, 3000), 4, 3, 8),
    quantise("halves", i32([8, -8, 24, -24, 7, -9, 100000, -100000]), 4, 0, 8),
    wrap_around("random", words(38, 18, np.int16), 8),
    wrap_around("edges", np.array([-32768, 32767, -1, 10923, 256], np.int16), 8),
    xor_stream("short key", 25, b"key", 8),
    xor_stream("long key", 10, b"longer than the data", 16),
    fizz_buzz("from 1", 1, 40, 16),
    fizz_buzz("far", 1_000_000_007, 17, 8),
    median_of_three("random", small(39, (3, 24)), 8),
    median_of_three("ties", i32([[1, 2, 2, LOW], [2, 1, 2, HIGH], [2, 2, 1, 0]]), 4),
    days_of_month("all of 2023", [2023] * 12, range(1, 13), 8),
    days_of_month("Februaries", [1900, 2000, 2024, 2100, 1996, 2001], [2] * 6, 4),
    calculator("each", [(7, o, -3) for o in "+-*/&|^?"], 4),
    calculator("zero", [(7, "/", 0), (0, "/", 7), (-9, "/", 4), (123456, "*", 1000), (5, "&", -1)], 8),
    income_tax("brackets", [0, 99900, 100000, 100100, 500000, 2000100, 123456789], BRACKETS, 4),
    income_tax("flat", [0, 1, 99, 100, 4000000000], [(2**32 - 1, 1)], 8),
]
