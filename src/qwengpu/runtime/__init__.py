"""Running a kernel: arguments in, a launch on an engine, results out of the recurrent state, and the check."""
