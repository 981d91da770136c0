"""Wires, neurons, heads and their schedule: the small language in which every hardware unit is written.

A *wire* is a small non-negative integer that lives in one channel of the residual stream. Units create wires, and
neurons and heads that read linear forms of wires (:class:`Lin`) and add to other wires. Time runs in sublayers:
``2 * layer`` is a layer's Gated DeltaNet, ``2 * layer + 1`` its MLP; what is read at time t must be complete before
t. When all units are built, wires get channels (a dead wire is subtracted away and its channel used again).

Two primitives are all there is:

* **neuron**: adds ``relu(gate) * up`` to wires. With the gate a multiple of 128, SiLU is ReLU exactly, so an integer
  gate g and an integer up u give g*u exactly as long as both fit bf16's 8 significant bits.
* **head**: a random-access memory. The key and query are one-hot rows decoded from address bits by SiLU itself:
  ``128 * (1 - 2 * (mismatches + inhibit))`` is 128 on the one matching row and at most -128 elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

GDN, MLP = 0, 1
INPUT_TIME = -1
UNPLACED = -1
#: Distance from a threshold within which a step of slope 2 is exact.
SHARP = 62
#: Bits of a number whose differences are exact in bf16.
EXACT_BITS = 8
#: Weight of ``unless``: more than any gate, and exact in bf16.
VETO = 512


@dataclass(eq=False)
class Wire:
    """A named value in the residual stream, an integer in ``0 .. high``.

    ``writes`` and ``reads`` are the times at which it is added to and read; ``channel`` is set at allocation, or
    before it for wires of the token code. ``kept`` wires are not cleared: they are
    what the stack puts out. ``until`` is the time at which the wire is cleared.
    """

    name: str
    high: int = 1
    channel: int = UNPLACED
    kept: bool = False
    until: int | None = None
    writes: list[int] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)

    @property
    def ready(self) -> int:
        """Time of the last addition; the wire may be read at any later time. (One never added to is always 0.)"""
        return max(self.writes, default=INPUT_TIME)


class Lin:
    """A linear form with integer coefficients: a sum of wires times coefficients, plus a constant."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Mapping[Wire, float] | None = None, constant: float = 0) -> None:
        self.terms: dict[Wire, float] = dict(terms or {})
        self.constant = constant

    @staticmethod
    def of(value: Lin | Wire | float) -> Lin:
        """A wire or a number as a linear form."""
        if isinstance(value, Lin):
            return value
        return Lin({value: 1}) if isinstance(value, Wire) else Lin(constant=value)

    def __add__(self, other: Lin | Wire | float) -> Lin:
        other = Lin.of(other)
        terms = dict(self.terms)
        for wire, c in other.terms.items():
            terms[wire] = terms.get(wire, 0) + c
        return Lin({w: c for w, c in terms.items() if c}, self.constant + other.constant)

    __radd__ = __add__

    def __mul__(self, factor: float) -> Lin:
        return Lin({w: c * factor for w, c in self.terms.items()}, self.constant * factor)

    __rmul__ = __mul__

    def __neg__(self) -> Lin:
        return self * -1

    def __sub__(self, other: Lin | Wire | float) -> Lin:
        return self + -Lin.of(other)

    def __rsub__(self, other: Lin | Wire | float) -> Lin:
        return Lin.of(other) - self

    def maximum(self) -> float:
        """Upper bound over all values of the wires."""
        return self.constant + sum(c * w.high for w, c in self.terms.items() if c > 0)

    def minimum(self) -> float:
        """Lower bound over all values of the wires."""
        return self.constant + sum(c * w.high for w, c in self.terms.items() if c < 0)

    def key(self) -> tuple:
        """Equal for equal forms."""
        return (self.constant, frozenset(self.terms.items()))

    def ready(self) -> int:
        """Time after which all wires are complete."""
        return max((w.ready for w in self.terms), default=INPUT_TIME)


Value = Lin | Wire | float


