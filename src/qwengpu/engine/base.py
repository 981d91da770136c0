"""What all engines share."""

from __future__ import annotations

from qwengpu.errors import EngineError


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
