"""Text, against Python's strings, base64, re and fnmatch."""

from __future__ import annotations

import base64
import fnmatch
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby

import numpy as np

from corpus.case import Case
from corpus.inputs import characters, linear, pack, rng, words, zeros


def i32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)


def rows(texts: Sequence[str], stride: int) -> np.ndarray:
    """One text a row, filled with zero bytes."""
    return characters(b"".join(t.encode().ljust(stride, b"\0") for t in texts))


def letters(seed: int, length: int, alphabet: str = "ab") -> str:
    return "".join(rng(seed).choice(list(alphabet), length))


def each(
    file: str,
    kernel: str,
    label: str,
    texts: Sequence[str | bytes],
    f: Callable[..., object],
    dtype: type[np.generic],
    block: int,
) -> Case:
    """Kernels (text, offsets, out, n), one thread a text."""
    encoded = [t.encode() if isinstance(t, str) else t for t in texts]
    text, offsets = pack(encoded)
    if kernel != "utf8_length":
        text = text.view(np.int8)
    expected = np.array([f(t) for t in texts], dtype)
    arguments = (text, offsets, np.zeros_like(expected), len(texts))
    return linear(f"strings/{file}.cu", kernel, label, len(texts), block, arguments, {2: expected})


def find_all(label: str, text: str, pattern: str, block: int) -> Case:
    expected = np.array([text.startswith(pattern, k) for k in range(len(text))])
    arguments = (characters(text.encode()), len(text), characters(pattern.encode()), len(pattern), ~expected)
    return linear("strings/search.cu", "find_all", label, len(text), block, arguments, {4: expected})


def kmp(label: str, texts: Sequence[str], pattern: str, block: int) -> Case:
    stride, n = max(map(len, texts)) + 1, len(texts)
    counts = [len(re.findall(f"(?={re.escape(pattern)})", t)) for t in texts]
    arguments = (rows(texts, stride), stride, characters(pattern.encode()), len(pattern), *(zeros(n, np.int32),) * 2, n)
    expected = {4: i32([t.find(pattern) for t in texts]), 5: i32(counts)}
    return linear("strings/search.cu", "kmp", label, n, block, arguments, expected)


def glob(label: str, pattern: str, texts: Sequence[str], block: int) -> Case:
    stride, n = max(map(len, texts)) + 1, len(texts)
    expected = np.array([fnmatch.fnmatchcase(t, pattern) for t in texts])
    arguments = (characters(pattern.encode() + b"\0"), rows(texts, stride), stride, np.zeros_like(expected), n)
    return linear("strings/search.cu", "glob", label, n, block, arguments, {3: expected})


def mirrored(text: str) -> bool:
    return text == text[::-1]


def sentence(text: str) -> bool:
    kept = [c for c in text.lower() if c.isalnum()]
    return kept == kept[::-1]


def longest_palindrome(label: str, text: str, block: int) -> Case:
    parts = [(s, e) for s in range(len(text)) for e in range(s + 1, len(text) + 1) if text[s:e] == text[s:e][::-1]]
    start, end = max(parts, key=lambda p: (p[1] - p[0], -p[0]))
    expected = np.array([end - start << 16 | 0xFFFF - start], np.uint32)
    arguments = (characters(text.encode()), len(text), zeros(1))
    threads = 2 * len(text) - 1
    return linear("strings/palindromes.cu", "longest_palindrome", label, threads, block, arguments, {2: expected})


def shifted(text: str, by: Sequence[int]) -> str:
    def one(c: str, k: int) -> str:
        first = "a" if c.islower() else "A"
        return chr((ord(c) - ord(first) + k) % 26 + ord(first)) if c.isascii() and c.isalpha() else c

    return "".join(one(c, by[i % len(by)]) for i, c in enumerate(text))


def caesar(label: str, text: str, by: int, grid: int, block: int) -> Case:
    arguments = (characters(text.encode()), len(text), by)
    expected = {0: characters(shifted(text, [by]).encode())}
    return Case("strings/ciphers.cu", "caesar", label, (grid,), (block,), arguments, 0, expected)


