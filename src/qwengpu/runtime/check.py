"""The check: every token the model writes, and every memory word it leaves, against the reference interpreter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qwengpu.errors import CheckError
from qwengpu.machine.interpreter import Interpreter, signed
from qwengpu.machine.loader import LaunchImage
from qwengpu.machine.tokens import Token


class Checker:
    """Replays a launch beside the model, one token at a time."""

    def __init__(self, image: LaunchImage) -> None:
        self._image = image
        self._interpreter = Interpreter(image)
        self._trace = self._interpreter.trace()
        self._position = 0

    def token(self, token: Token) -> None:
        """Compare the model's next token.

        Raises:
            CheckError: if the interpreter writes another one here; says where in the kernel.
        """
        expected = next(self._trace, None)
        if token != expected:
            raise CheckError(self._difference(expected, token))
        self._position += 1

    def finish(self, memory: Sequence[int]) -> None:
        """Compare the end: no token is missing, and all memory words (unsigned 32-bit, from word 0) are equal.

        Raises:
            CheckError: naming the missing token, or the first word that differs and the array it belongs to.
        """
        missing = next(self._trace, None)
        if missing is not None:
            raise CheckError(self._difference(missing, None))
        for word, (expected, got) in enumerate(zip(self._interpreter.memory, memory, strict=True)):
            if expected != got:
                raise CheckError(
                    f"memory word {word}{self._owner(word)} differs: expected {signed(expected)}, "
                    f"the model's state holds {signed(got)}"
                )

    def _difference(self, expected: Token | None, got: Token | None) -> str:
        warp, block = self._interpreter.position
        message = (
            f"token {self._position} differs: expected {expected or 'no more tokens'}, "
            f"the model wrote {got or 'no more tokens'} (warp {warp}, block {block}"
        )
        committing = self._interpreter.committing
        if committing is not None:
            stages = enumerate(self._image.program.blocks[block].stages)
            stage, instruction = next((k, i) for k, i in stages if i is not None and i.dst == committing)
            message += f", committing stage {stage}: {instruction}"
            if instruction.line:
                message += f", line {instruction.line}"
        return message + ")"

    def _owner(self, word: int) -> str:
        names = [name for kind, name in self._image.program.parameters if kind == "ptr"]
        for name, (first, count) in zip(names, self._image.arrays, strict=True):
            if first <= word < first + count:
                return f" ({name}[{word - first}])"
        return ""


def check(image: LaunchImage, tokens: Iterable[Token], memory: Sequence[int]) -> None:
    """Check a finished launch: see :class:`Checker`.

    Args:
        tokens: what the model wrote, from the first EXEC to HALT.
        memory: all words of the machine, read from the model's recurrent state.

    Raises:
        CheckError: at the first difference.
    """
    checker = Checker(image)
    for token in tokens:
        checker.token(token)
    checker.finish(memory)
