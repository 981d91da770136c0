"""Text that a kernel prints: formats against Python's own, records, buffers that are full."""

import pytest

from qwengpu.errors import CompileError
from qwengpu.machine.output import argument_sizes, parse_format, printed

SIGNED = [0, 1, -1, 42, -42, 2**31 - 1, -(2**31)]


def one(text: str, *words: int, memory: tuple[int, ...] = ()) -> str:
    """What one record prints; ``memory`` comes before the buffer."""
    first, record = len(memory), [0, *(word & 0xFFFFFFFF for word in words)]
    buffer = [4 * (first + 1 + len(record)), *record]
    output, lost = printed([text], [*memory, *buffer], first, len(buffer))
    assert lost == 0
    return output


@pytest.mark.parametrize(
    "text", ["%d", "%i", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d", "%-+8.3d|", "%+05d"]
)
@pytest.mark.parametrize("value", SIGNED)
def test_signed_numbers(text: str, value: int) -> None:
    assert one(text, value) == text % value


@pytest.mark.parametrize("text", ["%x", "%X", "%#x", "%#X", "%8x", "%08x", "%-8x|", "%.4x", "%#010x"])
@pytest.mark.parametrize("value", [1, 255, 2**32 - 1])
def test_hexadecimal_numbers(text: str, value: int) -> None:
    assert one(text, value) == text % value


@pytest.mark.parametrize(
    ("text", "words", "output"),
    [
        ("%u", (-1,), "4294967295"),
        ("%o %#o", (8, 8), "10 010"),
        ("%hd %hhd %hu", (0x18000, 0x1FF, -1), "-32768 -1 65535"),
        ("%lld %llu %lx", (-1, -1, -1, -1, 5, 1), "-1 18446744073709551615 100000005"),
        ("%c%c", (72, 105), "Hi"),
        ("%3c|%-3c|", (72, 105), "  H|i  |"),
        ("%*d|%-*d|%.*d", (4, 1, 4, 2, 3, 5), "   1|2   |005"),
        ("%*d", (-3, 7), "7  "),
        ("%.0d|%.d", (0, 0), "|"),
        ("%.*d", (-1, 0), "0"),
        ("100%% of %d\n", (3,), "100% of 3\n"),
        ("%p", (0x1234, 0), "0x1234"),
        ("%#x", (0,), "0"),
        ("plain", (), "plain"),
    ],
)
def test_conversions(text: str, words: tuple[int, ...], output: str) -> None:
    assert one(text, *words) == output


def test_strings_are_read_from_memory() -> None:
    memory = (0, 0x6C654800, 0x00006F6C)  # "Hello" from byte 5
    assert one("<%s|%8s|%-8s|%.2s>", 5, 0, 5, 0, 5, 0, 5, 0, memory=memory) == "<Hello|   Hello|Hello   |He>"
    assert one("%s", 0, 0, memory=memory) == "(null)"


def test_records_follow_each_other_and_what_does_not_fit_is_counted() -> None:
    formats = ["a%d ", "b%lld ", "c "]
    buffer = [0, 2, 0, 7, 1, 5, 0, 0, 0]
    buffer[0] = 4 * 7
    assert printed(formats, buffer, 0, len(buffer)) == ("c a7 b5 ", 0)
    assert printed(formats, buffer[:7], 0, 7) == ("c a7 b5 ", 0)
    buffer[0] = 4 * 20
    assert printed(formats, buffer[:6], 0, 6) == ("c a7 ", 4 * 16)


@pytest.mark.parametrize("text", ["%f", "%5.2lf", "%n", "%", "%y", "%e"])
def test_what_cannot_be_printed(text: str) -> None:
    with pytest.raises(CompileError, match="printf cannot print"):
        parse_format(text)


def test_sizes_of_arguments() -> None:
    assert argument_sizes("%d %lld %s %*.*hd %c %p %%") == [4, 8, 8, 4, 4, 4, 4, 8]