def vigenere(label: str, text: str, key: str, decrypt: bool, block: int) -> Case:
    cipher = characters(shifted(text, [ord(c) - ord("a") for c in key]).encode())
    given, expected = characters(text.encode()), cipher
    if decrypt:
        given, expected = expected, given
    arguments = (given, np.zeros_like(given), len(text), characters(key.encode()), len(key), int(decrypt))
    return linear("strings/ciphers.cu", "vigenere", label, len(text), block, arguments, {1: expected})


def swap_case(label: str, text: str, block: int) -> Case:
    arguments = (characters(text.encode()), len(text), zeros(1, np.int32))
    expected = {0: characters(text.swapcase().encode()), 2: i32([sum(map(str.isalpha, text))])}
    return linear("strings/ciphers.cu", "swap_case", label, len(text), block, arguments, expected)


def atbash(label: str, text: str, block: int) -> Case:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    expected = characters(text.translate(str.maketrans(alphabet, alphabet[::-1])).encode(), np.uint8)
    arguments = (characters(text.encode(), np.uint8), np.zeros_like(expected), len(text))
    return linear("strings/ciphers.cu", "atbash", label, len(text), block, arguments, {1: expected})


def base64_encode(label: str, data: bytes, block: int) -> Case:
    expected = characters(base64.b64encode(data))
    arguments = (characters(data, np.uint8), len(data), np.zeros_like(expected))
    return linear("strings/base64.cu", "base64_encode", label, len(expected) // 4, block, arguments, {2: expected})


def base64_decode(label: str, data: bytes, block: int) -> Case:
    text = base64.b64encode(data)
    groups = len(text) // 4
    expected = characters(data.ljust(3 * groups, b"\0"), np.uint8)
    arguments = (characters(text), groups, np.zeros_like(expected), zeros(1, np.int32), zeros(1, np.int32))
    outputs = {2: expected, 3: i32([len(data)]), 4: i32([0])}
    return linear("strings/base64.cu", "base64_decode", label, groups, block, arguments, outputs)


def base64_error() -> Case:
    arguments = (characters(b"QUJD!UJD"), 2, zeros(6, np.uint8), zeros(1, np.int32), zeros(1, np.int32))
    outputs = {2: characters(b"ABC\0\0\0", np.uint8), 3: i32([3]), 4: i32([1])}
    return linear("strings/base64.cu", "base64_decode", "error", 2, 4, arguments, outputs)


def hex_dump(label: str, data: bytes, block: int) -> Case:
    expected = characters(data.hex().encode())
    arguments = (characters(data, np.uint8), len(data), np.zeros_like(expected))
    return linear("strings/base64.cu", "hex_dump", label, len(data), block, arguments, {2: expected})


def hex_parse(label: str, texts: Sequence[str], block: int) -> Case:
    valid = [re.fullmatch("[0-9a-fA-F]+", t) is not None for t in texts]
    values = [int(t, 16) if ok else 0 for t, ok in zip(texts, valid, strict=True)]
    n, width = len(texts), len(texts[0])
    arguments = (rows(texts, width), zeros(n), zeros(n, np.bool_), width, n)
    expected = {1: np.array(values, np.uint32), 2: np.array(valid)}
    return linear("strings/base64.cu", "hex_parse", label, n, block, arguments, expected)


def rle_encode(label: str, texts: Sequence[str], block: int) -> Case:
    def code(text: str) -> str:
        return "".join(f"{len(m[0])}{m[0][0]}" for m in re.finditer(r"(.)\1{0,8}", text))

    width, n = len(texts[0]), len(texts)
    arguments = (rows(texts, width), width, zeros(2 * width * n, np.int8), zeros(n, np.int32), n)
    expected = {2: rows([code(t) for t in texts], 2 * width), 3: i32([len(code(t)) for t in texts])}
    return linear("strings/run_length.cu", "rle_encode", label, n, block, arguments, expected)


def rle_decode(label: str, runs: Sequence[tuple[int, str]], block: int) -> Case:
    text = "".join(c * count for count, c in runs)
    counts = np.array([count for count, _ in runs], np.uint8)
    symbols = characters("".join(c for _, c in runs).encode())
    arguments = (counts, symbols, len(runs), zeros(len(text), np.int8), zeros(1, np.int32))
    expected = {3: characters(text.encode()), 4: i32([len(text)])}
    return Case("strings/run_length.cu", "rle_decode", label, (1,), (block,), arguments, 4 * block, expected)


def look_and_say(label: str, terms: int, block: int) -> Case:
    text = "1"
    for _ in range(terms - 1):
        text = "".join(f"{len(list(run))}{digit}" for digit, run in groupby(text))
    arguments = (terms, zeros(len(text), np.int8), len(text), zeros(1, np.int32))
    expected = {1: characters(text.encode()), 3: i32([len(text)])}
    return Case("strings/run_length.cu", "look_and_say", label, (1,), (block,), arguments, 0, expected)


def atoi(label: str, texts: Sequence[str], block: int) -> Case:
    def parse(text: str) -> tuple[int, int]:
        if not (found := re.fullmatch(" *([+-]?)(.*)", text)) or not found[2]:
            return 0, 1
        value, low = 0, -(2**31) if found[1] == "-" else -(2**31) + 1
        for digit in found[2]:
            if digit not in "0123456789":
                return 0, 2
            value = value * 10 - int(digit)
            if value < low:
                return 0, 3
        return (value if found[1] == "-" else -value), 0

    results = [parse(t) for t in texts]
    stride, n = max(map(len, texts)) + 1, len(texts)
    arguments = (rows(texts, stride), stride, zeros(n, np.int32), zeros(n, np.uint8), n)
    expected = {2: i32([v for v, _ in results]), 3: np.array([e for _, e in results], np.uint8)}
    return linear("strings/numbers_text.cu", "atoi_kernel", label, n, block, arguments, expected)


def itoa(label: str, values: Sequence[int], base: int, block: int) -> Case:
    expected = rows([np.base_repr(v, base).lower() for v in values], 33)
    arguments = (i32(values), base, np.full_like(expected, 1), len(values))
    return linear("strings/numbers_text.cu", "itoa_kernel", label, len(values), block, arguments, {2: expected})


@cache
def roman(n: int) -> str:
    """Digit by digit of the decimal number."""
    text = ""
    for place, (one, five, ten) in enumerate(("IVX", "XLC", "CDM", "M??")):
        digit = n // 10**place % 10
        pattern = ("", "1", "11", "111", "15", "5", "51", "511", "5111", "10")[digit]
        text = pattern.replace("1", one).replace("5", five).replace("0", ten) + text
    return text


def to_roman(label: str, values: Sequence[int], block: int) -> Case:
    expected = rows([roman(v) for v in values], 16)
    arguments = (np.array(values, np.int16), np.full_like(expected, 1), len(values))
    return linear("strings/numbers_text.cu", "to_roman", label, len(values), block, arguments, {1: expected})


def from_roman(label: str, values: Sequence[int], block: int) -> Case:
    expected = np.array(values, np.int16)
    arguments = (rows([roman(v) for v in values], 16), np.zeros_like(expected), len(values))
    return linear("strings/numbers_text.cu", "from_roman", label, len(values), block, arguments, {1: expected})


def count_words(label: str, text: str, block: int) -> Case:
    arguments = (characters(text.encode()), len(text), zeros(1, np.int32), zeros(1, np.int32))
    expected = {2: i32([len(text.split())]), 3: i32([text.count("\n")])}
    return linear("strings/words.cu", "count_words", label, len(text), block, arguments, expected)


def longest_word(label: str, text: str, block: int) -> Case:
    arguments = (characters(text.encode()), len(text), zeros(1, np.int32))
    expected = {2: i32([max(map(len, text.split()), default=0)])}
    return linear("strings/words.cu", "longest_word", label, len(text), block, arguments, expected)


def reverse_words(label: str, texts: Sequence[str], block: int) -> Case:
    text, offsets = pack([t.encode() for t in texts])
    turned = "".join(" ".join(t.split(" ")[::-1]) for t in texts)
    arguments = (text.view(np.int8), offsets, len(texts))
    expected = {0: characters(turned.encode())}
    return linear("strings/words.cu", "reverse_words", label, len(texts), block, arguments, expected)


def letter_frequency(label: str, text: str, grid: int, block: int) -> Case:
    counts = Counter(text.lower())
    expected = np.array([counts[c] for c in "abcdefghijklmnopqrstuvwxyz"], np.uint32)
    arguments = (characters(text.encode()), len(text), zeros(26))
    return Case("strings/words.cu", "letter_frequency", label, (grid,), (block,), arguments, 0, {2: expected})


def anagrams(label: str, pairs: Sequence[tuple[str, str]], block: int) -> Case:
    length, n = len(pairs[0][0]), len(pairs)
    expected = np.array([sorted(a) == sorted(b) for a, b in pairs])
    first, second = (rows([p[k] for p in pairs], length) for k in range(2))
    arguments = (first, second, length, np.zeros_like(expected), n)
    return linear("strings/words.cu", "anagrams", label, n, block, arguments, {3: expected})


def unique(text: str) -> int:
    return next((k for k, c in enumerate(text) if text.count(c) == 1), -1)


def edits(a: str, b: str) -> int:
    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return distance(len(a), len(b))


def edit_distance(label: str, pairs: Sequence[tuple[str, str]], block: int) -> Case:
    length, n = len(pairs[0][0]), len(pairs)
    first, second = (rows([p[k] for p in pairs], length) for k in range(2))
    expected = np.array([edits(a, b) for a, b in pairs], np.uint8)
    arguments = (first, second, length, np.zeros_like(expected), n)
    return linear("strings/distance.cu", "edit_distance", label, n, block, arguments, {3: expected})


def edit_wavefront(label: str, a: str, b: str, block: int) -> Case:
    arguments = (characters(a.encode()), len(a), characters(b.encode()), len(b), zeros(1, np.int32))
    shared, expected = 12 * (block + 1), {4: i32([edits(a, b)])}
    return Case("strings/distance.cu", "edit_wavefront", label, (1,), (block,), arguments, shared, expected)


def common(a: str, b: str) -> int:
    @cache
    def longest(i: int, j: int) -> int:
        if not i or not j:
            return 0
        return longest(i - 1, j - 1) + 1 if a[i - 1] == b[j - 1] else max(longest(i - 1, j), longest(i, j - 1))

    return longest(len(a), len(b))


def lcs_bits(label: str, pairs: Sequence[tuple[str, str]], block: int) -> Case:
    lengths, n = [len(s) for s in pairs[0]], len(pairs)
    first, second = (rows([p[k] for p in pairs], lengths[k]) for k in range(2))
    arguments = (first, second, *lengths, zeros(n, np.int32), n)
    expected = {4: i32([common(a, b) for a, b in pairs])}
    return linear("strings/distance.cu", "lcs_bits", label, n, block, arguments, expected)


def common_prefix(label: str, texts: Sequence[str], block: int) -> Case:
    stride = max(map(len, texts)) + 1
    shortest = min(map(len, texts))
    agreed = next((k for k in range(shortest) if len({t[k] for t in texts}) > 1), shortest)
    arguments = (rows(texts, stride), stride, len(texts), zeros(1, np.int32))
    return Case("strings/distance.cu", "common_prefix", label, (1,), (block,), arguments, 0, {3: i32([agreed])})


def balanced(text: str) -> bool:
    while any(pair in text for pair in ("()", "[]", "{}")):
        text = text.replace("()", "").replace("[]", "").replace("{}", "")
    return not text


def code_points(text: bytes) -> int:
    try:
        return len(text.decode())
    except UnicodeDecodeError:
        return -1


def tokens(text: str) -> list[int]:
    found = re.findall(r"([a-z_][a-z_0-9]*)|([0-9]+)|([^ a-z_0-9])", text)
    return [sum(bool(match[k]) for match in found) for k in range(3)]


def compare_strings(label: str, pairs: Sequence[tuple[str, str]], block: int) -> Case:
    stride, n = max(len(s) for pair in pairs for s in pair) + 1, len(pairs)
    first, second = (rows([p[k] for p in pairs], stride) for k in range(2))
    expected = np.array([(a > b) - (a < b) for a, b in pairs], np.int8)
    arguments = (first, second, stride, np.zeros_like(expected), n)
    return linear("strings/order.cu", "compare_strings", label, n, block, arguments, {3: expected})


def rank_sort(label: str, texts: Sequence[str], block: int) -> Case:
    stride, n = max(map(len, texts)) + 1, len(texts)
    arguments = (rows(texts, stride), stride, zeros(n * stride, np.int8), n)
    return linear("strings/order.cu", "rank_sort", label, n, block, arguments, {2: rows(sorted(texts), stride)})


FOX = "The quick brown fox jumps over the lazy dog"
BRACKETS = ["", "()", "([{}])", "([)]", "((", "}", "{[()()]}()"]
UTF8 = [b"", b"plain", "h\u00e9llo \u20ac".encode(), b"\xc0\x80", b"\xe2\x82", b"\xed\xa0\x80", "\U0001f600".encode()]
NOISE = [words(40 + k, 3, np.uint8).tobytes() for k in range(5)]
PALINDROMES = ["", "a", "ab", "aba", "abba", "abca", "racecar"]
SENTENCES = ["A man, a plan, a canal: Panama", "", "!?", "No lemon, no melon", "Not one", "0P"]
NAMES = ["eve", "bob", "alice", "bo", "", "eve", "zed"]

CASES: list[Case] = [
    find_all("overlaps", "aaabaaaab", "aa", 4),
    find_all("ragged", FOX, "o", 32),
    find_all("too long", "ab", "abc", 4),
    kmp("overlaps", ["abababa", "", "ab", "xxabab"], "aba", 4),
    kmp("periodic", ["aabaabaaab", "aaaaaaaaaa", "baabaab"], "aabaab", 2),
    kmp("one letter", [FOX, "none here"], "z", 4),
    glob("star", "a*b?c", ["abxc", "aXXbbxc", "abc", "a", "abbbbbbc"], 4),
    glob("only stars", "**", ["", "x", "anything"], 2),
    glob("literal", "cat", ["cat", "cats", "ca", ""], 4),
    each("palindromes", "is_palindrome", "words", PALINDROMES, mirrored, np.bool_, 4),
    each("palindromes", "is_palindrome", "random", [letters(k, 4) for k in range(9)], mirrored, np.bool_, 8),
    each("palindromes", "sentence_palindrome", "known", SENTENCES, sentence, np.bool_, 4),
    each("palindromes", "sentence_palindrome", "one", ["x...,,,"], sentence, np.bool_, 1),
    longest_palindrome("banana", "banana", 8),
    longest_palindrome("random", letters(1, 21), 16),
    longest_palindrome("one", "x", 2),
    caesar("rot13", FOX, 13, 1, 16),
    caesar("back", "Zz! aA", -3, 2, 4),
    caesar("none", "abc", 0, 1, 4),
    vigenere("encrypt", "attackatdawn", "lemon", False, 8),
    vigenere("decrypt", "Attack at Dawn!", "xyz", True, 4),
    swap_case("fox", FOX, 16),
    swap_case("no letters", "12 @[`{ 34", 4),
    atbash("fox", FOX, 32),
    atbash("small block", "az my", 4),
    base64_encode("ragged", b"any carnal pleas", 4),
    base64_encode("bytes", bytes([0, 255, 127, 128, 62, 63]), 4),
    base64_encode("one", b"f", 1),
    base64_decode("ragged", b"any carnal pleasu", 4),
    base64_decode("bytes", bytes([0, 255, 254, 253, 251]), 2),
    base64_error(),
    hex_dump("edges", bytes([0, 9, 10, 15, 16, 0x9A, 255]), 4),
    hex_dump("random", words(2, 21, np.uint8).tobytes(), 8),
    hex_parse("mixed", ["00ff", "BEEF", "12g4", "dEaD", "99 9"], 4),
    hex_parse("wide", ["ffffffff", "80000000"], 2),
    rle_encode("runs", ["aaabbbbc", "abcdefgh", "zzzzzzzz"], 4),
    rle_encode("long run", ["x" * 11 + "y" * 9], 1),
    rle_decode("ragged", [(3, "a"), (0, "b"), (1, "c"), (5, "d"), (2, "a")], 8),
    rle_decode("one", [(4, "q")], 1),
    look_and_say("1", 1, 1),
    look_and_say("8", 8, 4),
    atoi("edges", ["0", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649"], 4),
    atoi("errors", ["", "  ", "-", "12x", "+7", "  -0042", "99999999999", "1 2", "4x9999999999"], 4),
    itoa("decimal", [0, -1, 2**31 - 1, -(2**31), 1000], 10, 4),
    itoa("binary", [5, -6, -(2**31)], 2, 2),
    itoa("base 36", [35, 36, 123456789], 36, 4),
    to_roman("known", [1, 4, 9, 40, 1994, 3888, 3999], 4),
    to_roman("one", [14], 1),
    from_roman("known", [1, 4, 9, 44, 1994, 3888, 3999], 8),
    from_roman("ragged", [400, 90, 2024], 2),
    count_words("text", "one two\n three\tfour  \n\n five", 8),
    count_words("spaces", " \t\n", 4),
    count_words("one", "word", 32),
    longest_word("fox", FOX, 16),
    longest_word("spaces", "   ", 4),
    reverse_words("sentences", ["the sky is blue", "", "one", "a b"], 4),
    reverse_words("one", ["hello big world"], 1),
    letter_frequency("fox", FOX, 2, 8),
    letter_frequency("symbols", "@[`{ aAzZ", 1, 32),
    anagrams("words", [("listen", "silent"), ("google", "elgoog"), ("aabbcc", "abcabd"), ("zzzzzz", "zzzzzz")], 4),
    anagrams("one letter", [("a", "a"), ("a", "b")], 2),
    each("words", "first_unique", "words", ["aabbc", "abab", "", "z", "loveleetcode"], unique, np.int32, 4),
    each("words", "first_unique", "random", [letters(20 + k, 6, "abcd") for k in range(5)], unique, np.int32, 8),
    edit_distance("known", [("kitten", "sittin"), ("abcdef", "abcdef"), ("aaaaaa", "bbbbbb"), ("abcdef", "bcdefa")], 4),
    edit_distance("random", [(letters(30, 9), letters(31, 9))], 1),
    edit_wavefront("kitten", "kitten", "sitting", 6),
    edit_wavefront("ragged", letters(32, 5, "abc"), letters(33, 12, "abc"), 8),
    edit_wavefront("one", "a", "b", 1),
    lcs_bits("known", [("abcbdab", "bdcaba"), ("aaaaaaa", "bbbbbb")], 2),
    lcs_bits("wide", [(letters(34, 40, "abc"), letters(35, 5, "abc"))], 1),
    common_prefix("words", ["flower", "flow", "flight"], 8),
    common_prefix("same", ["abc", "abc"], 4),
    common_prefix("none", ["x", "y", "z"], 2),
    each("scanner", "balanced", "known", BRACKETS, balanced, np.bool_, 4),
    each("scanner", "balanced", "deep", ["(" * 16 + ")" * 16, "[" * 17], balanced, np.bool_, 2),
    each("scanner", "utf8_length", "known", UTF8, code_points, np.int32, 4),
    each(
        "scanner",
        "utf8_length",
        "random",
        NOISE,
        code_points,
        np.int32,
        8,
    ),
    each("scanner", "tokenize", "expressions", ["a+b2*30", "x1 = 2y", "", "((7))", "foo bar 1 2"], tokens, np.int32, 4),
    each("scanner", "tokenize", "one", ["_a9-9a"], tokens, np.int32, 1),
    compare_strings("edges", [("", ""), ("a", ""), ("", "a"), ("abc", "abd"), ("abc", "ab"), ("b", "abc")], 4),
    compare_strings("same", [("same", "same")], 1),
    rank_sort("names", NAMES, 8),
    rank_sort("ragged", [letters(50 + k, 3, "abc") for k in range(5)], 2),
]
