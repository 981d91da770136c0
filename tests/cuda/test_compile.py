"""CUDA sources, through every compiler that is there, against plain Python."""

from __future__ import annotations

import pytest
from kernel_harness import DEFAULT, EDGES, EXAMPLES, SMALL, run, signed, words

from qwengpu.cuda import available_compilers, compile_kernel
from qwengpu.cuda import compiler as compiler_module
from qwengpu.errors import CompileError

COMPILERS = available_compilers()
SPECS = {"default": DEFAULT, "small": SMALL}
pytestmark = pytest.mark.skipif(not COMPILERS, reason="no CUDA compiler is installed")


@pytest.fixture(params=COMPILERS)
def compiler(request):
    return request.param


@pytest.fixture(params=SPECS.values(), ids=SPECS)
def spec(request):
    return request.param


_programs: dict[tuple, object] = {}


def example(name, compiler, spec, axes=1):
    """A compiled example; compiled once."""
    key = name, compiler, spec, axes
    if key not in _programs:
        _programs[key] = compile_kernel(EXAMPLES / name, compiler=compiler, spec=spec, grid_axes=axes)
    return _programs[key]


def source(tmp_path, text, name="k.cu"):
    path = tmp_path / name
    path.write_text(text)
    return path


A = [*EDGES, 3, 99, -100, 5]
B = [EDGES[-1 - k] for k in range(8)] + [2, -7, 11, 2**31 - 1]
SHAPES = [(1, 1), (1, 4), (3, 4), (12, 1), (2, 6), (2, 8)]  # thread blocks, threads a block


@pytest.mark.parametrize(("grid", "block"), SHAPES)
@pytest.mark.parametrize("n", [0, 1, 5, 12])
def test_elementwise_and_dot(compiler, spec, grid, block, n):
    done = min(n, grid * block)
    for name, combine in (("vector_add.cu", int.__add__), ("vector_mul.cu", int.__mul__)):
        arrays, _ = run(example(name, compiler, spec), [A, B, [9] * 12, n], (grid, 1, 1), (block, 1, 1), spec)
        expected = [combine(a, b) for a, b in zip(A, B, strict=True)][:done] + [9] * (12 - done)
        assert arrays == [words(A), words(B), words(expected)]
    arrays, _ = run(example("dot.cu", compiler, spec), [A, B, [5], n], (grid, 1, 1), (block, 1, 1), spec)
    assert arrays[2] == words([5 + sum(a * b for a, b in zip(A[:done], B[:done], strict=True))])
    arrays, _ = run(example("axpy.ptx", compiler, spec), [A, B, 0xFFFFFFFD, n], (grid, 1, 1), (block, 1, 1), spec)
    assert arrays[1] == words([b - 3 * a for a, b in zip(A[:done], B[:done], strict=True)] + B[done:])


def test_dot_takes_few_tokens(compiler):
    _, tokens = run(example("dot.cu", compiler, DEFAULT), [[1, 2, 3], [4, 5, 6], [0], 3])
    assert len(tokens) <= 20