def total(values: Iterable[Value]) -> Lin:
    """Sum of linear forms."""
    result = Lin()
    for value in values:
        result = result + value
    return result


def lin(value: Value) -> Lin:
    """Shorthand for :meth:`Lin.of`."""
    return Lin.of(value)


def number(bits: Sequence[Value]) -> Lin:
    """Integer held by bits, least significant first."""
    return total((1 << i) * Lin.of(bit) for i, bit in enumerate(bits))


def mismatch(bits: Sequence[Value], value: int) -> Lin:
    """How many of the bits differ from those of ``value``."""
    return total(1 - Lin.of(bit) if value >> i & 1 else Lin.of(bit) for i, bit in enumerate(bits))


@dataclass
class Neuron:
    """``relu(gate) * up`` added to ``outputs`` (wire -> coefficient)."""

    gate: Lin
    up: Lin
    outputs: dict[Wire, float]


@dataclass
class Port:
    """One side of a head: rows matching ``bits`` (least significant first), silenced where ``inhibit`` is positive.

    ``rows`` without bits means: all of that many rows at once.
    """

    bits: Sequence[Value] = ()
    inhibit: Value = 0
    rows: int = 1

    def keys(self) -> list[Lin]:
        """One linear form a row, 1 where selected, else not positive."""
        if not self.bits:
            return [1 - Lin.of(self.inhibit)] * self.rows
        return [1 - mismatch(self.bits, r) - self.inhibit for r in range(1 << len(self.bits))]


@dataclass
class Head:
    """A Gated DeltaNet head used as memory.

    Attributes:
        write, read: row selection. A read in the token that writes sees the new value.
        values: up to 128 linear forms stored in the written row.
        outputs: for each value dimension, the wires it is added to when read (with coefficients, where not 1).
        reset: where 1, all rows are forgotten (before the write).
        delay: tokens by which values lag: 1 stores the previous token's values (through the short convolution).
    """

    name: str
    write: Port
    read: Port
    values: list[Lin]
    outputs: Sequence[Mapping[Wire, float]]
    reset: Lin | None = None
    delay: int = 0


@dataclass
class Layer:
    """What one decoder layer computes."""

    heads: list[Head] = field(default_factory=list)
    neurons: list[Neuron] = field(default_factory=list)
    by_input: dict[tuple, Neuron] = field(default_factory=dict)


