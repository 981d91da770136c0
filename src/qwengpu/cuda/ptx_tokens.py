"""The words of PTX text, and its constant expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qwengpu.errors import CompileError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+) | (?P<newline>\n) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<float>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][-+]?\d+)?)
    | (?P<number>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)
    | (?P<word>(?:%|\.)?[$_A-Za-z](?:[\w$.]|::)*)
    | (?P<mark><<|>>|<=|>=|==|!=|&&|\|\||[-+@!,;:|<>(){}\[\]=~*/&%^?])""",
    re.VERBOSE | re.DOTALL,
)
_INLINED_AT = re.compile(r"@\[\s*(.*?):(\d+):\d+")
_SIGN, _WORD = 1 << 63, 1 << 64

#: Binary operators of constant expressions, by how tightly they bind.
_PRECEDENCE = {
    **dict.fromkeys(("*", "/", "%"), 10),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("<", ">", "<=", ">="), 7),
    **dict.fromkeys(("==", "!="), 6),
    **{"&": 5, "^": 4, "|": 3, "&&": 2, "||": 1},
}


@dataclass(frozen=True)
class Token:
    kind: str  # word | number | float | string | mark | end
    text: str
    line: int


@dataclass(frozen=True)
class _Number:
    """A constant: 64 bits, signed unless a ``U`` made it unsigned."""

    value: int
    unsigned: bool = False


def _number(value: int, unsigned: bool = False) -> _Number:
    value %= _WORD
    return _Number(value if unsigned or value < _SIGN else value - _WORD, unsigned)


class TokenStream:
    """The tokens of a PTX text and a place in it.

    Attributes:
        inlined: PTX line -> (file, line) of the place where clang says that the code of a line was inlined.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.inlined: dict[int, tuple[str, int]] = {}
        self.at = 0
        self._tokenise(text)

    def _tokenise(self, text: str) -> None:
        at, line = 0, 1
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise CompileError(
                    f"{self.source}: PTX line {line}: unexpected character {text[at]!r}; this is not valid PTX"
                )
            kind, value = found.lastgroup or "", found.group()
            at = found.end()
            if kind == "comment" and (place := re.findall(_INLINED_AT, value)):
                self.inlined[line] = (place[-1][0], int(place[-1][1]))
            if kind not in ("space", "newline", "comment"):
                self.tokens.append(Token(kind, value, line))
            line += value.count("\n")
        self.tokens.append(Token("end", "", line))

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> str:
        """The text of a token after the current one; empty at the end."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].text

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind == "end":
            raise self.error("unexpected end")
        self.at += 1
        return token

    def accept(self, *texts: str) -> str | None:
        if self.token.text in texts and self.token.kind in ("word", "mark"):
            return self.next().text
        return None

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text!r}")

    def error(self, what: str) -> CompileError:
        found = self.token.text or "the end of the file"
        return CompileError(f"{self.source}: PTX line {self.token.line}: {what}, found {found!r}")

    def word(self) -> str:
        if self.token.kind != "word":
            raise self.error("expected a name")
        return self.next().text

    def skip_to(self, *texts: str) -> None:
        while self.token.text not in texts or self.token.kind == "string":
            self.next()

    def skip_braces(self) -> None:
        self.skip_to("{")
        depth = 0
        while True:
            token = self.next()
            if token.kind == "mark":
                depth += (token.text == "{") - (token.text == "}")
            if not depth:
                return

    # --- constant expressions ---

    @property
    def starts_expression(self) -> bool:
        return self.token.kind == "number" or self.token.text in ("-", "+", "~", "(", "!", "WARP_SZ")

    def integer(self) -> int:
        """A constant expression.

        Raises:
            CompileError: if there is none, or it divides by 0.
        """
        return self._conditional().value

    def _conditional(self) -> _Number:
        condition = self._binary(1)
        if not self.accept("?"):
            return condition
        first = self._conditional()
        self.expect(":")
        second = self._conditional()
        return _number((first if condition.value else second).value, first.unsigned or second.unsigned)

    def _binary(self, weakest: int) -> _Number:
        left = self._unary()
        while self.token.kind == "mark" and _PRECEDENCE.get(self.token.text, 0) >= weakest:
            operator = self.next().text
            left = self._combined(operator, left, self._binary(_PRECEDENCE[operator] + 1))
        return left

    def _combined(self, operator: str, left: _Number, right: _Number) -> _Number:
        unsigned = left.unsigned if operator in ("<<", ">>") else left.unsigned or right.unsigned
        a, b = _number(left.value, unsigned).value, _number(right.value, unsigned).value
        if operator in ("/", "%"):
            if not b:
                raise self.error("a constant is divided by 0")
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _number(quotient if operator == "/" else a - quotient * b, unsigned)
        shift = min(b % _WORD, 64)
        results = {
            **{"*": a * b, "+": a + b, "-": a - b, "<<": a << shift, ">>": a >> shift, "&": a & b, "^": a ^ b},
            **{"|": a | b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b},
            **{"&&": bool(a and b), "||": bool(a or b)},
        }
        return _number(int(results[operator]), unsigned and not isinstance(results[operator], bool))

    def _unary(self) -> _Number:
        if operator := self.accept("-", "+", "~", "!"):
            operand = self._unary()
            value = {"-": -operand.value, "+": operand.value, "~": ~operand.value}.get(operator, int(not operand.value))
            return _number(value, operand.unsigned and operator != "!")
        if self.accept("("):
            if cast := self.accept(".s64", ".u64"):
                self.expect(")")
                return _number(self._unary().value, cast == ".u64")
            inside = self._conditional()
            self.expect(")")
            return inside
        if self.accept("WARP_SZ"):
            return _Number(32)
        if self.token.kind != "number":
            raise self.error("expected an integer")
        text = self.next().text
        digits = text.rstrip("U")
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        if octal and not re.fullmatch("[0-7]+", digits):
            self.at -= 1
            raise self.error("expected an octal number")
        value = int(digits, 8 if octal else 0)
        return _number(value, text.endswith("U") or value >= _SIGN)
