"""Simplification of the intermediate form: folding, fusing into the machine's operations, dead code, plain jumps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from qwengpu.cuda.graph import dominators, live_out
from qwengpu.cuda.ir import (
    COMMUTATIVE,
    COMPARISONS,
    BasicBlock,
    Const,
    Function,
    Node,
    Tid,
    Value,
    add_constants,
    literal,
    number,
    substituted,
)
from qwengpu.machine.interpreter import evaluate
from qwengpu.machine.isa import MASK32, Op

_INVERSE = {
    Op.SLTU: Op.SGEU, Op.SGEU: Op.SLTU, Op.SLTS: Op.SGES, Op.SGES: Op.SLTS, Op.SEQ: Op.SNE, Op.SNE: Op.SEQ
}  # fmt: skip

#: Operations that read operand c.
_THREE_OPERANDS = frozenset({Op.SELP, Op.ADDC, Op.SUBC, Op.MAD})
_BYTES = frozenset({Op.EXT8U, Op.EXT8S})

#: Every rule makes the code simpler, so a few passes are enough; the limit is a guard against two that disagree.
MOST_PASSES = 200


def simplify(function: Function) -> None:
    """Simplify a function in place until nothing changes."""
    make_values_dominate(function)
    for _ in range(MOST_PASSES):
        changed = _Rewriter(function).run()
        changed |= function.remove_unreachable()
        changed |= remove_dead(function)
        changed |= merge_blocks(function)
        if not changed:
            return


def make_values_dominate(function: Function) -> None:
    """Turn values that are used where their definition may not have run into variables."""
    dominated_by = dominators(function)
    home = {node.dst: block.name for block in function.blocks.values() for node in block.nodes if node.dst}
    bad: set[str] = set()
    for block in function.blocks.values():
        defined: set[str] = set()
        for node in block.nodes:
            bad |= {u for u in node.uses if isinstance(u, str) and home.get(u) == block.name and u not in defined}
            if node.dst:
                defined.add(node.dst)
        bad |= {u for u in block.used() if u in home and home[u] not in dominated_by[block.name]}
    for value in bad:
        variable = function.fresh(value)
        function.blocks[home[value]].writes[variable] = value
        for block in function.blocks.values():
            _read_variable_before_definition(function, block, value, variable)


def _read_variable_before_definition(function: Function, block: BasicBlock, value: str, variable: str) -> None:
    read = function.fresh(value)
    names: dict[str, Value] = {value: read}
    nodes = []
    for node in block.nodes:
        nodes.append(node.substitute(names))
        if node.dst == value:
            names = {}
    block.nodes = nodes
    if names:
        block.writes = {v: substituted(w, names) for v, w in block.writes.items()}
        block.predicate = substituted(block.predicate, names)
    if read in block.used():
        block.reads[read] = variable
        if value in function.booleans:
            function.booleans |= {read, variable}


# --- rewriting -------------------------------------------------------------------------------------------------------


class _Rewriter:
    """One pass over all nodes."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions = {n.dst: n for b in function.blocks.values() for n in b.nodes if n.dst}
        self.home = {n.dst: b.name for b in function.blocks.values() for n in b.nodes if n.dst}
        self.counts = Counter(u for b in function.blocks.values() for u in b.used())
        self.block = BasicBlock("")
        self.changed = False
        self.added: list[Node] = []

    def run(self) -> bool:
        for block in self.function.blocks.values():
            self.block = block
            nodes: list[Node] = []
            for node in block.nodes:
                self.added = []
                new = self._memory(node) if node.effect else self._fold(self._resolve(node))
                if new != node:
                    self.changed = True
                    if new.dst:
                        self.definitions[new.dst] = new
                nodes += [*self.added, new]
            block.nodes = nodes
            self._end()
        return self.changed

    def _end(self) -> None:
        block = self.block
        writes = {variable: self._copied(value) for variable, value in block.writes.items()}
        predicate, negated = self._condition(block.predicate, False)
        if (writes, predicate) != (block.writes, block.predicate):
            block.writes, block.predicate, self.changed = writes, predicate, True
        if block.target is not None:
            if negated:
                block.target, block.next = block.next, block.target
            known = number(predicate)
            if known is not None:
                block.next = block.target if known & 1 else block.next
            if known is not None or block.target == block.next:
                block.target, block.predicate, self.changed = None, None, True

    # --- looking at operands ---

    def _stable(self, value: Value) -> bool:
        """Whether a definition's operand may be used here in its place: not if it is another block's variable."""
        if not isinstance(value, str):
            return True
        return value in self.home or value in self.block.reads

    def _definition(self, value: Value) -> Node | None:
        """The node that defines a value, if its operands can be used here."""
        node = self.definitions.get(value) if isinstance(value, str) else None
        if node is None or node.effect or not all(self._stable(u) for u in node.uses):
            return None
        return node

    def _copied(self, value: Value) -> Value:
        """What a value is a copy of."""
        while (node := self._definition(value)) and node.op is Op.ADD and node.b is None:
            value = node.a
        return value

    def _condition(self, value: Value, negated: bool) -> tuple[Value, bool]:
        """Simplify an operand of which only bit 0 counts: the value to test and whether it is inverted."""
        value = self._copied(value)
        while node := self._definition(value):
            if node.op is Op.XOR and number(node.b) is not None:
                value, negated = node.a, negated ^ bool((number(node.b) or 0) & 1)
            elif node.op is Op.AND and (number(node.b) or 0) & 1:
                value = node.a
            else:
                break
            value = self._copied(value)
        return value, negated

    def _boolean(self, value: Value) -> bool:
        return number(value) in (0, 1) or value in self.function.booleans

    def _resolve(self, node: Node) -> Node:
        return replace(node, a=self._copied(node.a), b=self._copied(node.b), c=self._copied(node.c))

    def _make(self, node: Node, op: Op, a: Value = None, b: Value = None) -> str:
        """Add a helper node before ``node``."""
        dst = self.function.fresh()
        helper = Node(op, dst, a, b, origin=node.origin)
        self.added.append(helper)
        self.definitions[dst], self.home[dst] = helper, self.block.name
        return dst

    # --- memory ---

    def _memory(self, node: Node) -> Node:
        node = replace(self._resolve(node), data=self._copied(node.data), compare=self._copied(node.compare))
        if node.guard is not None:
            guard, negated = self._condition(node.guard, node.negated)
            known = number(guard)
            if known is not None and bool(known & 1) == negated:
                return Node(Op.ADD, origin=node.origin)  # it never happens: dead code
            node = replace(node, guard=None if known is not None else guard, negated=known is None and negated)
        scaled = node.op in (Op.LEA, Op.LDX)
        sum_ = self._address(Node(Op.LEA if scaled else Op.ADD, None, node.a, node.b, origin=node.origin))
        load = node.effect != "store"
        op = {Op.ADD: Op.LD if load else Op.ADD, Op.LEA: Op.LDX if load else Op.LEA}[sum_.op]
        return replace(node, op=op, a=sum_.a, b=sum_.b)

    def _address(self, node: Node) -> Node:
        """An address as the sum of two operands, one perhaps scaled by 4, with constants gathered."""
        folded = self._fold(node)
        if folded.op in (Op.ADD, Op.LEA):  # else it is of a form that no access can have
            node = folded
        if (
            node.op is Op.ADD
            and node.b is None
            and (inner := self._definition(node.a))
            and inner.op
            in (
                Op.ADD,
                Op.LEA,
            )
        ):
            return replace(node, op=inner.op, a=inner.a, b=inner.b)
        return node

    # --- arithmetic ---

    def _fold(self, node: Node) -> Node:
        a, b, c = (number(v) for v in (node.a, node.b, node.c))
        if node.op is Op.MAD:
            return self._fold_mad(node)
        if a is not None and b is not None and (node.op not in _THREE_OPERANDS or c is not None):
            return self._copy(node, literal(evaluate(node.op, a, b, c or 0)))
        # Literals second, then other constants: the rules look for them there.
        moves = a is not None or (isinstance(node.a, Const) and isinstance(node.b, str | Tid))
        if node.op in COMMUTATIVE and moves and b is None:
            node = replace(node, a=node.b, b=node.a)
            a, b = b, a
        rule = getattr(self, f"_fold_{node.op.name.lower()}", None)
        return rule(node, a, b) if rule else node

    def _copy(self, node: Node, value: Value) -> Node:
        if node.dst and self._boolean(value):
            self.function.booleans.add(node.dst)
        return replace(node, op=Op.ADD, a=value, b=None, c=None)

    def _fold_add(self, node: Node, a: int | None, b: int | None) -> Node:
        if node.b is None:
            return node
        total = add_constants(node.a, node.b)
        if not isinstance(total, bool):
            return self._copy(node, total)
        for x, y in ((node.a, node.b), (node.b, node.a)):
            inner = self._definition(x)
            if inner is None:
                continue
            if inner.op is Op.ADD and not isinstance(total := add_constants(inner.b, y), bool):
                return replace(node, a=inner.a, b=total)
            if inner.op is Op.LEA and not isinstance(total := add_constants(inner.a, y), bool):
                return replace(node, op=Op.LEA, a=total, b=inner.b)
            if inner.op is Op.SHL and number(inner.b) == 2:
                return replace(node, op=Op.LEA, a=y, b=inner.a)
            if inner.op is Op.LEA and inner.a is None:
                return replace(node, op=Op.LEA, a=y, b=inner.b)
        for x, y in ((node.a, node.b), (node.b, node.a)):
            inner = self._definition(x)
            single = isinstance(x, str) and self.counts[x] == 1 and self.home.get(x) == self.block.name
            if inner and single and inner.op is Op.MUL and not isinstance(y, Const):
                return replace(node, op=Op.MAD, a=inner.a, b=inner.b, c=y)
        return node

    def _fold_lea(self, node: Node, a: int | None, b: int | None) -> Node:
        if b is not None:
            return self._fold_add(replace(node, op=Op.ADD, b=literal(b << 2)), a, b << 2)
        inner = self._definition(node.b)
        if inner and inner.op is Op.ADD and number(inner.b) is not None:
            total = add_constants(node.a, literal((number(inner.b) or 0) << 2))
            if not isinstance(total, bool):
                return replace(node, a=total, b=inner.a)
        return node

    def _fold_sub(self, node: Node, a: int | None, b: int | None) -> Node:
        if b is not None:
            return self._fold_add(replace(node, op=Op.ADD, b=literal(-b)), a, -b)
        return self._copy(node, None) if node.a == node.b else node

    def _fold_mul(self, node: Node, a: int | None, b: int | None) -> Node:
        if b is not None and b & (b - 1) == 0:
            if b == 0:
                return self._copy(node, None)
            return self._fold_shl(replace(node, op=Op.SHL, b=literal(b.bit_length() - 1)), a, b.bit_length() - 1)
        return node

    def _fold_mad(self, node: Node) -> Node:
        a, b = number(node.a), number(node.b)
        if node.c is None:
            return self._fold(replace(node, op=Op.MUL))
        if a is not None and b is None:
            node = replace(node, a=node.b, b=node.a)
            a, b = b, a
        if b == 4:
            return self._fold(replace(node, op=Op.LEA, a=node.c, b=node.a, c=None))
        if b == 1:
            return self._fold(replace(node, op=Op.ADD, b=node.c, c=None))
        if isinstance(node.c, Const) or (a is not None and b is not None):
            # The third operand cannot be a constant.
            product = self._make(node, Op.MUL, node.a, node.b)
            return replace(node, op=Op.ADD, a=product, b=node.c, c=None)
        return node

    def _fold_mulhi(self, node: Node, a: int | None, b: int | None) -> Node:
        if b is not None and b & (b - 1) == 0:
            return self._copy(node, None) if b < 2 else replace(node, op=Op.SHR, b=literal(33 - b.bit_length()))
        return node

    def _fold_addc(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._fold_carry(node, Op.ADD, 1)

    def _fold_subc(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._fold_carry(node, Op.SUB, -1)

    def _fold_carry(self, node: Node, op: Op, one: int) -> Node:
        carry = number(node.c)
        if carry is None and isinstance(node.c, Const):
            return replace(node, c=self._make(node, Op.ADD, node.c))
        if carry is None and node.a is None and node.b is None and op is Op.ADD and self._boolean(node.c):
            return self._copy(node, node.c)
        if carry is None:
            return node
        if carry & 1 == 0:
            return self._fold(replace(node, op=op, c=None))
        return self._fold(replace(node, op=Op.ADD, a=self._make(node, op, node.a, node.b), b=literal(one), c=None))

    def _fold_shl(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == 0:
            return self._copy(node, node.a)
        if a == 0 or (b is not None and b >= 32):
            return self._copy(node, None)
        inner = self._definition(node.a)
        if inner and inner.op is Op.SHL and b is not None and (other := number(inner.b)) is not None:
            return replace(node, a=inner.a, b=literal(min(b + other, 32)))
        return node

    def _fold_shr(self, node: Node, a: int | None, b: int | None) -> Node:
        if a == 0 or (b is not None and self._most(node.a) >> min(b, 32) == 0):
            return self._copy(node, None)
        return self._copy(node, node.a) if b == 0 else node

    def _fold_sar(self, node: Node, a: int | None, b: int | None) -> Node:
        if self._most(node.a) < 1 << 31:
            return self._fold_shr(replace(node, op=Op.SHR), a, b)
        return self._copy(node, node.a) if b == 0 or a == MASK32 else node

    def _most(self, value: Value) -> int:
        """An upper bound of a value."""
        if (known := number(value)) is not None:
            return known
        if self._boolean(value):
            return 1
        node = self._definition(value)
        second = number(node.b) if node else None
        match node.op if node else None:
            case Op.EXT8U:
                return 0xFF
            case Op.EXT16U:
                return 0xFFFF
            case Op.CLZ | Op.POPC:
                return 32
            case Op.AND if second is not None:
                return second
            case Op.SHR if second is not None:
                return MASK32 >> min(second, 32)
        return MASK32

    def _fold_ext8u(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._extension(node, b, 0xFF, {Op.EXT8U, Op.EXT8S, Op.EXT16U, Op.EXT16S})

    def _fold_ext16u(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._extension(node, b, 0xFFFF, {Op.EXT16U, Op.EXT16S})

    def _fold_ext8s(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._extension(node, b, 0x7F, {Op.EXT8U, Op.EXT8S, Op.EXT16U, Op.EXT16S})

    def _fold_ext16s(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._extension(node, b, 0x7FFF, {Op.EXT16U, Op.EXT16S})

    def _extension(self, node: Node, b: int | None, most: int, inner: set[Op]) -> Node:
        """An extension of the lowest bits: of what is small enough nothing, of another extension the first one's."""
        if b != 0:
            return node
        if self._most(node.a) <= most:
            return self._copy(node, node.a)
        source = self._definition(node.a)
        if source and source.op in inner:
            # The lowest byte of a half is at the half's place, which may be given by any address in it.
            place = number(source.b)
            if (node.op in _BYTES) == (source.op in _BYTES) or place is not None:
                known = None if place is None else literal(place & (3 if source.op in _BYTES else 2))
                return replace(node, a=source.a, b=source.b if place is None else known)
        return node

    def _fold_and(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == 0:
            return self._copy(node, None)
        if b == MASK32 or node.a == node.b:
            return self._copy(node, node.a)
        if b is not None and b & (b + 1) == 0 and self._most(node.a) <= b:
            return self._copy(node, node.a)
        if b == 1 and node.dst:
            self.function.booleans.add(node.dst)
        return node

    def _fold_or(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == MASK32:
            return self._copy(node, literal(MASK32))
        return self._copy(node, node.a) if b == 0 or node.a == node.b else node

    def _fold_xor(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == 0 or node.a == node.b:
            return self._copy(node, node.a if b == 0 else None)
        inner = self._definition(node.a)
        if b == 1 and self._boolean(node.a):
            if node.dst:
                self.function.booleans.add(node.dst)
            if inner and inner.op in COMPARISONS:
                return replace(node, op=_INVERSE[inner.op], a=inner.a, b=inner.b)
        if b is not None and inner and inner.op is Op.XOR and (other := number(inner.b)) is not None:
            return self._fold_xor(replace(node, a=inner.a, b=literal(b ^ other)), None, b ^ other)
        return node

    def _fold_sltu(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == 0 or node.a == node.b or a == MASK32:
            return self._copy(node, None)
        if a == 0 or b == 1:
            return self._fold(replace(node, op=Op.SNE if a == 0 else Op.SEQ, a=node.b if a == 0 else node.a, b=None))
        return node

    def _fold_sgeu(self, node: Node, a: int | None, b: int | None) -> Node:
        if b == 0 or node.a == node.b or a == MASK32:
            return self._copy(node, literal(1))
        if a == 0 or b == 1:
            return self._fold(replace(node, op=Op.SEQ if a == 0 else Op.SNE, a=node.b if a == 0 else node.a, b=None))
        return node

    def _fold_seq(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._equality(node, b, equal=True)

    def _fold_sne(self, node: Node, a: int | None, b: int | None) -> Node:
        return self._equality(node, b, equal=False)

    def _equality(self, node: Node, b: int | None, equal: bool) -> Node:
        if b in (0, 1) and self._boolean(node.a):
            if (b == 1) == equal:
                return self._copy(node, node.a)
            return self._fold_xor(replace(node, op=Op.XOR, b=literal(1)), None, 1)
        return node

    def _fold_selp(self, node: Node, a: int | None, b: int | None) -> Node:
        condition, negated = self._condition(node.c, False)
        node = replace(node, c=condition)
        if negated:
            node = replace(node, a=node.b, b=node.a)
        if (known := number(node.c)) is not None:
            return self._copy(node, node.a if known & 1 else node.b)
        if isinstance(node.c, Const):
            return replace(node, c=self._make(node, Op.ADD, node.c))
        if node.a == node.b:
            return self._copy(node, node.a)
        if (number(node.a), number(node.b)) == (1, 0) and self._boolean(node.c):
            return self._copy(node, node.c)
        if (number(node.a), number(node.b)) == (0, 1) and self._boolean(node.c):
            return self._fold_xor(replace(node, op=Op.XOR, a=node.c, b=literal(1), c=None), None, 1)
        if node.dst and self._boolean(node.a) and self._boolean(node.b):
            self.function.booleans.add(node.dst)
        return node


# --- dead code and jumps ---------------------------------------------------------------------------------------------


def remove_dead(function: Function) -> bool:
    """Remove values, variables and loads that nothing uses."""
    changed = False
    while True:
        out = live_out(function)
        used = set()
        for block in function.blocks.values():
            for variable in [v for v in block.writes if v not in out[block.name]]:
                del block.writes[variable]
                changed = True
            used |= set(block.used())
        before = sum(len(b.nodes) for b in function.blocks.values())
        for block in function.blocks.values():
            block.nodes = [_without_result(n, used) for n in block.nodes if n.writes_memory or n.dst in used]
            block.reads = {value: variable for value, variable in block.reads.items() if value in used}
        if before == sum(len(b.nodes) for b in function.blocks.values()):
            return changed
        changed = True


def _without_result(node: Node, used: set[str]) -> Node:
    return replace(node, dst=None) if node.effect == "atomic" and node.dst not in used else node


def merge_blocks(function: Function) -> bool:
    """Join blocks that always follow each other, and skip empty ones."""
    changed = False
    while _skip_empty(function) or _merge_one(function):
        changed = True
    return changed


def _skip_empty(function: Function) -> bool:
    for block in list(function.blocks.values()):
        empty = not block.nodes and not block.writes and block.target is None and not block.ends_in_event
        if not empty or block.next is None or block.next == block.name:
            continue
        if block.name == function.entry:
            function.blocks = {block.next: function.blocks[block.next], **function.blocks}
        for other in function.blocks.values():
            other.next = block.next if other.next == block.name else other.next
            other.target = block.next if other.target == block.name else other.target
        del function.blocks[block.name]
        return True
    return False


def _merge_one(function: Function) -> bool:
    predecessors = function.predecessors()
    for block in function.blocks.values():
        if block.target is not None or block.ends_in_event or block.next is None:
            continue
        following = function.blocks[block.next]
        # An exit costs nothing as part of a block, so every block that goes on to an empty one gets its own.
        empty_exit = following.is_exit and not following.nodes
        if following is block or following.trap or (len(predecessors[following.name]) > 1 and not empty_exit):
            continue
        append_block(function, block, following)
        block.next, block.target, block.predicate = following.next, following.target, block.predicate
        block.barrier, block.sync = following.barrier, following.sync
        if predecessors[following.name] == [block.name]:
            del function.blocks[following.name]
        return True
    return False


def append_block(function: Function, block: BasicBlock, following: BasicBlock) -> None:
    """Put the work of a block that follows (but not its jump) at the end of a block."""
    names = values_at_end(function, block, following)
    block.nodes += [node.substitute(names) for node in following.nodes]
    block.writes |= {variable: substituted(value, names) for variable, value in following.writes.items()}
    block.predicate = substituted(following.predicate, names)


def values_at_end(function: Function, block: BasicBlock, following: BasicBlock) -> dict[str, Value]:
    """For each variable that ``following`` reads: the value it has at the end of ``block``."""
    return {value: value_at_end(function, block, variable) for value, variable in following.reads.items()}


def value_at_end(function: Function, block: BasicBlock, variable: str) -> Value:
    """The value of a variable at the end of a block, which reads the variable if it does not assign it."""
    if variable in block.writes:
        return block.writes[variable]
    for value, read in block.reads.items():
        if read == variable:
            return value
    value = function.fresh(variable)
    block.reads[value] = variable
    if variable in function.booleans:
        function.booleans.add(value)
    return value
