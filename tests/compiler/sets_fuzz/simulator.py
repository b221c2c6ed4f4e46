# SPDX-License-Identifier: Apache-2.0
"""What each set should find: the programs' control flow, walked by one process
after the other, and the definition of splits and merges taken literally."""


def pick(seed, site, rank, count, n):
    number, uniform = site
    key = 0 if uniform else (rank + 1) * 40503 + count * 97
    h = (seed ^ (number * 2654435761) ^ key) & 0xFFFFFFFF
    h ^= h >> 15
    h = h * 2246822519 & 0xFFFFFFFF
    h ^= h >> 13
    h = h * 3266489917 & 0xFFFFFFFF
    h ^= h >> 16
    return h % n


class Graph:
    """A function: node 0 is its end; a node is (operation, where to go on)."""

    def __init__(self, body, one_by_one=False):
        self.one_by_one = one_by_one  # a switch asks for one value after the other
        self.nodes = [(("end",), [])]
        self.variables = 0
        self.entry = self.sequence(body, 0, {})

    def add(self, operation, ways):
        self.nodes.append((operation, ways))
        return len(self.nodes) - 1

    def sequence(self, body, after, to):
        for statement in reversed(body):
            after = self.statement(statement, after, to)
        return after

    def statement(self, s, after, to):
        kind = s[0]
        if kind in ("meet", "call"):
            return self.add(s, [after])
        if kind == "again":
            call = self.add(("call", "self"), [after])
            asked = self.add(("choose", s[1], 2), [after, call])
            return self.add(("shallow",), [after, asked])
        if kind == "if":
            ways = [self.sequence(s[3], after, to), self.sequence(s[2], after, to)]
            return self.add(("choose", s[1], 2), ways)
        if kind == "switch":
            ways, following = [after] * s[2], after
            for values, body, falls in reversed(s[3]):
                start = self.sequence(body, following if falls else after, to)
                following = start
                for value in values:
                    ways[value] = start
            if not self.one_by_one:
                return self.add(("choose", s[1], s[2]), ways)
            self.variables += 1
            test = after
            for value in reversed([v for values, _, _ in s[3] for v in values]):
                test = self.add(("below", self.variables, None, value), [test, ways[value]])
            return self.add(("begin", self.variables, s[1], s[2] - 1), [test])
        if kind in ("for", "while"):
            self.variables += 1
            variable = self.variables
            test = ("below", variable, s[1], s[2]) if kind == "while" else ("below", variable, None, None)
            head = self.add(test, [])
            count = self.add(("count", variable), [head])
            inside = {**to, "break": after, "continue": count if kind == "for" else head}
            body = self.sequence(s[3], count if kind == "for" else head, inside)
            if kind == "while":
                body = self.add(("count", variable), [body])
            self.nodes[head] = (test, [after, body])
            return self.add(("begin", variable, s[1] if kind == "for" else None, s[2]), [head])
        if kind == "block":
            return self.sequence(s[2], after, {**to, s[1]: after})
        if kind == "leave":
            return to[s[1]]
        return 0 if kind == "return" else to[kind]

    def find_splits(self, reaches):
        count = len(self.nodes)
        everything = (1 << count) - 1
        below = [1] + [everything] * (count - 1)
        changed = True
        while changed:
            changed = False
            for n in range(1, count):
                common = everything
                for way in self.nodes[n][1]:
                    common &= below[way]
                if common | 1 << n != below[n]:
                    below[n], changed = common | 1 << n, True
        members = [[m for m in range(count) if below[n] >> m & 1] for n in range(count)]
        self.splits = {}
        for n, (_, all_ways) in enumerate(self.nodes):
            ways = sorted(set(all_ways))
            if len(ways) < 2:
                continue
            last = max((m for m in members[n] if m != n), key=lambda m: len(members[m]))
            seen, work = set(), [w for w in ways if w != last]
            while work:
                m = work.pop()
                if m not in seen:
                    seen.add(m)
                    work += [w for w in self.nodes[m][1] if w != last]
            if not any(reaches(self.nodes[m][0]) for m in seen):
                continue
            merges = {}
            for j in range(count):
                together = frozenset(w for w in ways if below[w] >> j & 1)
                if j != last and len(together) > 1:
                    merges[j] = together
            self.splits[n] = (last, merges)


