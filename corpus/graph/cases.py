"""Algorithms on graphs, against matrix powers, exhaustive search and other algorithms in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np

from corpus import inputs
from corpus.case import Argument, Case
from corpus.inputs import i32, rng, small, u32, zeros

Pairs = Sequence[tuple[int, int]]
FAR = 0x3FFFFFFF


def threads(
    file: str, kernel: str, label: str, n: int, block: int, arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray], shared: int = 0,
) -> Case:  # fmt: skip
    """One thread for each of n items."""
    return inputs.linear(f"graph/{file}.cu", kernel, label, n, block, arguments, expected, shared)


def one(
    file: str, kernel: str, label: str, block: int | tuple[int, int], arguments: Sequence[Argument],
    expected: Mapping[int, np.ndarray], shared: int = 0,
) -> Case:  # fmt: skip
    """One block."""
    return inputs.launch(f"graph/{file}.cu", kernel, label, 1, block, arguments, expected, shared)


# --- Graphs ----------------------------------------------------------------------------------------------------------


def random_pairs(seed: int, n: int, count: int) -> Pairs:
    """Different pairs i < j below n, in random order."""
    every = list(combinations(range(n), 2))
    return [every[k] for k in rng(seed).permutation(len(every))[:count]]


def turned(seed: int, pairs: Pairs) -> Pairs:
    """Pairs of which some are turned round."""
    return [
        (b, a) if flip else (a, b) for (a, b), flip in zip(pairs, rng(seed).integers(0, 2, len(pairs)), strict=True)
    ]


def both(pairs: Pairs) -> Pairs:
    return [*pairs, *((b, a) for a, b in pairs)]


def path(n: int) -> Pairs:
    return [(v, v + 1) for v in range(n - 1)]


def ring(n: int) -> Pairs:
    return [*path(n), (0, n - 1)]


def adjacency(n: int, pairs: Iterable[tuple[int, int]]) -> np.ndarray:
    matrix = np.zeros((n, n), np.int64)
    for a, b in pairs:
        matrix[a, b] = 1
    return matrix


def csr(n: int, pairs: Pairs, dtype: type[np.integer] = np.int32) -> tuple[np.ndarray, np.ndarray]:
    """(int32 offsets, targets of vertex 0, of vertex 1, ...); a graph of no edge gets one that is not read."""
    targets = [sorted(b for a, b in pairs if a == v) for v in range(n)]
    offsets = np.cumsum([0, *map(len, targets)]).astype(np.int32)
    return offsets, np.array([b for t in targets for b in t] or [0], dtype)


def bits(matrix: np.ndarray, dtype: type[np.integer] = np.uint32) -> np.ndarray:
    """Rows of a 0-1 matrix as integers, column 0 in the lowest bit."""
    return np.array([sum(1 << j for j in np.flatnonzero(row).tolist()) for row in matrix], dtype)


def reaches(matrix: np.ndarray, steps: int | None = None) -> np.ndarray:
    """Which vertices are reached in at most so many steps."""
    n = len(matrix)
    power = np.linalg.matrix_power(((np.eye(n) + matrix) > 0).astype(object), n if steps is None else steps)
    return power > 0


def hops(matrix: np.ndarray) -> np.ndarray:
    """Steps from each vertex to each, or -1."""
    n = len(matrix)
    within = np.array([reaches(matrix, k) for k in range(n)])
    return np.where(within.any(axis=0), within.argmax(axis=0), -1)


# --- Breadth-first search and shortest paths -------------------------------------------------------------------------


def bfs_levels(label: str, n: int, pairs: Pairs, source: int, block: int) -> Case:
    expected = hops(adjacency(n, pairs))[source].astype(np.int32)
    return one("bfs", "bfs_levels", label, block, (*csr(n, pairs), n, source, np.zeros_like(expected)), {4: expected})


def bfs_frontier(label: str, n: int, pairs: Pairs, source: int, block: int) -> Case:
    level = hops(adjacency(n, pairs))[source].astype(np.int32)
    arguments = (*csr(n, pairs), source, np.full(n, -1, np.int32), zeros(1, np.int32))
    return one("bfs", "bfs_frontier", label, block, arguments, {3: level, 4: i32([(level >= 0).sum()])})


def distances_by_bits(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, pairs)
    expected = hops(matrix).astype(np.uint8)
    return threads(
        "bfs", "distances_by_bits", label, n, block, (bits(matrix), n, np.zeros_like(expected)), {2: expected}
    )


def shortest(n: int, weights: Mapping[tuple[int, int], int]) -> np.ndarray:
    """All shortest distances by repeated squaring of the matrix in (min, +); there is no cycle below 0."""
    d = np.full((n, n), FAR, np.int64)
    for (a, b), w in weights.items():
        d[a, b] = w
    np.fill_diagonal(d, np.minimum(d.diagonal(), 0))
    for _ in range(n.bit_length()):
        d = (d[:, :, None] + d[None]).min(axis=1)
        d[d > FAR // 2] = FAR
    return d


def weighted(seed: int, pairs: Pairs, low: int, high: int) -> dict[tuple[int, int], int]:
    return dict(zip(pairs, small(seed, len(pairs), low, high).tolist(), strict=True))


def table(n: int, weights: Mapping[tuple[int, int], int], absent: int = 0) -> np.ndarray:
    matrix = np.full((n, n), absent, np.int64)
    for (a, b), w in weights.items():
        matrix[a, b] = w
    return matrix


def bellman_ford(label: str, n: int, weights: Mapping[tuple[int, int], int], source: int, block: int,
                 cycle: bool = False) -> Case:  # fmt: skip
    """``cycle``: a cycle below zero is within reach of the source."""
    distance = np.zeros(n, np.int32) if cycle else shortest(n, weights)[source].astype(np.int32)
    start, end = (np.array(column, np.uint8) for column in zip(*weights, strict=True))
    lengths = np.array(list(weights.values()), np.int16)
    arguments = (start, end, lengths, len(lengths), n, source, np.zeros_like(distance), zeros(1, np.int32))
    return one("shortest", "bellman_ford", label, block, arguments, {6: distance, 7: i32([cycle])})


def floyd_warshall(label: str, n: int, weights: Mapping[tuple[int, int], int]) -> Case:
    matrix = table(n, weights, FAR)
    np.fill_diagonal(matrix, 0)
    expected = shortest(n, weights).astype(np.int32)
    return one("shortest", "floyd_warshall", label, (n, n), (matrix.astype(np.int32),), {0: expected}, 4 * n * n)


def widest_paths(label: str, n: int, weights: Mapping[tuple[int, int], int], block: int) -> Case:
    matrix, widest = table(n, weights), np.zeros((n, n), np.uint16)
    for width in sorted(set(weights.values())):
        widest[reaches(matrix >= width)] = width
    np.fill_diagonal(widest, 0)
    return one("shortest", "widest_paths", label, block, (matrix.astype(np.uint16), n), {0: widest})


def dijkstra(label: str, n: int, weights: Mapping[tuple[int, int], int], source: int, block: int) -> Case:
    distance = shortest(n, weights)[source].tolist()

    def parent(v: int) -> int:
        before = (u for u in range(n) if (u, v) in weights and distance[u] + weights[u, v] == distance[v])
        return -1 if v == source or distance[v] == FAR else min(before)

    expected = {3: i32(distance), 4: np.array([parent(v) for v in range(n)], np.int8)}
    arguments = (table(n, weights).astype(np.uint8), n, source, *(np.zeros_like(e) for e in expected.values()))
    return one("shortest", "dijkstra", label, block, arguments, expected)


# --- Components, closure, counting -----------------------------------------------------------------------------------


def smallest_reached(n: int, pairs: Pairs) -> np.ndarray:
    return reaches(adjacency(n, both(pairs))).argmax(axis=1).astype(np.int32)


def label_propagation(label: str, n: int, pairs: Pairs, block: int) -> Case:
    expected = smallest_reached(n, pairs)
    arguments = (i32(pairs), len(pairs), n, np.zeros_like(expected))
    return one("components", "label_propagation", label, block, arguments, {3: expected})


def union_find(label: str, n: int, pairs: Pairs, block: int) -> Case:
    grid = -(-len(pairs) // block)
    arguments = (i32(pairs), len(pairs), np.arange(n, dtype=np.int32), n, zeros(1))
    expected = {2: smallest_reached(n, pairs), 4: u32([grid])}
    return threads("components", "union_find", label, len(pairs), block, arguments, expected)


def transitive_closure(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, pairs)
    expected = bits((matrix @ reaches(matrix)) > 0, np.uint64)
    return one("closure", "transitive_closure", label, block, (bits(matrix, np.uint64), n), {0: expected})


def strong_components(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, pairs)
    reached = reaches(matrix)
    expected = (reached & reached.T).argmax(axis=1).astype(np.uint8)
    arguments = (bits(matrix, np.uint64), n, np.zeros_like(expected))
    return one("closure", "strong_components", label, block, arguments, {2: expected}, 8 * n)


def triangles_by_bits(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, both(pairs))
    expected = u32([np.trace(np.linalg.matrix_power(matrix, 3)) // 6])
    return threads("triangles", "triangles_by_bits", label, n * n, block, (bits(matrix), n, zeros(1)), {2: expected})


def triangles_at(label: str, n: int, pairs: Pairs, block: int) -> Case:
    cubed = np.linalg.matrix_power(adjacency(n, both(pairs)), 3)
    expected = (cubed.diagonal() // 2).astype(np.int32)
    arguments = (*csr(n, both(pairs), np.uint8), n, np.zeros_like(expected))
    return threads("triangles", "triangles_at", label, n, block, arguments, {3: expected})


def degrees(label: str, n: int, pairs: Pairs, block: int) -> Case:
    out, into = (np.bincount(column, minlength=n).astype(np.int32) for column in zip(*pairs, strict=True))
    histogram = np.bincount(out + into).astype(np.int32)
    expected = {3: out, 4: into, 5: histogram}
    arguments = (np.array(pairs, np.uint8), len(pairs), n, *(np.zeros_like(e) for e in expected.values()))
    return one("degrees", "degrees", label, block, arguments, expected)


def is_graphical(label: str, sequences: Sequence[Sequence[int]], block: int) -> Case:
    def erdos_gallai(sequence: Sequence[int]) -> bool:
        d = sorted(sequence, reverse=True)
        return sum(d) % 2 == 0 and all(
            sum(d[:k]) <= k * (k - 1) + sum(min(x, k) for x in d[k:]) for k in range(1, len(d) + 1)
        )

    expected = np.array([erdos_gallai(s) for s in sequences])
    arguments = (np.array(sequences, np.uint8), len(sequences[0]), np.zeros_like(expected), len(sequences))
    return threads("degrees", "is_graphical", label, len(sequences), block, arguments, {2: expected})


def pagerank(label: str, n: int, links: Pairs, damping: int, rounds: int, block: int) -> Case:
    matrix = adjacency(n, links)
    out = matrix.sum(axis=1)
    rank = np.full(n, 65536 // n)
    for _ in range(rounds):
        received = matrix.T @ (rank // np.maximum(out, 1)) + rank[out == 0].sum() // n
        rank = (65536 - damping) // n + (received * damping >> 16)
    arguments = (*csr(n, [(b, a) for a, b in links], np.uint16), out.astype(np.int32), n, damping, rounds, zeros(n))
    return one("pagerank", "pagerank", label, block, arguments, {6: u32(rank)}, 4 * block)


# --- Orders, trees, colours ------------------------------------------------------------------------------------------


def kahn_layers(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, pairs)
    reached = reaches(matrix)
    circular = np.diag((matrix @ reached) > 0)

    @cache
    def longest(v: int) -> int:
        return max((longest(u) + 1 for u in range(n) if matrix[u, v]), default=0)

    expected = np.array([-1 if reached[circular, v].any() else longest(v) for v in range(n)], np.int8)
    return one(
        "topological", "kahn_layers", label, block, (*csr(n, pairs), n, np.zeros_like(expected)), {3: expected}, 4 * n
    )


def first_order(label: str, size: int, graphs: Sequence[Pairs], block: int) -> Case:
    """Graphs without a cycle; pairs (a, b): a comes before b."""
    before = np.stack([bits(adjacency(size, pairs).T, np.uint8) for pairs in graphs])
    orders = (
        next(o for o in permutations(range(size)) if all(o.index(a) < o.index(b) for a, b in pairs)) for pairs in graphs
    )
    expected = np.array(list(orders), np.uint8)
    arguments = (before, size, np.zeros_like(expected), len(graphs))
    return threads("topological", "first_order", label, len(graphs), block, arguments, {2: expected})


def kruskal(n: int, edges: Sequence[tuple[int, int, int]]) -> list[int]:
    """Indices of the edges of the minimum spanning forest; the first of equal weights is taken."""
    group, chosen = list(range(n)), []
    for e in sorted(range(len(edges)), key=lambda e: edges[e][2]):
        a, b, _ = edges[e]
        if group[a] != group[b]:
            chosen.append(e)
            group = [group[a] if g == group[b] else g for g in group]
    return chosen


def prim(label: str, n: int, pairs: Pairs, block: int) -> Case:
    """A connected graph, its weights all different."""
    weights = (rng(n).permutation(len(pairs)) + 1).tolist()
    edges = [(a, b, w) for (a, b), w in zip(pairs, weights, strict=True)]
    tree = [edges[e] for e in kruskal(n, edges)]
    step = hops(adjacency(n, both([(a, b) for a, b, _ in tree])))
    parent = [next((u for u in range(n) if step[u, v] == 1 and step[0, u] < step[0, v]), -1) for v in range(n)]
    matrix = table(n, {pair: w for a, b, w in edges for pair in ((a, b), (b, a))}).astype(np.uint16)
    arguments = (matrix, n, zeros(n, np.int8), zeros(1))
    expected = {2: np.array(parent, np.int8), 3: u32([sum(w for *_, w in tree)])}
    return one("spanning", "prim", label, block, arguments, expected)


def boruvka(label: str, n: int, pairs: Pairs, weights: Sequence[int], block: int) -> Case:
    edges = [(a, b, w) for (a, b), w in zip(pairs, weights, strict=True)]
    chosen = np.zeros(len(edges), np.uint8)
    chosen[kruskal(n, edges)] = 1
    arguments = (i32(edges), len(edges), n, np.zeros_like(chosen), zeros(1, np.int32))
    return one("spanning", "boruvka", label, block, arguments, {3: chosen, 4: i32([n - chosen.sum()])}, 12 * n)


def by_priority(n: int, seed: int) -> tuple[np.ndarray, list[int]]:
    """(priorities, the vertices from the highest to the lowest)."""
    priority = rng(seed).permutation(n).astype(np.int32)
    return priority, np.argsort(-priority).tolist()


def colour(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix, (priority, order) = adjacency(n, both(pairs)), by_priority(n, n)
    colours: dict[int, int] = {}
    for v in order:
        used = {colours.get(w) for w in np.flatnonzero(matrix[v]).tolist()}
        colours[v] = next(c for c in range(n) if c not in used)
    expected = i32([colours[v] for v in range(n)])
    arguments = (*csr(n, both(pairs)), priority, n, np.zeros_like(expected))
    return one("colouring", "colour", label, block, arguments, {4: expected})


def independent_set(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix, (priority, order) = adjacency(n, both(pairs)), by_priority(n, n + 1)
    chosen: list[int] = []
    for v in order:
        if not matrix[v, chosen].any():
            chosen.append(v)
    expected = i32([v in chosen for v in range(n)])
    arguments = (*csr(n, both(pairs)), priority, n, np.zeros_like(expected))
    return one("colouring", "independent_set", label, block, arguments, {4: expected}, 4 * n)


def list_ranks(label: str, lists: Sequence[Sequence[int]], block: int) -> Case:
    n = sum(map(len, lists))
    following, rank = np.full(n, -1, np.int32), zeros(n, np.int32)
    for elements in lists:
        following[list(elements[:-1])] = elements[1:]
        rank[list(elements)] = range(len(elements))[::-1]
    arguments = (following, n, np.zeros_like(rank))
    return one("pointers", "list_ranks", label, block, arguments, {2: rank}, 8 * block)


def random_forest(seed: int, n: int, roots: int) -> list[int]:
    """Parents of a forest whose roots are their own, its vertices named at random."""
    names = rng(seed).permutation(n).tolist()
    parent = [0] * n
    for k, pick in enumerate(small(seed, n, 0, 1 << 20).tolist()):
        parent[names[k]] = names[k if k < roots else pick % k]
    return parent


def ancestors(parent: Sequence[int], v: int) -> list[int]:
    """The vertex and all above it; the parent of a root is itself or -1."""
    line = [v]
    while parent[line[-1]] not in (line[-1], -1):
        line.append(parent[line[-1]])
    return line


def forest_depths(label: str, parent: Sequence[int], block: int) -> Case:
    n, lines = len(parent), [ancestors(parent, v) for v in range(len(parent))]
    expected = {2: np.array([x[-1] for x in lines], np.uint8), 3: np.array([len(x) - 1 for x in lines], np.uint8)}
    arguments = (np.array(parent, np.uint8), n, zeros(n, np.uint8), zeros(n, np.uint8))
    return one("pointers", "forest_depths", label, block, arguments, expected)


def tail_and_cycle(label: str, following: Sequence[int], block: int) -> Case:
    tails, cycles = [], []
    for v in range(len(following)):
        walk = [v]
        while following[walk[-1]] not in walk:
            walk.append(following[walk[-1]])
        tails.append(walk.index(following[walk[-1]]))
        cycles.append(len(walk) - tails[-1])
    n, expected = len(following), {2: i32(tails), 3: i32(cycles)}
    arguments = (np.array(following, np.uint16), n, zeros(n, np.int32), zeros(n, np.int32))
    return threads("pointers", "tail_and_cycle", label, n, block, arguments, expected)


def common_ancestors(label: str, parent: Sequence[int], queries: Pairs, block: int) -> Case:
    n, lines = len(parent), [ancestors(parent, v) for v in range(len(parent))]
    expected = i32([next(x for x in lines[a] if x in lines[b]) for a, b in queries])
    depth = i32([len(line) - 1 for line in lines])
    arguments = (i32(parent), depth, n, i32(queries), np.zeros_like(expected), len(queries))
    return one("pointers", "common_ancestors", label, block, arguments, {4: expected}, 16 * n)


def subtree_sums(label: str, parent: Sequence[int], weight: np.ndarray, block: int) -> Case:
    """The parent of the root is -1."""
    n, lines = len(parent), [ancestors(parent, v) for v in range(len(parent))]
    below = [[v for v in range(n) if u in lines[v]] for u in range(n)]
    sums = [weight[vs].sum() for vs in below]
    heights = [max(lines[v].index(u) for v in vs) for u, vs in enumerate(below)]
    arguments = (np.array(parent, np.int16), weight, n, zeros(n, np.int32), zeros(n, np.int32))
    return threads("trees", "subtree_sums", label, n, block, arguments, {3: i32(sums), 4: i32(heights)})


def from_pruefer(label: str, trees: Sequence[Sequence[int]], block: int) -> Case:
    """Trees as parents whose root is the last vertex."""
    n, size, codes = len(trees), len(trees[0]), []
    for parent in trees:
        left, code = set(range(size)), []
        while len(left) > 2:
            leaf = min(v for v in left if v != size - 1 and all(parent[u] != v for u in left))
            code.append(parent[leaf])
            left.remove(leaf)
        codes.append(code)
    expected = np.array(trees, np.int8)
    arguments = (np.array(codes, np.uint8), size, np.zeros_like(expected), n)
    return threads("trees", "from_pruefer", label, n, block, arguments, {2: expected})


def rooted_last(seed: int, size: int) -> list[int]:
    """Parents of a random tree whose root, with parent -1, is the last vertex."""
    parent = random_forest(seed, size, 1)
    root = next(v for v in range(size) if parent[v] == v)
    swap = {root: size - 1, size - 1: root}
    return [-1 if v == size - 1 else swap.get(parent[u], parent[u]) for v in range(size) for u in [swap.get(v, v)]]


# --- Bipartite graphs, flow, exhaustive search -----------------------------------------------------------------------


def two_colours(label: str, size: int, graphs: Sequence[Pairs], block: int) -> Case:
    rows = np.stack([bits(adjacency(size, both(pairs)), np.uint16) for pairs in graphs])
    # The first valid colouring in the order of tuples gives every component's first vertex the first colour.
    sides = []
    for pairs in graphs:
        valid = (c for c in product((0, 1), repeat=size) if all(c[a] != c[b] for a, b in pairs))
        sides.append(next((sum(bit << v for v, bit in enumerate(c)) for c in valid), 0xFFFFFFFF))
    arguments = (rows, size, zeros(len(graphs)), len(graphs))
    return threads("bipartite", "two_colours", label, len(graphs), block, arguments, {2: u32(sides)})


def maximum_matching(label: str, tasks: np.ndarray, block: int) -> Case:
    def best(rows: Sequence[int], used: int = 0) -> int:
        if not rows:
            return 0
        taken = (1 + best(rows[1:], used | 1 << t) for t in range(8) if rows[0] >> t & 1 and not used >> t & 1)
        return max([best(rows[1:], used), *taken])

    expected = np.array([best(rows) for rows in tasks.tolist()], np.uint8)
    arguments = (tasks.astype(np.uint8), np.zeros_like(expected), len(tasks))
    return threads("bipartite", "maximum_matching", label, len(tasks), block, arguments, {1: expected})


def max_flow(label: str, capacities: np.ndarray) -> Case:
    """One network or several of the same size."""
    flows, sides = [], []
    for capacity in capacities:
        n = len(capacity)
        sets = [s for s in range(1 << n) if s & 1 and not s >> (n - 1)]
        inside = [[bool(s >> v & 1) for v in range(n)] for s in sets]
        cuts = [capacity[np.ix_(chosen, np.invert(chosen))].sum() for chosen in inside]
        flows.append(min(cuts))
        sides.append(np.bitwise_and.reduce([s for s, cut in zip(sets, cuts, strict=True) if cut == flows[-1]]))
    arguments = (capacities.astype(np.uint8), zeros(len(flows), np.int32), zeros(len(flows)))
    expected = {1: i32(flows), 2: u32(sides)}
    grid, n = capacities.shape[:2]
    return inputs.launch("graph/flow.cu", "max_flow", label, grid, n, arguments, expected)


def network(seed: int, n: int, edges: int, high: int) -> np.ndarray:
    return table(n, weighted(seed, turned(seed, random_pairs(seed, n, edges)), 1, high))


def clique_and_cover(label: str, n: int, pairs: Pairs, block: int) -> Case:
    def number(chosen: Iterable[int]) -> int:
        members = list(chosen)
        return len(members) << n | sum(1 << v for v in members)

    linked, subsets = set(both(pairs)), [s for k in range(n + 1) for s in combinations(range(n), k)]
    cliques = [number(s) for s in subsets if linked.issuperset(combinations(s, 2))]
    covers = [number(s) for s in subsets if all(a in s or b in s for a, b in pairs)]
    arguments = (bits(adjacency(n, both(pairs))), n, zeros(1), u32([0xFFFFFFFF]))
    expected = {2: u32([max(cliques)]), 3: u32([min(covers)])}
    return threads("subsets", "clique_and_cover", label, 1 << n, block, arguments, expected)


def hamiltonian(label: str, n: int, pairs: Pairs, block: int) -> Case:
    matrix = adjacency(n, pairs)
    walks = [(0, *rest) for rest in permutations(range(1, n))]
    paths = [w for w in walks if all(matrix[a, b] for a, b in pairwise(w))]
    expected = {3: i32([len(paths)]), 4: i32([sum(matrix[w[-1], 0] for w in paths)])}
    arguments = (bits(matrix), n, len(walks), zeros(1, np.int32), zeros(1, np.int32))
    return threads("subsets", "hamiltonian", label, len(walks), block, arguments, expected)


TWO_PARTS: Pairs = [(0, 1), (1, 2), (0, 2), (4, 5), (5, 6)]
COMPLETE5: Pairs = list(combinations(range(5), 2))
PETERSEN: Pairs = [*ring(5), *((v, v + 5) for v in range(5)), *((v + 5, (v + 2) % 5 + 5) for v in range(5))]
CUBE: Pairs = [(a, a | 1 << k) for a in range(8) for k in range(3) if not a >> k & 1]
LEAK = {(0, 1): 4, (1, 2): -3, (2, 3): 2, (3, 1): 0, (3, 4): 1}
TREE = [0, 0, 0, 1, 1, 2, 2, 3, 3, 7]
SMALL_GRAPHS = [ring(6), ring(5), path(6), [], [(0, 5), (1, 4), (4, 5), (2, 3)], TWO_PARTS[:3]]
WATERFALL = np.array([[[0, 3, 0], [0, 0, 255], [0, 0, 0]], [[0, 7, 200], [0, 0, 5], [0, 0, 0]]])

CASES: list[Case] = [
    bfs_levels("random", 18, both(random_pairs(1, 18, 22)), 5, 8),
    bfs_levels("path", 9, both(path(9)), 0, 16),
    bfs_levels("two parts", 7, both(TWO_PARTS), 4, 4),
    bfs_levels("no edges", 4, [], 2, 4),
    bfs_frontier("random", 20, both(random_pairs(2, 20, 26)), 3, 8),
    bfs_frontier("directed", 12, turned(3, random_pairs(3, 12, 25)), 0, 4),
    bfs_frontier("alone", 5, [(0, 1)], 4, 4),
    distances_by_bits("Petersen", 10, both(PETERSEN), 4),
    distances_by_bits("directed", 7, turned(4, random_pairs(4, 7, 11)), 8),
    distances_by_bits("no edges", 3, [], 4),
    bellman_ford("positive", 12, weighted(5, turned(5, random_pairs(5, 12, 30)), 0, 50), 0, 8),
    bellman_ford("negative", 9, weighted(6, random_pairs(6, 9, 20), -20, 30), 0, 8),
    bellman_ford("cycle of -1", 5, LEAK, 0, 4, cycle=True),
    bellman_ford("cycle out of reach", 5, LEAK, 4, 4),
    floyd_warshall("random", 8, weighted(7, turned(7, random_pairs(7, 8, 20)), 1, 99)),
    floyd_warshall("negative", 6, weighted(8, random_pairs(8, 6, 10), -9, 9)),
    floyd_warshall("no edges", 3, {}),
    widest_paths("random", 7, weighted(9, turned(9, random_pairs(9, 7, 15)), 1, 60000), 16),
    widest_paths("ring", 5, weighted(10, both(ring(5)), 1, 9), 32),
    dijkstra("random", 13, weighted(11, both(random_pairs(11, 13, 24)), 1, 255), 4, 16),
    dijkstra("ties", 9, dict.fromkeys(both(random_pairs(12, 9, 18)), 1), 0, 16),
    dijkstra("unreached", 7, dict.fromkeys(both(TWO_PARTS), 2), 0, 8),
    label_propagation("random", 18, turned(13, random_pairs(13, 18, 14)), 8),
    label_propagation("path", 12, path(12)[::-1], 4),
    label_propagation("two parts", 7, TWO_PARTS, 8),
    union_find("random", 24, turned(14, random_pairs(14, 24, 19)), 8),
    union_find("complete", 5, COMPLETE5, 4),
    union_find("path", 13, path(13)[::-1], 32),
    transitive_closure("random", 14, turned(15, random_pairs(15, 14, 18)), 16),
    transitive_closure("40 in a ring", 40, [(v, (v + 1) % 40) for v in range(40)], 40),
    transitive_closure("no edges", 5, [], 8),
    strong_components("random", 13, turned(16, random_pairs(16, 13, 22)), 16),
    strong_components("path", 8, path(8), 8),
    strong_components("ring", 7, [(v, (v + 1) % 7) for v in range(7)], 8),
    triangles_by_bits("random", 12, random_pairs(17, 12, 30), 32),
    triangles_by_bits("complete", 5, COMPLETE5, 8),
    triangles_by_bits("none", 10, PETERSEN, 64),
    triangles_at("random", 13, random_pairs(18, 13, 35), 8),
    triangles_at("complete", 5, COMPLETE5, 4),
    triangles_at("two parts", 7, TWO_PARTS, 8),
    degrees("random", 15, turned(19, random_pairs(19, 15, 33)), 16),
    degrees("star", 9, [(v, 8) for v in range(8)], 4),
    degrees("loops", 2, [(0, 0), (1, 1), (0, 0)], 4),
    is_graphical("random", rng(20).integers(0, 6, (7, 6)).tolist(), 4),
    is_graphical("known", [[3, 3, 3, 3], [3, 3, 3, 1], [0, 0, 0, 0], [4, 1, 1, 0], [2, 2, 1, 1], [3, 1, 1, 1]], 8),
    pagerank("random", 12, turned(21, random_pairs(21, 12, 30)), 55705, 3, 16),
    pagerank("dangling", 6, [(0, 5), (1, 5), (2, 5), (5, 4)], 55705, 2, 8),
    pagerank("all of it", 4, [(a, b) for a, b in both(ring(4)) if a != 3], 65536, 5, 4),
    kahn_layers("random", 16, random_pairs(22, 16, 26), 8),
    kahn_layers("with a cycle", 9, [*random_pairs(23, 9, 10), (6, 3), (3, 4), (4, 6)], 16),
    kahn_layers("path", 6, path(6), 4),
    first_order("random", 6, [turned(k, random_pairs(k, 6, 4)) for k in (24, 25, 26)] + [path(6), []], 4),
    first_order("reversed", 5, [[(b, a) for a, b in COMPLETE5]], 1),
    prim("random", 14, [*path(14), *(p for p in random_pairs(27, 14, 30) if p[1] - p[0] > 1)], 16),
    prim("complete", 5, COMPLETE5, 8),
    prim("two", 2, [(0, 1)], 4),
    boruvka("random", 16, random_pairs(28, 16, 40), small(28, 40, 0, 1000).tolist(), 8),
    boruvka("ties", 9, random_pairs(29, 9, 20), small(29, 20, 0, 3).tolist(), 4),
    boruvka("two parts", 7, TWO_PARTS, [5, 4, 3, 2, 1], 8),
    colour("random", 14, random_pairs(30, 14, 35), 16),
    colour("complete", 5, COMPLETE5, 8),
    colour("cube", 8, CUBE, 8),
    independent_set("random", 15, random_pairs(31, 15, 30), 16),
    independent_set("Petersen", 10, PETERSEN, 16),
    independent_set("no edges", 4, [], 4),
    list_ranks("one list", [rng(32).permutation(19).tolist()], 32),
    list_ranks("three lists", [[4, 0, 7], [1], [6, 5, 3, 2]], 8),
    forest_depths("random", random_forest(33, 21, 3), 32),
    forest_depths("path", [0, *range(15)], 16),
    forest_depths("roots", range(5), 8),
    tail_and_cycle("random", rng(34).integers(0, 19, 19).tolist(), 8),
    tail_and_cycle("permutation", rng(35).permutation(9).tolist(), 4),
    tail_and_cycle("long tail", [1, 2, 3, 4, 5, 6, 6], 4),
    common_ancestors("known", TREE, [(9, 8), (9, 4), (5, 6), (9, 6), (3, 9), (4, 4), (0, 9)], 4),
    common_ancestors("path", [0, *range(14)], [(14, 3), (0, 14), (7, 8)], 8),
    common_ancestors("random", random_forest(36, 17, 1), rng(36).integers(0, 17, (9, 2)).tolist(), 8),
    subtree_sums("random", rooted_last(37, 17), small(37, 17), 8),
    subtree_sums("path", [-1, *range(8)], i32(range(1, 10)), 4),
    subtree_sums("one", [-1], i32([-5]), 4),
    from_pruefer("random", [rooted_last(k, 9) for k in range(38, 43)], 4),
    from_pruefer("star, path", [[3, 3, 3, -1], [1, 2, 3, -1], [1, 3, 1, -1]], 1),
    two_colours("small", 6, SMALL_GRAPHS, 4),
    two_colours("cube", 8, [CUBE, [*CUBE, (0, 3)]], 2),
    maximum_matching("random", rng(43).integers(0, 256, (5, 6)) & rng(44).integers(0, 256, (5, 6)), 4),
    maximum_matching("chains", np.array([[1, 3, 6, 12, 24, 48], [1, 1, 1, 2, 2, 3], [0] * 6, [255] * 6]), 4),
    max_flow("random", np.stack([network(k, 6, 11, 20) for k in (45, 46)])),
    max_flow("seven", network(47, 7, 17, 255)[None]),
    max_flow("edges", WATERFALL),
    max_flow("no way", np.zeros((1, 4, 4), np.int64)),
    clique_and_cover("random", 6, random_pairs(48, 6, 9), 32),
    clique_and_cover("two parts", 7, TWO_PARTS, 64),
    clique_and_cover("no edges", 3, [], 4),
    hamiltonian("complete", 5, both(COMPLETE5), 32),
    hamiltonian("random", 6, turned(49, random_pairs(49, 6, 13)), 40),
    hamiltonian("path", 4, path(4), 4),
]