@pytest.mark.parametrize(("n", "grid", "block"), [(1, (1, 1), (1, 1)), (3, (2, 2), (2, 2)), (4, (1, 2), (4, 2))])
def test_matmul(compiler, spec, n, grid, block):
    a, b = (words([x * (k + 3) + 1 for k in range(n * n)]) for x in (5, -(2**29)))
    arrays, _ = run(example("matmul.cu", compiler, spec, 2), [a, b, [0] * (n * n), n], (*grid, 1), (*block, 1), spec)
    expected = [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
    assert arrays[2] == words(expected)


@pytest.mark.parametrize("n", [0, 1, 4, 7, 12])
def test_sum_and_max(compiler, n):
    for spec in SPECS.values():
        arrays, _ = run(example("sum.cu", compiler, spec), [A, [77], n], block=(1, 1, 1), spec=spec)
        assert arrays[1] == words([sum(A[:n])])
    for block in (1, 3, 4, 32):
        arrays, _ = run(example("max.cu", compiler, DEFAULT), [A, [-5], n], block=(block, 1, 1))
        assert signed(arrays[1]) == [max([*A[:n], -5])]


def test_max_needs_more_stages(compiler):
    with pytest.raises(CompileError, match=r"max.cu:9: unsupported PTX instruction 'atom.global.max.s32 .*more stages"):
        example("max.cu", compiler, SMALL)


def steps(value: int) -> int:
    count = 0
    while value > 1:
        value = (3 * value + 1 if value % 2 else value // 2) & 0xFFFFFFFF
        count += 1
    return count


def test_collatz(compiler, spec):
    x = [0, 1, 2, 3, 7, 6, 9, 12]
    for n, block in ((8, 8), (5, 8), (3, 4), (0, 4), (1, 1)):
        arrays, _ = run(example("collatz.cu", compiler, spec), [x, [0] * 8, n], block=(block, 1, 1), spec=spec)
        assert arrays[1] == [steps(v) for v in x[:n]] + [0] * (8 - n)


def test_gcd(compiler, spec):
    import math

    a, b = [12, 7, 100, 8, 1, 35], [18, 21, 75, 8, 5, 14]
    arrays, _ = run(example("gcd.cu", compiler, spec), [a, b, [0] * 6, 6], (2, 1, 1), (4, 1, 1), spec)
    assert arrays[2] == [math.gcd(x, y) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("block", [1, 2, 4, 8])
@pytest.mark.parametrize("n", [0, 3, 12])
def test_reduce_synchronises_warps(compiler, spec, block, n):
    arrays, _ = run(example("reduce.cu", compiler, spec), [A, [1], n], block=(block, 1, 1), spec=spec)
    assert arrays[1] == words([sum(A[:n])])


def test_reduce_with_all_warps(compiler):
    arrays, _ = run(example("reduce.cu", compiler, DEFAULT), [A, [1], 12], block=(32, 1, 1))
    assert arrays[1] == words([sum(A)])


FEATURES = """
__device__ __forceinline__ int clamp(int x, int low, int high) { return max(low, min(x, high)); }
template <int SCALE> __device__ int scaled(int x) { return x * SCALE; }
__global__ void __launch_bounds__(32) features(int *x, unsigned *y) {
    __shared__ int counter;
    unsigned t = threadIdx.x;
    if (t == 0) counter = 100;
    __syncthreads();
    atomicSub(&counter, 3);
    __syncthreads();
    unsigned u = y[t];
    int v = x[t];
    atomicMin(&x[8], v); atomicMax(&y[8], u); atomicAnd(&y[9], u); atomicOr(&y[10], u); atomicXor(&y[11], u);
    unsigned before = atomicCAS(&y[12], t, t + 1);
    x[t] = clamp(scaled<3>(v), -10, 10) + abs(v) + counter;
    y[t] = (u << 5 | u >> 27) + u / 10 + (v < 0 && u > 5 ? 1000 : 0) + before + blockDim.x * gridDim.x;
}
__global__ void unused(int *x) { *x = 1; }
"""


def test_language_features(tmp_path, compiler):
    path = source(tmp_path, FEATURES)
    with pytest.raises(CompileError, match=r"2 kernels \((features, unused|unused, features)\)"):
        compile_kernel(path, compiler=compiler)
    program = compile_kernel(path, "features", compiler)
    assert program.name == "features"
    assert program.parameters == [("ptr", "x"), ("ptr", "y")]
    x, y = [5, -6, 2**31 - 1, -(2**31)], [1, 7, 2**32 - 1, 12345]
    arrays, _ = run(program, [[*x, 0, 0, 0, 0, 3], [*y, 0, 0, 0, 0, 9, 2**32 - 1, 0, 0, 0]], block=(4, 1, 1))
    assert arrays[0] == words(
        [max(-10, min(signed(words([3 * v]))[0], 10)) + abs(v) + 88 for v in x] + [0, 0, 0, 0, -(2**31)]
    )
    conditional = [1000 if v < 0 and u > 5 else 0 for v, u in zip(x, y, strict=True)]
    expected = [(u << 5 | u >> 27) + u // 10 + w + t + 4 for t, (u, w) in enumerate(zip(y, conditional, strict=True))]
    reduced = [2**32 - 1, y[0] & y[1] & y[2] & y[3], y[0] | y[1] | y[2] | y[3], y[0] ^ y[1] ^ y[2] ^ y[3], 4]
    assert arrays[1] == words([*expected, 0, 0, 0, 0, *reduced])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[0] = (float)y;", "k.cu:3: unsupported PTX instruction 'cvt"),
        ("x[0] = (int)((double)y * 2.5);", "k.cu:3: unsupported PTX instruction 'cvt"),
    ],
)
def test_unsupported_source_is_named_by_file_and_line(tmp_path, compiler, body, message):
    path = source(tmp_path, f'extern "C" __global__ void k(int *x, int y)\n{{\n    {body}\n}}\n')
    with pytest.raises(CompileError) as caught:
        compile_kernel(path, compiler=compiler)
    assert message in str(caught.value)
    assert "; " in str(caught.value)  # the remedy follows


def test_errors_in_the_source_are_the_compilers(tmp_path, compiler):
    path = source(tmp_path, 'extern "C" __global__ void k(int *x) {\n    x[0] = nothing;\n}\n')
    with pytest.raises(CompileError, match=r"does not compile:\n(.*\n)*.*k.cu(:2:|\(2\)).*nothing"):
        compile_kernel(path, compiler=compiler)


def test_compiler_choice(tmp_path, monkeypatch):
    path = source(tmp_path, "")
    with pytest.raises(CompileError, match="unknown compiler 'gcc'; choose auto, zig, nvrtc, clang"):
        compile_kernel(path, compiler="gcc")
    with pytest.raises(CompileError, match="no kernel"):
        compile_kernel(path)
    with pytest.raises(CompileError, match="no such file"):
        compile_kernel(tmp_path / "none.cu")
    monkeypatch.setattr(compiler_module, "available_compilers", lambda: ())
    with pytest.raises(CompileError, match="pip install ziglang"):
        compile_kernel(path)
    with pytest.raises(CompileError, match="'nvrtc' is not installed; pip install"):
        compile_kernel(path, compiler="nvrtc")


def test_options_reach_the_compiler(tmp_path, compiler):
    path = source(tmp_path, 'extern "C" __global__ void k(int *x) { *x = VALUE; }')
    program = compile_kernel(path, compiler=compiler, options=["-DVALUE=42"])
    assert run(program, [[0]], block=(1, 1, 1))[0] == [[42]]
