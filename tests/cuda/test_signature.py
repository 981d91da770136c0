"""Parameter types as the CUDA source declares them."""

from __future__ import annotations

import pytest

from qwengpu.cuda.signature import element_type, integer_type, read_signature


@pytest.mark.parametrize(
    ("declaration", "kind"),
    [
        ("int", "s32"),
        ("const unsigned", "u32"),
        ("unsigned long long int", "u64"),
        ("long long", "s64"),
        ("signed char", "s8"),
        ("char", "s8"),
        ("uchar", "u8"),
        ("bool", "u8"),
        ("unsigned short int", "u16"),
        ("std::uint16_t", "u16"),
        ("int64_t", "s64"),
        ("size_t", "u64"),
        ("long", "s64"),
        ("float", None),
        ("Point", None),
        ("uint4", None),
        ("const int *", None),
        ("", None),
    ],
)
def test_integer_types(declaration: str, kind: str | None) -> None:
    assert integer_type(declaration) == kind


@pytest.mark.parametrize(
    ("declaration", "kind"),
    [
        ("const unsigned char *__restrict__", "u8"),
        ("int *", "s32"),
        ("volatile short *const", "s16"),
        ("uint64_t*", "u64"),
        ("int **", None),
        ("Point *", None),
        ("int", None),
    ],
)
def test_element_types(declaration: str, kind: str | None) -> None:
    assert element_type(declaration) == kind


def test_signature() -> None:
    source = """/* __global__ void k(int wrong) */
    template <int N> __global__ void __launch_bounds__(64) other(int a);
    extern "C" __global__ void k(const uint8_t *text, // the text
                                 int counts[256], long n) {}"""
    assert read_signature(source, "k") == [("const uint8_t *", "text"), ("int *", "counts"), ("long", "n")]
    assert read_signature(source, "missing") is None
