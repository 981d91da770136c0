"""What all engines share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from qwengpu.errors import EngineError


def greedy(
    argmax: Callable[[list[int]], int], prompt_ids: list[int], stop: Collection[int], max_tokens: int
) -> Iterator[int]:
    """Greedy decoding: yield the argmax after the prompt, feed it back, and so on (see ``Engine.generate``).

    Args:
        argmax: feeds tokens and returns the token with the largest logit after the last of them.
    """
    ids = prompt_ids
    for _ in range(max_tokens):
        token = argmax(ids)
        yield token
        ids = [token]
        if token in stop:
            break
    # the last token is fed too, so that the state is the one after the whole trace
    if ids is not prompt_ids:
        argmax(ids)


class SingleLaunch:
    """An engine whose recurrent state belongs to one launch."""

    _used = False

    def _once(self) -> None:
        """Refuse a second launch, which would find the first one's registers and memory in the state.

        Raises:
            EngineError: on the second call.
        """
        if self._used:
            raise EngineError("this engine has already run a launch; create another one for the next")
        self._used = True
