"""Arithmetic and logic unit of one pipeline stage, in one lane.

Everything meets in eight *nibble sums* (0..31 with carry): each operation adds its contribution to them, the carry
lookahead adds carries, and one last layer turns sums into result bits. Light operations take three MLPs
(sums and generate/propagate, carries, bits). The multiplier takes three before that: products of base-4 digits
summed by column (at most 16 * 9 = 144), columns re-summed as base-4 digits into nibble sums (at most 55), and those
brought below 31 so that the carry lookahead applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qwengpu.circuits.builder import Builder, Lin, Wire, lin, mismatch, number, total

NIBBLES = 8


@dataclass
class Lane:
    """Wires of one lane of one stage.

    Attributes:
        a, b: operand bits. predicate: bit 0 of operand c. addend: operand c as nibbles (none in light stages).
        result: result bits. sums: nibble sums. carries: carry into nibble m at [m], out of the top at [8].
    """

    a: list[Wire]
    b: list[Wire]
    predicate: Wire
    addend: list[Wire]
    result: list[Wire]
    sums: list[Wire] = field(default_factory=list)
    carries: list[Wire] = field(default_factory=list)

    def operand(self, name: str) -> list[dict[Wire, float]]:
        """For each bit of an operand, the wires it adds to."""
        if name == "c":
            targets: list[dict[Wire, float]] = (
                [{self.addend[i // 4]: 1 << i % 4} for i in range(32)] if self.addend else [{}]
            )
            targets[0] = {**targets[0], self.predicate: 1}
            return targets
        return [{bit: 1} for bit in (self.a if name == "a" else self.b)]


def nibble(bits: Sequence[Wire], m: int) -> Lin:
    """Nibble m of a word given as bits, as a number 0..15."""
    return number(bits[4 * m : 4 * m + 4])


def shifted(bits: Sequence[Wire], m: int, shift: int) -> Lin:
    """Nibble m of the word shifted left by ``shift`` (right, when negative), zero-filled, as a number 0..15."""
    return total((1 << j) * lin(bits[4 * m + j - shift]) for j in range(4) if 0 <= 4 * m + j - shift < len(bits))


class Alu:
    """Builds the ALU of a stage for one lane.

    Args:
        control: control line -> wire, shared by all lanes.
        multiplier: whether the stage multiplies. load: whether results of loads arrive from memory instead.
    """

    def __init__(
        self, b: Builder, control: dict[str, Wire], lane: Lane, name: str, multiplier: bool, load: bool
    ) -> None:
        self.b, self.control, self.lane, self.name = b, control, lane, name
        lane.sums = b.bus(f"{name}.sum", NIBBLES, high=31)
        self.generate = b.bus(f"{name}.generate", NIBBLES)
        self.propagate = b.bus(f"{name}.propagate", NIBBLES)
        self.difference = b.wire(f"{name}.difference", high=120)
        self._sums()
        self._logic()
        self._shifts()
        self._counts()
        self._rearrange()
        self._compare_inputs()
        self._carry_inputs()
        if multiplier:
            self.high_sums, self.high_generate, self.high_propagate, self.low_out = self._multiply()
        self._carries()
        high = self._high_carries() if multiplier else None
        self._bits(load, high)

    # --- what each operation adds to the nibble sums -------------------------------------------------------------

    def _sums(self) -> None:
        """add, lea, sub and their carries, selp (and the linear part of or, xor)."""
        b, c, lane = self.b, self.control, self.lane
        for m, out in enumerate(lane.sums):
            x, y = nibble(lane.a, m), nibble(lane.b, m)
            b.neuron(x + y, {out: 1}, up=lin(c["add"]) + c["or"] + c["xor"])
            b.neuron(x + shifted(lane.b, m, 2), {out: 1}, up=c["lea"])
            b.neuron(x + 15 - y, {out: 1}, up=c["sub"])
            b.neuron(x + 16 * lin(lane.predicate) - 16, {out: 1}, up=c["selp"])
            b.neuron(y - 16 * lin(lane.predicate), {out: 1}, up=c["selp"])
        b.neuron(c["sub"], {lane.sums[0]: 1})  # a - b = a + ~b + 1
        for line, factor in (("add", 1), ("sub", -1)):
            b.all_of([c["carry"], c[line], lane.predicate], {lane.sums[0]: factor})

    def _logic(self) -> None:
        """and; or = a + b - and; xor = a + b - 2 and, bit by bit."""
        c, lane = self.control, self.lane
        for i in range(32):
            both = lin(lane.a[i]) + lane.b[i] - 1
            up = (1 << i % 4) * (lin(c["and"]) - c["or"] - 2 * lin(c["xor"]))
            self.b.neuron(both, {lane.sums[i // 4]: 1}, up=up)

    def _shifts(self) -> None:
        """One-hot of the amount as gate, the shifted nibble as the other factor; 32 and more shift everything out."""
        c, lane = self.control, self.lane
        beyond = total(lane.b[5:])
        for amount in range(32):
            amiss = mismatch(lane.b[:5], amount) + beyond
            for m, out in enumerate(lane.sums):
                left, right = shifted(lane.a, m, amount), shifted(lane.a, m, -amount)
                if left.terms:
                    self.b.neuron(lin(c["shl"]) - amiss, {out: 1}, up=left)
                if right.terms:
                    self.b.neuron(lin(c["shr"]) - amiss, {out: 1}, up=right)
                fill = sum(1 << j for j in range(4) if 4 * m + j + amount >= 32)
                self.b.neuron(lin(c["sar"]) - amiss, {out: 1}, up=right + fill * lin(lane.a[31]))
        for out in lane.sums:
            for offset, factor in ((3, 7.5), (1, -7.5)):  # a step, times 15 times the sign bit
                gate = 4 * (beyond - 1) + offset
                self.b.neuron(gate, {out: factor}, up=lane.a[31], unless=1 - lin(c["sar"]))

    def _counts(self) -> None:
        """popc and clz: a count in the lowest nibble sum, but for 32, which is 2 in the next one."""
        b, c, lane = self.b, self.control, self.lane
        full: dict[Wire, float] = {lane.sums[0]: -32, lane.sums[1]: 2, self.generate[0]: -1, self.propagate[0]: -1}
        ones = total(lane.a)
        b.neuron(ones, {lane.sums[0]: 1}, up=c["popc"])
        for threshold, outputs in ((15, {self.propagate[0]: 1}), (16, {self.generate[0]: 1}), (32, full)):
            b.step(ones, threshold, outputs, unless=1 - lin(c["popc"]))
        for i in range(32):  # bit i and all above it are 0
            outputs = {lane.sums[0]: 1.0}
            for position, more in ((17, {self.propagate[0]: 1}), (16, {self.generate[0]: 1}), (0, full)):
                if i == position:
                    outputs = {wire: outputs.get(wire, 0) + more.get(wire, 0) for wire in (*outputs, *more)}
            b.neuron(lin(c["clz"]) - total(lane.a[i:]), outputs)

    def _rearrange(self) -> None:
        """brev, and the fields of ext8 and ext16 that bits 0 and 1 of b choose."""
        b, c, lane = self.b, self.control, self.lane
        for m, out in enumerate(lane.sums):
            b.neuron(c["brev"], {out: 1}, up=nibble(lane.a[::-1], m))
        for line, size, chooser in (("ext8", 2, lane.b[:2]), ("ext16", 4, lane.b[1:2])):
            for field_ in range(1 << len(chooser)):
                chosen = lin(c[line]) - mismatch(chooser, field_)
                for m in range(size):
                    b.neuron(chosen, {lane.sums[m]: 1}, up=nibble(lane.a, size * field_ + m))
                sign = lane.a[4 * size * (field_ + 1) - 1]
                above = dict.fromkeys(lane.sums[size:], 15.0)
                b.neuron(chosen + c["sext"] - 1, above, up=sign)

    def _compare_inputs(self) -> None:
        """Sum of nibble differences: 0 exactly when a = b."""
        c, lane = self.control, self.lane
        for m in range(NIBBLES):
            x, y = nibble(lane.a, m), nibble(lane.b, m)
            self.b.neuron(x - y, {self.difference: 1}, up=c["eq"])
            self.b.neuron(y - x, {self.difference: 1}, up=c["eq"])

    def _carry_inputs(self) -> None:
        """Generate (sum >= 16) and propagate (sum >= 15) of each nibble, for add, lea and what subtracts."""
        c, lane = self.control, self.lane
        compare, carry = lin(c["cmpu"]) + c["cmps"], c["carry"]
        for m in range(NIBBLES):
            x, y = nibble(lane.a, m), nibble(lane.b, m)
            ways = [(x + shifted(lane.b, m, 2), lin(c["lea"]))]
            below = x + 15 - y + (1 if m == 0 else 0)
            if m == 0:  # the carry's predicate counts here
                ways += [(x + y, lin(c["add"]) - carry), (x + y + lane.predicate, lin(c["add"]) + carry - 1)]
                ways += [(below, c["sub"] + compare - carry), (below - lane.predicate, lin(c["sub"]) + carry - 1)]
            else:
                ways.append((x + y, lin(c["add"])))
            if 0 < m < NIBBLES - 1:
                ways.append((below, c["sub"] + compare))
            elif m:  # a signed comparison is an unsigned one with both sign bits flipped
                ways.append((below, lin(c["sub"]) + c["cmpu"]))
                ways.append((below - 16 * lin(lane.a[31]) + 16 * lin(lane.b[31]), lin(c["cmps"])))
            for value, used in ways:
                self._generate_propagate(value, used, self.generate[m], self.propagate[m])

    def _generate_propagate(self, value: Lin, used: Lin, generate: Wire, propagate: Wire) -> None:
        self.b.step(value, 16, {generate: 1}, unless=1 - used)
        self.b.step(value, 15, {propagate: 1}, unless=1 - used)

    # --- multiplier -------------------------------------------------------------------------------------------------

    def _multiply(self) -> tuple[list[Wire], list[Wire], list[Wire], Wire]:
        b, c, lane = self.b, self.control, self.lane
        unused = 1 - lin(c["lo"]) - c["hi"]
        columns = [
            b.wire(f"{self.name}.column[{k}]", high=9 * min(k + 1, 31 - k)) for k in range(31)
        ]  # base-4 columns of the product
        for i in range(16):
            digit = number(lane.a[2 * i : 2 * i + 2]) - 4 * unused
            for j in range(16):
                b.neuron(digit, {columns[i + j]: 1}, up=number(lane.b[2 * j : 2 * j + 2]))
        addend = b.bus(f"{self.name}.addend", NIBBLES, high=15)
        for m, wire in enumerate(addend):
            b.neuron(lin(lane.addend[m]) - 16 * (1 - lin(c["mad"])), {wire: 1})

        partial = [b.wire(f"{self.name}.partial[{m}]", high=55) for m in range(16)]
        for k, column in enumerate(columns):
            self._spread(column, k, partial)

        low, high_sums = [], b.bus(f"{self.name}.high_sum", NIBBLES, high=31)
        for m in range(16):
            # base-16 digit of this partial sum plus the carry digit of the one below
            settled = b.wire(f"{self.name}.settled[{m}]", high=30)
            own = lin(partial[m]) + (addend[m] if m < NIBBLES else 0)
            b.neuron(own, {settled: 1})
            for t in range(16, int(own.maximum()) + 1, 16):
                b.step(own, t, {settled: -16})
            if m:
                below = lin(partial[m - 1]) + (addend[m - 1] if m <= NIBBLES else 0)
                for t in range(16, int(below.maximum()) + 1, 16):
                    b.step(below, t, {settled: 1})
            low.append(settled)

        low_out = b.wire(f"{self.name}.low_out")
        high_generate, high_propagate = b.bus(f"{self.name}.hg", NIBBLES), b.bus(f"{self.name}.hp", NIBBLES)
        low_generate, low_propagate = b.bus(f"{self.name}.lg", NIBBLES), b.bus(f"{self.name}.lp", NIBBLES)
        for m in range(NIBBLES):
            self._generate_propagate(lin(low[m]), lin(c["lo"]), self.generate[m], self.propagate[m])
            self._generate_propagate(lin(low[m]), lin(c["hi"]), low_generate[m], low_propagate[m])
            self._generate_propagate(lin(low[m + NIBBLES]), lin(c["hi"]), high_generate[m], high_propagate[m])
            b.neuron(low[m], {lane.sums[m]: 1}, up=c["lo"])
            b.neuron(low[m + NIBBLES], {high_sums[m]: 1}, up=c["hi"])
        b.step(_lookahead(low_generate, low_propagate, NIBBLES), 1 << NIBBLES, {low_out: 1})
        return high_sums, high_generate, high_propagate, low_out

    def _spread(self, column: Wire, k: int, partial: list[Wire]) -> None:
        """Add a base-4 column sum to the nibble sums, as base-4 digits at positions k, k+1, k+2, k+3."""

        def weights(digit: int) -> dict[Wire, float]:
            m, odd = divmod(k + digit, 2)
            return {partial[m]: 4 if odd else 1} if m < len(partial) else {}

        # column = d0 + 4 d1 + 16 d2 + 64 d3, and floor(column / 4^n) is a count of thresholds
        self.b.neuron(column, weights(0))
        for threshold in range(4, column.high + 1, 4):
            outputs: dict[Wire, float] = {}
            for digit in range(3):
                if threshold % 4 ** (digit + 1) == 0:
                    for wire, c in weights(digit).items():
                        outputs[wire] = outputs.get(wire, 0) - 4 * c
                    for wire, c in weights(digit + 1).items():
                        outputs[wire] = outputs.get(wire, 0) + c
            if outputs:
                self.b.step(column, threshold, outputs)

    # --- carries and result ------------------------------------------------------------------------------------------

    def _carries(self) -> None:
        """Carry into each nibble, from generate and propagate of all nibbles below it."""
        self.lane.carries = self.b.bus(f"{self.name}.carry", NIBBLES + 1)
        for m in range(1, NIBBLES + 1):
            self.b.step(_lookahead(self.generate, self.propagate, m), 1 << m, {self.lane.carries[m]: 1})

    def _high_carries(self) -> tuple[list[Wire], list[Wire]]:
        """Carry into each high nibble if the low half carries nothing out, and if it carries one."""
        without, with_one = self.b.bus(f"{self.name}.hc0", NIBBLES), self.b.bus(f"{self.name}.hc1", NIBBLES)
        for m in range(1, NIBBLES):
            ahead = _lookahead(self.high_generate, self.high_propagate, m)
            self.b.step(ahead, 1 << m, {without[m]: 1})
            self.b.step(ahead + 1, 1 << m, {with_one[m]: 1})
        return without, with_one

    def _bits(self, load: bool, high: tuple[list[Wire], list[Wire]] | None) -> None:
        b, c, lane = self.b, self.control, self.lane
        latest = max(w.ready for w in [*lane.carries[1:], *lane.sums, *([self.low_out] if high else [])])
        at = (latest + 1) // 2
        veto = lin(c["cmpu"]) + c["cmps"] + (c["load"] if load else 0)  # their carries are not part of a sum
        for m in range(NIBBLES):
            value = lin(lane.sums[m]) + (lane.carries[m] if m else 0)
            if high is not None:
                # 4 * sum + (low_out + hc1 + hc0): a carry is the majority of the three, hence thresholds at 4t - 2
                carry = lin(self.low_out) + high[1][m] + high[0][m] if m else 2 * lin(self.low_out)
                value = 4 * (value + self.high_sums[m]) + carry
            for t in range(1, 32):
                outputs = _bit_changes(t, lane.result[4 * m : 4 * m + 4])
                if high is None:
                    b.step(value, t, outputs, unless=veto, at=at)
                else:  # only one of the two sums is not 0
                    b.step(value, 4 * t - 2, outputs, unless=veto, at=at, maximum=4 * 31 + 3)
        zero = lane.result[0]
        top = lane.carries[NIBBLES]
        less = lin(c["cmpu"]) + c["cmps"]
        b.step(less - c["not"] - top, 1, {zero: 1}, at=at)
        b.step(less + c["not"] + top, 3, {zero: 1}, at=at)
        b.step(lin(c["eq"]) - c["not"] - self.difference, 1, {zero: 1}, at=at)
        b.step(self.difference, 1, {zero: 1}, unless=2 - lin(c["eq"]) - c["not"], at=at)


def _bit_changes(t: int, bits: Sequence[Wire | None]) -> dict[Wire, float]:
    """How the bits of a number change from t - 1 to t."""
    changes = {bit: (t >> j & 1) - (t - 1 >> j & 1) for j, bit in enumerate(bits) if bit is not None}
    return {bit: change for bit, change in changes.items() if change}


def _lookahead(generate: Sequence[Wire], propagate: Sequence[Wire], count: int) -> Lin:
    """Weighted sum that reaches 2**count exactly when the nibbles below ``count`` carry out."""
    return total((1 << m) * (lin(generate[m]) + propagate[m]) for m in range(count))


@dataclass
class Address:
    """A byte address: its low bits, and whether any bit above them is set (a count, 0 if none is)."""

    bits: list[Wire]
    beyond: Wire


def address(b: Builder, lane: Lane, count: int, name: str) -> Address:
    """The sum itself, of ``count`` bits, also when the stage's result comes from memory."""
    bits, beyond = b.bus(f"{name}.address", count), b.wire(f"{name}.beyond", high=NIBBLES + 3)
    at = (max(w.ready for w in lane.carries[1:]) + 1) // 2
    for m in range(NIBBLES):
        value = lin(lane.sums[m]) + (lane.carries[m] if m else 0)
        if 4 * m >= count:
            for threshold, factor in ((1, 1), (16, -1), (17, 1)):  # not a multiple of 16
                b.step(value, threshold, {beyond: factor}, at=at)
            continue
        inside = [bits[i] if i < count else None for i in range(4 * m, 4 * m + 4)]
        outside = [None if bit else beyond for bit in inside]
        for t in range(1, 32):
            changes = _bit_changes(t, inside)
            more = sum(sum(_bit_changes(t, [None] * j + [wire]).values()) for j, wire in enumerate(outside) if wire)
            if more:
                changes[beyond] = more
            if changes:
                b.step(value, t, changes, at=at)
    return Address(bits, beyond)
