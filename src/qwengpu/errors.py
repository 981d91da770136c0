"""Every error a user can meet, in one family."""


class QwenGPUError(Exception):
    """Base class: the message names the cause and the remedy."""


class SpecError(QwenGPUError):
    """A machine of this size cannot be built."""


class CompileError(QwenGPUError):
    """CUDA or PTX source that cannot be compiled for the machine."""


class CapacityError(QwenGPUError):
    """A kernel or its data does not fit the machine."""


class LaunchError(QwenGPUError):
    """Launch arguments that do not fit the kernel."""


class ExecutionError(QwenGPUError):
    """The model did not finish the launch.

    Attributes:
        text: what the kernel had printed by then.
    """

    def __init__(self, message: str, text: str = "") -> None:
        super().__init__(message)
        self.text = text


class DeviceError(ExecutionError):
    """The kernel did what has no result: an access that is not allowed, a trap, a failed assertion."""


class CheckError(QwenGPUError):
    """The model's trace differs from the reference interpreter's."""


class EngineError(QwenGPUError):
    """The chosen engine cannot run here."""


class CheckpointError(QwenGPUError):
    """A checkpoint or cache file that cannot be written or read."""