class Simulation:
    def __init__(self, functions, seed, ranks, one_by_one=False):
        self.graphs = [Graph(body, one_by_one) for body in functions]
        meets = [False] * len(functions)
        for f, graph in enumerate(self.graphs):
            meets[f] = any(o[0] == "meet" or (o[0] == "call" and o[1] != "self" and meets[o[1]])
                           for o, _ in graph.nodes)
        for f, graph in enumerate(self.graphs):
            graph.find_splits(lambda o, f=f: o[0] == "meet" or
                              (o[0] == "call" and meets[f if o[1] == "self" else o[1]]))
        self.seed, self.ranks = seed, ranks
        self.events = [self.walk(rank) for rank in range(ranks)]

    def walk(self, rank):
        self.rank, self.asked, self.context, self.steps = rank, 0, [], 0
        self.found, self.splits = [], {}
        self.run(len(self.graphs) - 1, 0)
        return self.found

    def choose(self, site, n):
        self.asked += 1
        return pick(self.seed, site, self.rank, self.asked, n)

    def run(self, f, depth):
        graph, variables, at = self.graphs[f], {}, self.graphs[f].entry
        level = len(self.context)
        while True:
            self.steps += 1
            self.arrive(graph, at, level)
            operation, ways = graph.nodes[at]
            kind, way = operation[0], 0
            if kind == "end":
                del self.context[level:]
                return
            if kind == "meet":
                self.found.append((operation[1], operation[2], tuple(self.context)))
            elif kind == "call":
                if operation[1] == "self":
                    self.run(f, depth + 1)
                else:
                    self.run(operation[1], depth)
            elif kind == "shallow":
                way = int(depth < 2)
            elif kind == "choose":
                way = self.choose(operation[1], operation[2])
            elif kind == "begin":
                limit = self.choose(operation[2], operation[3] + 1) if operation[2] else 0
                variables[operation[1]] = [0, limit]
            elif kind == "count":
                variables[operation[1]][0] += 1
            elif kind == "below":
                counted, limit = variables[operation[1]]
                if operation[2]:
                    limit = self.choose(operation[2], operation[3] + 1)
                way = int(counted < limit)
                if operation[2] is None and operation[3] is not None:
                    way = int(limit == operation[3])
            if at in graph.splits:
                # The same split of the same set may come again later: they are told apart by number.
                here = tuple(self.context)
                self.splits[here] = self.splits.get(here, 0) + 1
                self.context.append((len(self.context) - level, f, at, frozenset([ways[way]]), self.splits[here]))
            at = ways[way]

    def arrive(self, graph, at, level):
        for i in range(level, len(self.context)):
            if graph.splits[self.context[i][2]][0] == at:
                del self.context[i:]
                break
        if len(self.context) > level:
            place, f, split, mine, number = self.context[-1]
            merges = graph.splits[split][1]
            if at in merges and mine <= merges[at]:
                self.context[-1] = (place, f, split, merges[at], number)

    def expected(self):
        """For each process, (meet, mask of the set) in order."""
        met, keys = {}, []
        for rank, events in enumerate(self.events):
            counted, mine = {}, []
            for meet, comm, context in events:
                group = (comm, rank % 2 if comm == "half" else 0, context)
                counted[group] = counted.get(group, 0) + 1
                key = (group, counted[group])
                met.setdefault(key, []).append((rank, meet))
                mine.append((meet, key))
            keys.append(mine)
        for members in met.values():
            assert len({meet for _, meet in members}) == 1, "a set is at two places at once"
        return [[(meet, sum(1 << r for r, _ in met[key])) for meet, key in mine] for mine in keys]
