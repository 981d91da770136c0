"""Hashes, checksums and ciphers, against hashlib, zlib, published vectors and plain Python."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from corpus.case import Case
from corpus.inputs import characters, pack, words, zeros

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
TEXTS = [b"", b"a", b"abc", b"message digest", b"The quick brown fox jumps over the lazy dog"]
SHORT = [b"", b"a", b"ab", b"abc", b"abcd", b"\x00\xff\x80\x7f", b"hello, world"]


def rol(x: int, r: int, bits: int = 32) -> int:
    return (x << r | x >> (bits - r)) & ((1 << bits) - 1)


def u32(values: Sequence[int]) -> np.ndarray:
    return np.array([v & M32 for v in values], np.uint32)


def noise(seed: int, length: int) -> bytes:
    return words(seed, length, np.uint8).tobytes()


def batch(
    file: str, kernel: str, label: str, texts: Sequence[bytes], expected: np.ndarray, block: int, *scalars: int
) -> Case:
    """Kernels (text, offsets, scalars..., out, count), one thread a text."""
    text, offsets = pack(texts)
    arguments = (text, offsets, *scalars, np.zeros_like(expected), len(texts))
    return Case(
        file, kernel, label, (-(-len(texts) // block),), (block,), arguments, expected={2 + len(scalars): expected}
    )


def digests(name: str, order: str, label: str, texts: Sequence[bytes], block: int) -> Case:
    expected = b"".join(hashlib.new(name, t).digest() for t in texts)
    return batch(f"hash/{name}.cu", name, label, texts, np.frombuffer(expected, order).astype(np.uint32), block)


# --- CRCs and checksums ----------------------------------------------------------------------------------------------


def packets(file: str, kernel: str, label: str, data: bytes, length: int, block: int, each: Callable[[bytes], int],
            dtype: type[np.integer] = np.uint32) -> Case:  # fmt: skip
    """Kernels (data, length, out, packets), one thread a packet."""
    count = len(data) // length
    expected = np.array([each(data[i * length : (i + 1) * length]) for i in range(count)], dtype)
    arguments = (characters(data, np.uint8), length, np.zeros_like(expected), count)
    return Case(file, kernel, label, (-(-count // block),), (block,), arguments, expected={2: expected})


def crc(data: bytes, bits: int, polynomial: int, start: int, reflected: bool) -> int:
    """Remainder by long division over the bits of the message, register ``start`` folded into its first bits."""
    stream = [byte >> (k if reflected else 7 - k) & 1 for byte in data for k in range(8)] + [0] * bits
    for k in range(bits):
        stream[k] ^= start >> (bits - 1 - k) & 1
    for at in range(len(stream) - bits):
        if stream[at]:
            for k in range(bits):
                stream[at + 1 + k] ^= polynomial >> (bits - 1 - k) & 1
            stream[at] = 0
    tail = stream[len(stream) - bits :]
    return int("".join(map(str, tail[::-1] if reflected else tail)), 2)


def crc16(label: str, texts: Sequence[bytes], block: int) -> Case:
    text, offsets = pack(texts)
    ccitt = np.array([crc(t, 16, 0x1021, 0xFFFF, False) for t in texts], np.uint16)
    modbus = np.array([crc(t, 16, 0x8005, 0xFFFF, True) for t in texts], np.uint16)
    arguments = (text, offsets, np.zeros_like(ccitt), np.zeros_like(modbus), len(texts))
    grid = (-(-len(texts) // block),)
    return Case("hash/crc16.cu", "crc16", label, grid, (block,), arguments, expected={2: ccitt, 3: modbus})


def internet(data: bytes) -> int:
    padded = data + b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(padded[i : i + 2], "big") for i in range(0, len(padded), 2))
    # Ones' complement arithmetic is arithmetic modulo 2**16 - 1, except that only zero itself stays zero.
    return 0xFFFF - (total % 0xFFFF or (0xFFFF if total else 0))


def checksums(label: str, texts: Sequence[bytes], block: int) -> Case:
    text, offsets = pack(texts)
    fletcher = [(sum(sum(t[: i + 1]) for i in range(len(t))) % 255) << 8 | sum(t) % 255 for t in texts]
    lrc = [int(np.bitwise_xor.reduce(np.frombuffer(t, np.uint8))) if t else 0 for t in texts]
    expected = {
        2: u32([zlib.adler32(t) for t in texts]),
        3: np.array(fletcher, np.uint16),
        4: np.array([internet(t) for t in texts], np.uint16),
        5: np.array(lrc, np.uint8),
    }
    arguments = (text, offsets, *(np.zeros_like(a) for a in expected.values()), len(texts))
    return Case("hash/checksums.cu", "checksums", label, (-(-len(texts) // block),), (block,), arguments, 0, expected)


# --- Hash functions --------------------------------------------------------------------------------------------------


def fnv1a(bits: int, label: str, texts: Sequence[bytes], block: int) -> Case:
    basis, prime = (2166136261, 16777619) if bits == 32 else (14695981039346656037, 1099511628211)
    values = []
    for text in texts:
        value = basis
        for byte in text:
            value = (value ^ byte) * prime % (1 << bits)
        values.append(value)
    expected = np.array(values, np.uint32 if bits == 32 else np.uint64)
    return batch("hash/fnv1a.cu", f"fnv1a{bits}", label, texts, expected, block)


def fmix32(h: int) -> int:
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


def murmur3(text: bytes, seed: int) -> int:
    h = seed
    for i in range(0, len(text), 4):
        part = text[i : i + 4]
        k = rol(int.from_bytes(part, "little") * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32
        h ^= k
        if len(part) == 4:
            h = (rol(h, 13) * 5 + 0xE6546B64) & M32
    return fmix32(h ^ len(text))


def murmur3_mix(label: str, keys: np.ndarray, block: int) -> Case:
    expected = u32([fmix32(int(k)) for k in keys])
    arguments = (keys, zeros(len(keys)), len(keys))
    return Case(
        "hash/murmur3.cu", "murmur3_mix", label, (-(-len(keys) // block),), (block,), arguments, 0, {1: expected}
    )


def xxhash32(text: bytes, seed: int) -> int:
    p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    at, acc = 0, seed + p5
    if len(text) >= 16:
        v = [seed + p1 + p2, seed + p2, seed, seed - p1]
        while len(text) - at >= 16:
            for k in range(4):
                lane = int.from_bytes(text[at + 4 * k : at + 4 * k + 4], "little")
                v[k] = rol((v[k] + lane * p2) & M32, 13) * p1 & M32
            at += 16
        acc = sum(rol(x, r) for x, r in zip(v, (1, 7, 12, 18), strict=True))
    acc = (acc + len(text)) & M32
    while len(text) - at >= 4:
        acc = rol((acc + int.from_bytes(text[at : at + 4], "little") * p3) & M32, 17) * p4 & M32
        at += 4
    for byte in text[at:]:
        acc = rol((acc + byte * p5) & M32, 11) * p1 & M32
    acc = (acc ^ acc >> 15) * p2 & M32
    acc = (acc ^ acc >> 13) * p3 & M32
    return acc ^ acc >> 16


def siphash(text: bytes, key0: int, key1: int) -> int:
    v = [a ^ b for a, b in zip((key0, key1) * 2, (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261,
                                                  0x7465646279746573), strict=True)]  # fmt: skip

    def mix() -> None:
        for a, b, r in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
            v[a] = (v[a] + v[b]) & M64
            v[b] = rol(v[b], r, 64) ^ v[a]
            if r in (13, 17):
                v[a] = rol(v[a], 32, 64)

    padded = text + b"\0" * (7 - len(text) % 8) + bytes([len(text) & 255])
    for i in range(0, len(padded), 8):
        m = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= m
        mix()
        mix()
        v[0] ^= m
    v[2] ^= 0xFF
    for _ in range(4):
        mix()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def sip(label: str, texts: Sequence[bytes], key0: int, key1: int, block: int) -> Case:
    expected = np.array([siphash(t, key0, key1) for t in texts], np.uint64)
    return batch("hash/siphash.cu", "siphash24", label, texts, expected, block, key0, key1)


def one_at_a_time(text: bytes) -> int:
    h = 0
    for byte in text:
        h = (h + byte) & M32
        h = (h + (h << 10)) & M32
        h ^= h >> 6
    h = (h + (h << 3)) & M32
    h ^= h >> 11
    return (h + (h << 15)) & M32


def mix96(label: str, count: int, salt: int, block: int) -> Case:
    a, b = words(count, count), words(count + 1, count)
    expected = []
    for triple in zip(a, b, [salt] * count, strict=True):
        v = [int(x) for x in triple]
        for step, shift in enumerate((13, -8, 13, 12, -16, 5, 3, -10, 15)):
            x, y, z = step % 3, (step + 1) % 3, (step + 2) % 3
            moved = v[z] >> shift if shift > 0 else v[z] << -shift
            v[x] = ((v[x] - v[y] - v[z]) ^ moved) & M32
        expected.append(v[2])
    grid = (-(-count // block),)
    return Case(
        "hash/jenkins.cu", "mix96", label, grid, (block,), (a, b, zeros(count), salt, count), 0, {2: u32(expected)}
    )


def string_hash(label: str, texts: Sequence[bytes], block: int) -> Case:
    def polynomial(text: bytes, base: int, start: int) -> int:
        return start * base ** len(text) + sum(c * base ** (len(text) - 1 - i) for i, c in enumerate(text))

    def elf(text: bytes) -> int:
        h = 0
        for c in text:
            h = (h << 4) + c & M32
            h = (h ^ (h >> 28) << 4) & 0x0FFFFFFF
        return h

    text, offsets = pack(texts)
    expected = {
        2: u32([polynomial(t, 33, 5381) for t in texts]),
        3: u32([polynomial(t, 65599, 0) for t in texts]),
        4: u32([elf(t) for t in texts]),
    }
    arguments = (text, offsets, *(zeros(len(texts)) for _ in expected), len(texts))
    return Case(
        "hash/string_hash.cu", "string_hash", label, (-(-len(texts) // block),), (block,), arguments, 0, expected
    )


def pearson_table() -> list[int]:
    """The permutation, read from the kernel's source: it is data, not an algorithm."""
    source = (Case("hash/pearson.cu", "", "", (), (), ()).path).read_text()
    table = source[source.index("= {") + 3 : source.index("};")]
    return [int(v) for v in table.replace("\n", " ").split(",") if v.strip()]


