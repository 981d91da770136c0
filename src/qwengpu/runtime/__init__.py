"""Running a kernel: arguments in, a launch on an engine, results out of the recurrent state, and the check."""

from qwengpu.runtime.arguments import parse_arguments, parse_dim3
from qwengpu.runtime.check import Checker, check
from qwengpu.runtime.launch import LaunchResult, launch, run_image

__all__ = ["Checker", "LaunchResult", "check", "launch", "parse_arguments", "parse_dim3", "run_image"]
