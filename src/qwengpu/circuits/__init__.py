"""Circuits: hardware units expressed as SwiGLU neurons and Gated DeltaNet heads, one module a unit.

``builder`` owns wires, neurons, heads and time; ``context``, ``registers``, ``alu``, ``memory``, ``scheduler`` and
``emission`` are the units; ``machine`` connects them.
"""
