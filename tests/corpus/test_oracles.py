"""Both oracles that execute: each feature against what CUDA defines, each undefined launch with its error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from corpus.case import Case
from corpus.oracles import cpp, ptx
from corpus.oracles.result import OracleError, Result, differences

LANES = np.arange(32, dtype=np.uint32)
ORACLES = {"cpp": cpp.run, "ptx": ptx.run}
WriteCase = Callable[..., Case]


@pytest.fixture(params=ORACLES)
def oracle(request: pytest.FixtureRequest) -> Callable[[Case], Result]:
    return ORACLES[request.param]


#: Statement on ``out[i]`` of 32 lanes -> what it leaves there.
LANE_FEATURES = {
    "out[i] = __shfl_xor_sync(~0u, i, 5);": LANES ^ 5,
    "out[i] = __shfl_up_sync(~0u, i, 3, 8);": np.where(LANES % 8 >= 3, LANES - 3, LANES),
    "out[i] = __shfl_down_sync(~0u, i, 3, 8);": np.where(LANES % 8 < 5, LANES + 3, LANES),
    "out[i] = __shfl_sync(~0u, i, 9, 8);": LANES // 8 * 8 + 1,
    "out[i] = __ballot_sync(~0u, i & 1);": np.full(32, 0xAAAAAAAA),
    "out[i] = __any_sync(~0u, i == 9) + 2 * __all_sync(~0u, i < 32);": np.full(32, 3),
    "out[i] = __match_any_sync(~0u, i / 16);": np.where(LANES < 16, 0xFFFF, 0xFFFF0000),
    "if (i & 1) out[i] = __ballot_sync(0xaaaaaaaau, i > 15);": np.where(LANES & 1, 0xAAAA0000, 0),
    "if (i < 4) out[i] = __activemask();": np.where(LANES < 4, 15, 0),
    "out[i] = __syncthreads_count(i < 7);": np.full(32, 7),
    "out[i] = __syncthreads_and(i < 7) + 2 * __syncthreads_or(i < 7);": np.full(32, 2),
    "__shared__ int s[32]; s[i] = i; __syncthreads(); out[i] = s[31 - i];": 31 - LANES,
    "extern __shared__ int s[]; s[i] = i; __syncthreads(); out[i] = s[31 - i];": 31 - LANES,
    "if (i >= 8) return; __syncthreads(); out[i] = 1;": (LANES < 8) + 0,
    "atomicAdd(out, i);": np.where(LANES == 0, 496, 0),
    "atomicMax(out, i); atomicInc(out + 1, 9); atomicDec(out + 2, 9);": np.r_[31, 2, 8, np.zeros(29)],
    "while (atomicCAS(out, 0, 1)) {} out[1] += i; __threadfence(); atomicExch(out, 0);": np.r_[0, 496, np.zeros(30)],
    "out[i] = __byte_perm(0x03020100, 0x87060504, 0x7c40 + i * 0);": np.full(32, 0x87040400),
    "out[i] = __funnelshift_lc(0x80000000, 1, i + 1);": np.r_[[(0x180000000 << k >> 32) % 2**32 for k in range(1, 33)]],
    "out[i] = __mulhi(-5, (int)i) + __dp4a(0x01020304, -1, 0);": np.where(LANES == 0, -10, -11) % 2**32,
    "out[i] = __brev(i) | __clz(i) | __ffs(i) << 8;": None,
}


@pytest.mark.parametrize("statement", LANE_FEATURES)
def test_features(oracle: Callable[[Case], Result], write_case: WriteCase, statement: str) -> None:
    source = f"__global__ void k(unsigned *out) {{ unsigned i = threadIdx.x; {statement} }}"
    case = write_case(source, np.zeros(32, np.uint32), shared=128)
    want = LANE_FEATURES[statement]
    if want is None:
        clz = [32 - int(i).bit_length() for i in LANES]
        ffs = [(int(i) & -int(i)).bit_length() for i in LANES]
        want = [int(f"{int(i):032b}"[::-1], 2) | c | f << 8 for i, c, f in zip(LANES, clz, ffs, strict=True)]
    assert not differences(oracle(case).arrays, {0: np.array(want, np.uint32)})


def test_arguments_grids_and_text(oracle: Callable[[Case], Result], write_case: WriteCase) -> None:
    source = """
    #include <cstdio>
    __constant__ short table[3] = {5, -6, 7};
    __global__ void k(signed char *bytes, long long *wide, uint2 pair, short s, unsigned n) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        bytes[i] += table[i % 3];
        wide[i] = (long long)pair.y << 32 | (pair.x + (int)s);
        if (i == 4) printf("%d of %u: %lld\\n", (int)i, n, wide[i]);
    }"""
    pair = 7 << 32 | 100
    case = write_case(source, np.arange(6, dtype=np.int8), np.zeros(6, np.int64), pair, -1, 5, grid=2, block=3)
    result = oracle(case)
    want = {0: np.array([5, -5, 9, 8, -2, 5], np.int8), 1: np.array([(7 << 32) + 99] * 5 + [0])}
    assert not differences(result.arrays, want)
    assert result.text == f"4 of 5: {(7 << 32) + 99}\n"


FAULTS = {
    "if (i < 3) __syncthreads(); else __syncwarp(~0u);": "barrier|reached|wait",
    "if (i == 3) __trap();": "trap",
    "while (*(volatile unsigned *)out == 0) {}": "end|endless",
}


@pytest.mark.parametrize("statement", FAULTS)
def test_faults(
    oracle: Callable[[Case], Result], write_case: WriteCase, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpp, "LIMIT", 1)
    monkeypatch.setattr(ptx, "LIMIT", 200_000)
    source = f"__global__ void k(unsigned *out) {{ unsigned i = threadIdx.x; {statement} out[i] = 1; }}"
    with pytest.raises(OracleError, match=FAULTS[statement]):
        oracle(write_case(source, np.zeros(32, np.uint32)))


def test_source_that_is_no_cpp(write_case: WriteCase) -> None:
    with pytest.raises(OracleError, match=r"k.cu does not compile as C\+\+:\n(.|\n)*k.cu:1:"):
        cpp.run(write_case("__global__ void k(int *out) { out = ; }", np.zeros(1, np.int32)))


def test_differences_are_placed() -> None:
    got, want = {0: np.array([1, 2, 3]), 1: np.array([1])}, {0: np.array([1, 5, 6]), 2: np.array([1])}
    assert differences(got, want) == ["argument 0: 2 of 3 elements differ, the first at 1: 2, not 5"]
    assert differences({0: np.zeros(2)}, {0: np.zeros(3)}) == ["argument 0: 2 elements, not 3"]
