"""What a user may type for an argument or a shape."""

from pathlib import Path

import numpy as np
import pytest

import programs
from qwengpu.errors import LaunchError
from qwengpu.machine import Program
from qwengpu.machine.isa import Symbol
from qwengpu.runtime.arguments import axes, parse_arguments, parse_dim3, parse_symbols


def kernel(*kinds: str) -> Program:
    return Program("k", [], parameters=[(kind, f"p{i}") for i, kind in enumerate(kinds)])


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("s32", "5", 5),
        ("s32", "-5", -5),
        ("u32", "+7", 7),
        ("u32", "0x1F", 31),
        ("s32", "-0x80000000", -(2**31)),
        ("u32", "4294967295", 2**32 - 1),
        ("u64", "007", 7),
        ("u8", "255", 255),
        ("s16", "-32768", -32768),
        ("ptr", "1,2,3", [1, 2, 3]),
        ("ptr", " 1, -2 ,0xff", [1, -2, 255]),
        ("ptr", "5", [5]),
        ("ptr", "zeros:4", [0] * 4),
        ("ptr", "ones:2", [1, 1]),
    ],
)
def test_values(kind: str, text: str, value: int | list[int]) -> None:
    assert parse_arguments(kernel(kind), [text]) == [value]


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("s32", "five", "p0: 'five' is not an integer"),
        ("s32", "", "is not an integer"),
        ("s32", "1,2", "is not an integer; give one integer"),
        ("s32", "1.5", "is not an integer"),
        ("s32", "1_000", "is not an integer"),
        ("u32", "4294967296", "does not fit in 32 bits"),
        ("u64", "18446744073709551616", "does not fit in 64 bits"),
        ("s32", "-2147483649", "does not fit in 32 bits"),
        ("u8", "256", "does not fit in 8 bits"),
        ("s32", "9" * 5000, "does not fit in 32 bits"),
        ("ptr", "1,,2", "p0: '' is not an integer; give an array"),
        ("ptr", "1,x", "'x' is not an integer"),
        ("ptr", "zeros:0", "1 to 1048576"),
        ("ptr", "zeros:-1", "1 to 1048576"),
        ("ptr", "zeros:99999999999", "1 to 1048576"),
        ("ptr", "random:4", "zeros:N and ones:N"),
        ("ptr", "@nowhere.npy", "cannot read nowhere.npy"),
    ],
)
def test_mistakes(kind: str, text: str, message: str) -> None:
    with pytest.raises(LaunchError) as error:
        parse_arguments(kernel(kind), [text])
    assert message in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("count", [0, 3, 5])
def test_a_wrong_number_of_arguments_names_those_the_kernel_takes(count: int) -> None:
    with pytest.raises(LaunchError, match=rf"takes 4 arguments \(ptr a, ptr b, ptr out, s32 n\), got {count}"):
        parse_arguments(programs.dot(), ["1"] * count)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_files_of_any_integer_type(tmp_path: Path, dtype: type) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype))
    assert parse_arguments(kernel("ptr"), [f"@{tmp_path / 'a.npy'}"]) == [[1, 2, 3, 4, 5, 6]]


def test_files_in_column_order_are_read_in_row_order(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray([[1, 2], [3, 4]]))
    assert parse_arguments(kernel("ptr"), [f"@{tmp_path / 'a.npy'}"]) == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1.5]), "holds float64"),
        (np.array([True]), "holds bool"),
        (np.array(["x"]), "holds <U1"),
        (np.array([{}], dtype=object), "cannot read"),
        (np.array([], np.int32), r"cannot read|0 elements"),
        (np.array([2**32]), "do not fit in 32 bits"),
        (np.array([-(2**31) - 1]), "do not fit in 32 bits"),
    ],
)
def test_files_that_hold_something_else(tmp_path: Path, array: np.ndarray, message: str) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(LaunchError, match=message):
        parse_arguments(kernel("ptr"), [f"@{tmp_path / 'a.npy'}"])


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(100))
    whole = path.read_bytes()
    np.savez(tmp_path / "several.npz", np.arange(3))
    for content in (b"", b"not an array", whole[:64], whole[:200], (tmp_path / "several.npz").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(LaunchError, match=r"a\.npy"):
            parse_arguments(kernel("ptr"), [f"@{path}"])
    with pytest.raises(LaunchError, match="cannot read"):
        parse_arguments(kernel("ptr"), [f"@{tmp_path}"])


@pytest.mark.parametrize(("text", "shape"), [("4", (4, 1, 1)), ("4,2", (4, 2, 1)), ("1, 2,3", (1, 2, 3))])
def test_shapes(text: str, shape: tuple[int, int, int]) -> None:
    assert parse_dim3("--grid", text) == shape


@pytest.mark.parametrize("text", ["", "0", "-1", "1,0", "a", "1,2,3,4", "1,", "1.5", "2147483648", "9" * 5000])
def test_shapes_that_are_none(text: str) -> None:
    with pytest.raises(LaunchError, match="--block"):
        parse_dim3("--block", text)


def test_axes_in_use() -> None:
    assert axes((1, 1, 1)) == 1
    assert axes((9, 1, 1)) == 1
    assert axes((1, 2, 1)) == 2
    assert axes((1, 1, 1), (1, 1, 2)) == 3


def test_an_array_takes_what_its_elements_can_hold(tmp_path: Path) -> None:
    program = Program("k", [], parameters=[("ptr", "a"), ("ptr", "b")], elements={0: "u8", 1: "s64"})
    assert parse_arguments(program, ["255,-128", str(-(1 << 63))]) == [[255, -128], [-(1 << 63)]]
    with pytest.raises(LaunchError, match="argument a: '256' does not fit in 8 bits"):
        parse_arguments(program, ["256", "0"])
    np.save(tmp_path / "a.npy", np.array([[1, 300]], np.int64))
    with pytest.raises(LaunchError, match=r"argument a: .* do not fit in 8 bits"):
        parse_arguments(program, [f"@{tmp_path}/a.npy", "0"])
    assert parse_arguments(program, ["1", f"@{tmp_path}/a.npy"])[1] == [1, 300]


def test_symbols() -> None:
    program = Program("k", [], symbols={"table": Symbol(0, 6, "s16"), "count": Symbol(8, 4)})
    assert parse_symbols(program, ["table=1,-2", "count=zeros:1"]) == {"table": [1, -2], "count": [0]}
    for text, message in (
        ("table", "give NAME=VALUES"),
        ("other=1", "uses no variable other of its module; it uses: table, count"),
        ("table=70000", "does not fit in 16 bits"),
    ):
        with pytest.raises(LaunchError, match=message):
            parse_symbols(program, [text])