class Builder:
    """Collects the circuit. ``heads_per_layer`` bounds the heads placed in a layer."""

    def __init__(self, heads_per_layer: int) -> None:
        self.heads_per_layer = heads_per_layer
        self.layers: list[Layer] = []
        self.wires: list[Wire] = []

    # --- wires -------------------------------------------------------------------------------------------------------

    def wire(self, name: str, high: int = 1) -> Wire:
        """A new wire, 0 until something adds to it."""
        wire = Wire(name, high)
        self.wires.append(wire)
        return wire

    def bus(self, name: str, width: int, high: int = 1) -> list[Wire]:
        """``width`` new wires."""
        return [self.wire(f"{name}[{i}]", high) for i in range(width)]

    # --- primitives --------------------------------------------------------------------------------------------------

    def _layer(self, number: int) -> Layer:
        while len(self.layers) <= number:
            self.layers.append(Layer())
        return self.layers[number]

    def neuron(
        self,
        gate: Value,
        outputs: Mapping[Wire, float],
        up: Value = 1,
        unless: Value = 0,
        at: int | None = None,
        bound: float | None = None,
    ) -> None:
        """Add ``relu(gate) * up`` to wires where ``unless`` (a count, never negative) is 0.

        Args:
            at: layer; else as early as the inputs allow.
            bound: what the gate never exceeds, where that is less than its terms' bounds say.
        """
        gate, up = Lin.of(gate), Lin.of(up)
        if (gate.maximum() if bound is None else bound) > 256:
            raise ValueError(f"gate up to {gate.maximum()} is not exact in bf16 ({next(iter(outputs)).name})")
        gate = gate - VETO * Lin.of(unless)
        ready = max(gate.ready(), up.ready())
        layer = (ready + 1) // 2 if at is None else at
        time = 2 * layer + MLP
        if time <= ready:
            raise ValueError(f"{next(iter(outputs)).name}: inputs are not ready at layer {layer}")
        self._add_neuron(self._layer(layer), Neuron(gate, up, dict(outputs)))
        self._touch(time, (gate, up), outputs)

    @staticmethod
    def _add_neuron(layer: Layer, neuron: Neuron) -> None:
        """Add a neuron, or its outputs to an equal one (as long as the sums stay exact in bf16)."""
        twin = layer.by_input.setdefault((neuron.gate.key(), neuron.up.key()), neuron)
        if twin is not neuron:
            sums = {wire: twin.outputs.get(wire, 0) + c for wire, c in neuron.outputs.items()}
            if all(abs(2 * c) <= 256 for c in sums.values()):
                twin.outputs |= sums
                return
        layer.neurons.append(neuron)

    def _touch(self, time: int, inputs: Iterable[Lin], outputs: Iterable[Wire]) -> None:
        for form in inputs:
            for wire in form.terms:
                wire.reads.append(time)
        for wire in outputs:
            wire.writes.append(time)

    def step(
        self,
        value: Value,
        threshold: int,
        outputs: Mapping[Wire, float],
        unless: Value = 0,
        at: int | None = None,
        maximum: float | None = None,
    ) -> None:
        """Add 1 (times the coefficient) where the integer ``value`` is at least ``threshold`` and ``unless`` is 0.

        A rising edge, or one minus a falling edge, whichever fits bf16's range: with slope 2 half-way between the
        integers, a value off by up to a quarter gives exactly 0 or 1. Where the range allows neither, the slope is 1
        and errors pass. All gates are integers, so that no gate lies just below 0, where SiLU is not ReLU.

        Args:
            maximum: a bound on ``value`` better than the sum of its terms' bounds.
        """
        value = Lin.of(value)
        above = (value.maximum() if maximum is None else maximum) - threshold
        if above < 0:
            return

        if at is None:  # all parts in one layer, the constant of a falling edge too
            at = (max(value.ready(), Lin.of(unless).ready()) + 1) // 2

        def add(gate: Value, factor: float) -> None:
            bound = None if maximum is None else min(4 * above + 3, 256)
            self.neuron(gate, {w: factor * c for w, c in outputs.items()}, unless=unless, at=at, bound=bound)

        rising, falling = 4 * (value - threshold), 4 * (threshold - value)
        if above <= SHARP:
            add(rising + 3, 0.5)
            add(rising + 1, -0.5)
        elif threshold - value.minimum() <= SHARP:
            add(1, 1)
            add(falling - 1, -0.5)
            add(falling - 3, 0.5)
        else:
            add(value - threshold + 1, 1)
            add(value - threshold, -1)

    def all_of(self, conditions: Sequence[Value], outputs: Mapping[Wire, float], at: int | None = None) -> None:
        """Add 1 where every 0/1 condition is 1 (a condition may be a negated form such as ``1 - x``)."""
        self.neuron(total(conditions) - (len(conditions) - 1), outputs, at=at)

    def equal(self, difference: Lin, outputs: Mapping[Wire, float], unless: Value = 0) -> None:
        """Add 1 where an integer difference is 0 (three neurons: the second difference of ReLU)."""
        for offset, factor in ((1, 1), (0, -2), (-1, 1)):
            self.neuron(difference + offset, {w: factor * c for w, c in outputs.items()}, unless=unless)

    def same(self, x: Sequence[Wire], y: Sequence[Wire], outputs: Mapping[Wire, float], unless: Value = 0) -> None:
        """Add 1 where two binary numbers of equal width are the same; beyond 8 bits it takes one layer more."""
        if len(x) <= EXACT_BITS:
            self.equal(number(x) - number(y), outputs, unless=unless)
            return
        halves = self.bus(f"{next(iter(outputs)).name}.same", 2)
        for half, part in zip(halves, (slice(EXACT_BITS), slice(EXACT_BITS, None)), strict=True):
            self.equal(number(x[part]) - number(y[part]), {half: 1})
        self.neuron(total(halves) - 1, outputs, unless=unless)

    def exceeds(
        self,
        x: Sequence[Wire],
        y: Sequence[Wire],
        outputs: Mapping[Wire, float],
        or_equal: bool = False,
        unless: Value = 0,
    ) -> None:
        """Add 1 where binary number x is greater than y of equal width; beyond 8 bits it takes one layer more."""
        low = number(x[:EXACT_BITS]) - number(y[:EXACT_BITS])
        if len(x) <= EXACT_BITS:
            self.step(low, int(not or_equal), outputs, unless=unless)
            return
        high = number(x[EXACT_BITS:]) - number(y[EXACT_BITS:])
        above, tie, beyond = self.bus(f"{next(iter(outputs)).name}.exceeds", 3)
        self.step(high, 1, {above: 1})
        self.equal(high, {tie: 1})
        self.step(low, int(not or_equal), {beyond: 1})
        self.step(2 * lin(above) + tie + beyond, 2, outputs, unless=unless)

    def free_heads(self, layer: int) -> int:
        """Heads that can still be placed in a layer."""
        return self.heads_per_layer - len(self._layer(layer).heads)

    def head(self, head: Head, earliest: int = 0, latest: int | None = None) -> int:
        """Place a head and return its layer: the first with a free slot from ``earliest``, or, where ``latest`` is
        given, the last one up to it."""
        forms = [*head.write.keys(), *head.read.keys(), *head.values, *([head.reset] if head.reset else [])]
        ready = max(form.ready() for form in forms)
        first = max(earliest, ready // 2 + 1)
        free = (
            layer
            for layer in (range(first, first + 999) if latest is None else range(latest, first - 1, -1))
            if self.free_heads(layer)
        )
        layer = next(free, None)
        if layer is None:
            raise ValueError(f"no free head slot for {head.name} in layers {first} to {latest}")
        self._layer(layer).heads.append(head)
        self._touch(2 * layer + GDN, forms, (w for targets in head.outputs for w in targets))
        return layer

    # --- channels ----------------------------------------------------------------------------------------------------

    def allocate(self, first_free: int) -> int:
        """Give every wire a channel from ``first_free`` up, clearing dead ones; returns the number of channels used.

        Raises:
            ValueError: if a wire is read before it is complete.
        """
        used = first_free
        last_mlp = 2 * (len(self.layers) - 1) + MLP
        for wire in self.wires:
            if wire.writes and wire.reads and min(wire.reads) <= wire.ready:
                raise ValueError(f"wire {wire.name} is read at {min(wire.reads)} before it is ready at {wire.ready}")
        written = sorted((w for w in self.wires if w.writes), key=lambda w: min(w.writes))
        # A channel of the token code serves other wires between the token that comes in and the one that goes out.
        taken_back = {wire.channel: min(wire.writes) for wire in written if wire.kept and wire.channel != UNPLACED}
        free: list[tuple[int, int]] = []  # (time from which free, channel)
        for wire in written:
            start = min(wire.writes)
            death = max([*wire.writes, *wire.reads])
            clear = death if death % 2 == MLP and death not in wire.writes else death + 2 - (death % 2 == GDN)
            wire.until = clear
            if wire.channel == UNPLACED:
                usable = [
                    (since, channel)
                    for since, channel in free
                    if since <= start and clear < taken_back.get(channel, clear + 1)
                ]
                if usable:
                    entry = max(usable)
                    free.remove(entry)
                    wire.channel = entry[1]
                else:
                    wire.channel = used
                    used += 1
            if clear <= last_mlp and not wire.kept:
                self.layers[clear // 2].neurons.append(Neuron(Lin.of(wire), Lin.of(1), {wire: -1}))
                free.append((clear, wire.channel))
        return used