def pearson(text: bytes, first: int = 0) -> int:
    table, h = pearson_table(), 0
    for k, byte in enumerate(text):
        h = table[(byte + first) % 256 if k == 0 else h ^ byte]
    return h


def pearson8(label: str, texts: Sequence[bytes], block: int) -> Case:
    expected = np.array([pearson(t) for t in texts], np.uint8)
    return batch("hash/pearson.cu", "pearson8", label, texts, expected, block)


def pearson_wide(label: str, texts: Sequence[bytes], width: int) -> Case:
    text, offsets = pack(texts)
    expected = np.array([pearson(t, j) for t in texts for j in range(width)], np.uint8)
    arguments = (text, offsets, np.zeros_like(expected))
    return Case("hash/pearson.cu", "pearson_wide", label, (len(texts),), (width,), arguments, 0, {2: expected})


def merkle(label: str, leaves: np.ndarray, block: int) -> Case:
    def combine(a: int, b: int) -> int:
        h = (a * 31 + b) & M32
        h = (h ^ h >> 16) * 0x7FEB352D & M32
        h = (h ^ h >> 15) * 0x846CA68B & M32
        return h ^ h >> 16

    def root(level: list[int]) -> int:
        return level[0] if len(level) == 1 else combine(root(level[: len(level) // 2]), root(level[len(level) // 2 :]))

    blocks = -(-len(leaves) // block)
    padded = [int(x) for x in leaves] + [0] * (blocks * block - len(leaves))
    expected = u32([root(padded[i * block : (i + 1) * block]) for i in range(blocks)])
    arguments = (leaves, len(leaves), zeros(blocks))
    return Case("hash/merkle.cu", "merkle", label, (blocks,), (block,), arguments, 4 * block, {2: expected})


def zobrist(label: str, boards: Sequence[bytes], black: bool, block: int) -> Case:
    keys = words(19, 19, np.uint64)
    expected = []
    for board in boards:
        h = int(keys[18]) if black else 0
        for square, piece in enumerate(board.decode()):
            h ^= int(keys["xo".index(piece) * 9 + square]) if piece in "xo" else 0
        expected.append(h)
    arguments = (characters(b"".join(boards)), keys, zeros(len(boards), np.uint64), int(black), len(boards))
    grid = (-(-len(boards) // block),)
    return Case("hash/zobrist.cu", "zobrist", label, grid, (block,), arguments, 0, {2: np.array(expected, np.uint64)})


# --- Searching and tables --------------------------------------------------------------------------------------------


def rabin_karp(label: str, text: bytes, pattern: bytes, block: int) -> Case:
    windows = len(text) - len(pattern) + 1
    found = [s for s in range(windows) if text.startswith(pattern, s)]
    hashes = [
        sum(c * 257 ** (len(pattern) - 1 - i) for i, c in enumerate(text[s : s + len(pattern)])) % 1000003
        for s in range(windows)
    ]
    count, first = np.zeros(1, np.int32), np.full(1, 2**31 - 1, np.int32)
    arguments = (characters(text), len(text), characters(pattern), len(pattern), count, first, zeros(max(windows, 1)))
    expected = {
        4: np.array([len(found)], np.int32),
        5: np.array([min(found, default=2**31 - 1)], np.int32),
        6: u32(hashes or [0]),
    }
    grid = (-(-len(text) // block),)
    return Case("hash/rabin_karp.cu", "rabin_karp", label, grid, (block,), arguments, 0, expected)


def rolling_hash(label: str, data: bytes, window: int, chunk: int, block: int) -> Case:
    count = len(data) - window + 1
    expected = u32([sum(data[s + k] * 31 ** (window - 1 - k) for k in range(window)) for s in range(count)])
    arguments = (characters(data, np.uint8), len(data), window, chunk, zeros(count))
    grid = (-(-count // (chunk * block)),)
    return Case("hash/rolling_hash.cu", "rolling_hash", label, grid, (block,), arguments, 0, {4: expected})


def bloom_bits(key: int, bits: int) -> list[int]:
    found = []
    for which in range(3):
        h = (key + which * 0x9E3779B9) * 0x85EBCA6B & M32
        found.append(((h ^ h >> 15) * 0x2C1B3C6D & M32) % bits)
    return found


def bloom_filter(keys: np.ndarray, bits: int) -> np.ndarray:
    on = sum(1 << bit for bit in {bit for key in keys for bit in bloom_bits(int(key), bits)})
    return u32([on >> 32 * word for word in range(-(-bits // 32))])


def bloom_insert(label: str, keys: np.ndarray, bits: int, grid: int, block: int) -> Case:
    expected = bloom_filter(keys, bits)
    arguments = (keys, len(keys), np.zeros_like(expected), bits)
    return Case("hash/bloom.cu", "bloom_insert", label, (grid,), (block,), arguments, 0, {2: expected})


def bloom_query(label: str, keys: np.ndarray, queries: np.ndarray, bits: int, block: int) -> Case:
    known = {bit for key in keys for bit in bloom_bits(int(key), bits)}
    maybe = np.array([known.issuperset(bloom_bits(int(q), bits)) for q in queries], np.bool_)
    arguments = (queries, len(queries), bloom_filter(keys, bits), bits, np.zeros_like(maybe))
    grid = (-(-len(queries) // block),)
    return Case("hash/bloom.cu", "bloom_query", label, grid, (block,), arguments, 0, {4: maybe})


def hash_table(label: str, keys: np.ndarray, values: np.ndarray, queries: np.ndarray, block: int) -> Case:
    table: dict[int, int] = {}
    for key, value in zip(keys, values, strict=True):
        table[int(key)] = table.get(int(key), 0) + int(value)
    expected = np.array([table.get(int(q), -1) for q in queries], np.int32)
    arguments = (keys, values, len(keys), queries, np.zeros_like(expected), len(queries))
    return Case("hash/hash_table.cu", "hash_table", label, (1,), (block,), arguments, 0, {4: expected})


# --- Ciphers ---------------------------------------------------------------------------------------------------------


def gf_multiply(a: int, b: int) -> int:
    product = 0
    for k in range(8):
        if b >> k & 1:
            product ^= a << k
    for k in range(14, 7, -1):
        if product >> k & 1:
            product ^= 0x11B << (k - 8)
    return product


def aes_sbox(x: int) -> int:
    inverse = next((y for y in range(256) if gf_multiply(x, y) == 1), 0)
    return inverse ^ rol(inverse, 1, 8) ^ rol(inverse, 2, 8) ^ rol(inverse, 3, 8) ^ rol(inverse, 4, 8) ^ 0x63


def aes_sub_bytes(label: str, state: bytes, block: int) -> Case:
    expected = np.array([aes_sbox(x) for x in state], np.uint8)
    arguments = (characters(state, np.uint8), len(state))
    grid = (-(-len(state) // block),)
    return Case("hash/aes.cu", "aes_sub_bytes", label, grid, (block,), arguments, 0, {0: expected})


def aes_round(label: str, state: bytes, key: bytes, last: bool) -> Case:
    out = []
    for at in range(0, len(state), 16):
        s = np.array([aes_sbox(x) for x in state[at : at + 16]]).reshape(4, 4).T  # rows of the state
        rows = [np.roll(s[r], -r) for r in range(4)]
        for column in range(4):
            a = [int(row[column]) for row in rows]
            circulant = (2, 3, 1, 1)
            for r in range(4):
                mixed = 0
                for k in range(4):
                    mixed ^= gf_multiply(a[k], circulant[(k - r) % 4])
                out.append((a[r] if last else mixed) ^ key[4 * column + r])
    arguments = (characters(state, np.uint8), characters(key, np.uint8), int(last))
    expected = {0: np.array(out, np.uint8)}
    return Case("hash/aes.cu", "aes_round", label, (len(state) // 16,), (16,), arguments, 0, expected)


def quarter_round(x: list[int], a: int, b: int, c: int, d: int) -> None:
    for target, other, rotated, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[target] = (x[target] + x[other]) & M32
        x[rotated] = rol(x[rotated] ^ x[target], by)


def chacha_quarter_round(label: str, states: np.ndarray, block: int) -> Case:
    expected = []
    for state in states:
        x = [int(v) for v in state]
        quarter_round(x, 0, 1, 2, 3)
        expected += x
    grid = (-(-len(states) // block),)
    arguments = (states.ravel().copy(), len(states))
    return Case("hash/chacha20.cu", "chacha_quarter_round", label, grid, (block,), arguments, 0, {0: u32(expected)})


def chacha20(label: str, key: bytes, nonce: bytes, first: int, blocks: int) -> Case:
    stream = []
    for i in range(blocks):
        head = np.frombuffer(b"expand 32-byte k" + key, "<u4")
        start = [*map(int, head), first + i & M32, *map(int, np.frombuffer(nonce, "<u4"))]
        x = list(start)
        for _ in range(10):
            for k in range(4):
                quarter_round(x, k, 4 + k, 8 + k, 12 + k)
            for k in range(4):
                quarter_round(x, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
        stream += [a + b for a, b in zip(x, start, strict=True)]
    arguments = (characters(key, np.uint32), characters(nonce, np.uint32), first, zeros(16 * blocks))
    return Case("hash/chacha20.cu", "chacha20_blocks", label, (1,), (blocks,), arguments, 0, {3: u32(stream)})


def rc4(label: str, keys: Sequence[bytes], plain: Sequence[bytes]) -> Case:
    cipher = b""
    for key, text in zip(keys, plain, strict=True):
        s, j = list(range(256)), 0
        for i in range(256):
            j = (j + s[i] + key[i % len(key)]) % 256
            s[i], s[j] = s[j], s[i]
        j = 0
        for k, byte in enumerate(text, 1):
            j = (j + s[k % 256]) % 256
            s[k % 256], s[j] = s[j], s[k % 256]
            cipher += bytes([byte ^ s[(s[k % 256] + s[j]) % 256]])
    expected = characters(cipher, np.uint8)
    texts = characters(b"".join(plain), np.uint8)
    arguments = (
        characters(b"".join(keys), np.uint8),
        len(keys[0]),
        texts,
        np.zeros_like(texts),
        len(plain[0]),
        len(keys),
    )
    return Case("hash/rc4.cu", "rc4", label, (1,), (len(keys),), arguments, 0, {3: expected})


def tea_encrypt(label: str, blocks: np.ndarray, key: Sequence[int], block: int) -> Case:
    expected = []
    for pair in blocks.reshape(-1, 2):
        x, y = map(int, pair)
        for round_ in range(1, 33):
            total = round_ * 0x9E3779B9
            x = x + (((y << 4) + key[0]) ^ (y + total) ^ ((y >> 5) + key[1])) & M32
            y = y + (((x << 4) + key[2]) ^ (x + total) ^ ((x >> 5) + key[3])) & M32
        expected += [x, y]
    count = len(expected) // 2
    by_value = sum(word << 32 * i for i, word in enumerate(key))
    arguments = (blocks, by_value, count)
    return Case("hash/tea.cu", "tea_encrypt", label, (-(-count // block),), (block,), arguments, 0, {0: u32(expected)})


def xtea(label: str, plain: np.ndarray, key: Sequence[int], rounds: int, decrypt: bool, block: int) -> Case:
    """Encrypts in Python; decryption is the same case with the two sides exchanged."""
    cipher = []
    for pair in plain.reshape(-1, 2):
        x, y = map(int, pair)
        for round_ in range(rounds):
            total = round_ * 0x9E3779B9 & M32
            x = x + (((y << 4 ^ y >> 5) + y) ^ (total + key[total & 3])) & M32
            total = total + 0x9E3779B9 & M32
            y = y + (((x << 4 ^ x >> 5) + x) ^ (total + key[total >> 11 & 3])) & M32
        cipher += [x, y]
    given, expected = (u32(cipher), plain) if decrypt else (plain, u32(cipher))
    count = len(cipher) // 2
    arguments = (given, u32(key), rounds, int(decrypt), count)
    return Case("hash/tea.cu", "xtea", label, (-(-count // block),), (block,), arguments, 0, {0: expected})


CRC32_KERNELS = ("crc32_bitwise", "crc32_table", "crc32_nibble", "crc32_shared_table")
RFC_KEY = bytes(range(32))
FIPS_STATE = bytes.fromhex("193de3bea0f4e22b9ac68d2ae9f84808")
FIPS_KEY = bytes.fromhex("a0fafe1788542cb123a339392a6c7605")

CASES: list[Case] = [
    digests("md5", "<u4", "texts", TEXTS, 8),
    digests("md5", "<u4", "longest", [noise(1, 55), noise(2, 54)], 4),
    digests("md5", "<u4", "empty", [b""], 1),
    digests("sha1", ">u4", "texts", TEXTS[:4], 4),
    digests("sha1", ">u4", "longest", [noise(3, 55)], 4),
    digests("sha256", ">u4", "texts", TEXTS[:4], 4),
    digests("sha256", ">u4", "longest", [noise(4, 55), b"\xff" * 51], 2),
    *(packets("hash/crc32.cu", k, "check", b"123456789", 9, 4, zlib.crc32) for k in CRC32_KERNELS),
    *(packets("hash/crc32.cu", k, "ragged", noise(5, 77), 7, 4, zlib.crc32) for k in CRC32_KERNELS),
    *(packets("hash/crc32.cu", k, "ones", b"\xff\xff\0\0", 1, 8, zlib.crc32) for k in CRC32_KERNELS),
    packets("hash/crc8.cu", "crc8", "check", b"123456789", 9, 1, lambda p: crc(p, 8, 7, 0, False), np.uint8),
    packets("hash/crc8.cu", "crc8", "ragged", noise(6, 65), 5, 8, lambda p: crc(p, 8, 7, 0, False), np.uint8),
    crc16("check", [b"123456789"], 1),
    crc16("texts", SHORT[1:], 4),
    crc16("empty", [b"", b"\xff\xff", b"\0\0\0"], 4),
    checksums("texts", TEXTS, 4),
    checksums("ones", [b"\xff" * 33, b"\xff" * 2, b"\0\0", b""], 4),
    checksums("noise", [noise(7, 31), noise(8, 64)], 32),
    fnv1a(32, "texts", TEXTS, 4),
    fnv1a(32, "short", SHORT, 8),
    fnv1a(64, "texts", TEXTS, 4),
    fnv1a(64, "short", SHORT, 3),
    murmur3_mix("edges", u32([0, 1, 2**31, M32, M32 - 1]), 4),
    murmur3_mix("noise", words(9, 70), 32),
    batch("hash/murmur3.cu", "murmur3_string", "texts", TEXTS, u32([murmur3(t, 0) for t in TEXTS]), 4, 0),
    batch("hash/murmur3.cu", "murmur3_string", "seed", SHORT, u32([murmur3(t, M32) for t in SHORT]), 8, M32),
    batch("hash/xxhash32.cu", "xxhash32", "texts", TEXTS, u32([xxhash32(t, 0) for t in TEXTS]), 8, 0),
    batch("hash/xxhash32.cu", "xxhash32", "seed", SHORT, u32([xxhash32(t, 2654435761) for t in SHORT]), 4, 2654435761),
    sip("published", [bytes(range(15)), b"", bytes(range(8))], 0x0706050403020100, 0x0F0E0D0C0B0A0908, 4),
    sip("texts", TEXTS[:4], M64, 0, 2),
    *(
        packets("hash/jenkins.cu", "one_at_a_time", label, noise(10, length * count), length, block, one_at_a_time)
        for label, length, count, block in (("bytes", 1, 37, 8), ("records", 9, 6, 4))
    ),
    mix96("small", 5, 0x9E3779B9, 4),
    mix96("ragged", 41, 0, 16),
    string_hash("texts", TEXTS, 4),
    string_hash("short", [*SHORT, b"\xff" * 20], 8),
    pearson8("texts", TEXTS, 4),
    pearson8("short", SHORT, 16),
    pearson_wide("8 bytes", [b"abc", b"q"], 8),
    pearson_wide("one", [b"\xff\x00\x80"], 1),
    merkle("16 leaves", words(11, 16), 16),
    merkle("ragged", words(12, 21), 8),
    merkle("one", u32([7]), 1),
    zobrist("games", [b"x.o.x.o.x", b"xoxoxoxox", b"........."], False, 4),
    zobrist("to move", [b"ooooooooo", b"x........", b".....o..x", b"xox......", b"o.......o"], True, 2),
    rabin_karp("text", b"abracadabra, abracadabra!", b"abra", 8),
    rabin_karp("overlaps", b"aaaaaaaaaa", b"aaa", 16),
    rabin_karp("none", b"needle in a haystack", b"pins", 32),
    rabin_karp("too short", b"ab", b"abc", 4),
    rolling_hash("ragged", noise(13, 50), 5, 4, 4),
    rolling_hash("one window", b"window", 6, 3, 2),
    rolling_hash("ones", b"\xff" * 20, 1, 7, 3),
    bloom_insert("stride", words(14, 20), 96, 1, 8),
    bloom_insert("ragged", words(15, 11), 53, 2, 4),
    bloom_query("mixed", words(14, 12), np.concatenate([words(14, 12), words(16, 8)]), 96, 8),
    bloom_query("full", words(17, 40), u32([0, 1, 2, M32]), 33, 4),
    hash_table(
        "repeats",
        u32([5, 9, 5, 5, 0, 9, 123456]),
        words(18, 7, np.int16).astype(np.int32),
        u32([5, 9, 0, 1, 123456]),
        4,
    ),
    hash_table(
        "crowded",
        words(20, 40) % np.uint32(50),
        words(21, 40, np.int8).astype(np.int32),
        np.arange(53, dtype=np.uint32),
        32,
    ),
    aes_sub_bytes("all", bytes(range(256)), 64),
    aes_sub_bytes("ragged", noise(22, 19), 8),
    aes_round("published", FIPS_STATE, FIPS_KEY, False),
    aes_round("last", FIPS_STATE, FIPS_KEY, True),
    aes_round("two blocks", noise(23, 32), noise(24, 16), False),
    chacha_quarter_round("published", u32([0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567]).reshape(1, 4), 1),
    chacha_quarter_round("ragged", words(25, (9, 4)), 4),
    chacha20("published", RFC_KEY, bytes.fromhex("000000090000004a00000000"), 1, 1),
    chacha20("two blocks", noise(26, 32), noise(27, 12), 0xFFFFFFFF, 2),
    rc4("published", [b"Key"], [b"Plaintext"]),
    rc4("two", [b"Wikis", b"\0\xff\0\xff\0"], [b"pedia", b"\xff\xff\0\0\x01"]),
    tea_encrypt("zeros", u32([0, 0]), [0, 0, 0, 0], 1),
    tea_encrypt("ragged", words(28, 10), [0x11223344, 0x55667788, 0x99AABBCC, 0xDDEEFF00], 4),
    xtea("encrypt", words(29, 6), [1, 2, 3, 0xFFFFFFFF], 32, False, 4),
    xtea("decrypt", words(30, 6), [0xDEADBEEF, 2, 0x80000000, 4], 32, True, 4),
    xtea("no rounds", words(31, 2), [1, 2, 3, 4], 0, True, 1),
]
