# SPDX-License-Identifier: Apache-2.0
"""Rows of a grid are exchanged with the neighbours, then a nest of loops computes on the grid: most of its
rounds need nothing of what comes. Some nests look like that and are not. Columns are exchanged as well at times: then
each row has rounds that need what comes."""
import checking
import fillers
from tree import Node


class Grid:
    """`rows` rows of `width` elements, and one more on either side for the neighbours' rows."""

    def __init__(self, scene):
        rng = scene.rng
        self.scene, self.words, self.rng = scene, scene.words, rng
        self.rows, self.width = rng.choice([1, 2, 3, 6, 9]), rng.choice([3, 8, 100, 700, 2000])
        self.size = (self.rows + 2) * self.width
        self.now = scene.buffer(size=self.size)
        self.next = scene.buffer(self.now.element, self.size)
        self.list = scene.buffer("int", self.size) if rng.random() < 0.3 else None
        self.group = scene.program.group()
        self.up, self.down = scene.integer("up"), scene.integer("down")
        self.row, self.column = scene.integer("row"), scene.integer("col")
        self.tags = scene.new_tag(), scene.new_tag()
        self.kind = self.words.type_of(self.now)
        self.total = scene.buffer(self.now.element, 1)
        # The message may land beside the grid and be unpacked.
        self.halo = scene.buffer(self.now.element, 2 * self.width) if rng.random() < 0.35 else None
        # The columns of the neighbours that come, and those that are sent.
        self.sides = self.packed = self.column_type = None
        if rng.random() < 0.15 and self.width > 3:  # by a datatype of their own, and no rows, which would meet them
            self.halo, self.column_type = None, scene.new("column")
            scene.words.declare_datatype(scene, self.column_type)
        elif rng.random() < 0.4:
            self.sides, self.packed = (scene.buffer(self.now.element, 2 * self.rows) for _ in range(2))
            self.side_tags = scene.new_tag(), scene.new_tag()

    def region(self, row):
        return self.now, row * self.width, (row + 1) * self.width

    def landing(self, row):
        if self.halo is None:
            return self.region(row)
        low = 0 if row == 0 else self.width
        return self.halo, low, low + self.width

    def unpack(self):
        """From beside the grid into its outer rows: in one loop, or in one for each, with what is between them."""
        words, scene, rng = self.words, self.scene, self.rng
        columns = self.columns(self.sides, 0, self.width - 1, comes=True)
        if self.halo is None:
            return columns
        copies = []
        for row in (0, self.rows + 1):
            _, low, _ = self.landing(row)
            from_halo = words.at(self.halo.name, 0, f"{self.column} + {low}")
            copies.append((row, Node(words.set(words.at(self.now.name, 0, f"{row * self.width} + {self.column}"), from_halo))))
        def loop(rows, body):
            return words.for_loop(self.column, 0, self.width, body, self.group, role="touch",
                                  reads=[self.landing(row) for row in rows], writes=[self.region(row) for row in rows])
        if rng.random() < 0.5:
            return columns + [loop([row for row, _ in copies], [copy for _, copy in copies])]
        made = [loop([row], [copy]) for row, copy in copies]
        return [made[0], *fillers.block(scene, rng.choice([0, 0, 1])), *columns, made[1]]

    def columns(self, beside, low, high, comes):
        """Two columns of the grid, from or to the buffer beside it, in one loop over the rows or in one for each."""
        if beside is None:
            return []
        words = self.words
        copies = []
        for column, first in ((low, 0), (high, self.rows)):
            places = (words.at(self.now.name, 0, f"({self.row} + 1) * {self.width} + {column}"),
                      words.at(beside.name, 0, f"{self.row} + {first}"))
            copies.append(Node(words.set(*(places if comes else reversed(places)))))
        grid, other = (self.now, 0, self.size), (beside, 0, beside.size)
        bodies = [copies] if self.rng.random() < 0.5 else [[copy] for copy in copies]
        return [words.for_loop(self.row, 0, self.rows, body, self.group, role="touch", reads=[other if comes else grid],
                               writes=[grid if comes else other]) for body in bodies]

    def pack(self):
        return self.columns(self.packed, 1, self.width - 2, comes=False)

    def messages(self):
        """(region that comes or goes, whether it comes, partner, tag)."""
        first, second = self.tags
        if self.column_type:
            column = lambda number: (self.now, self.width + number, (self.rows + 1) * self.width)
            return [(column(0), True, self.up, first), (column(self.width - 1), True, self.down, second),
                    (column(1), False, self.up, second), (column(self.width - 2), False, self.down, first)]
        made = [(self.landing(0), True, self.up, first), (self.landing(self.rows + 1), True, self.down, second),
                (self.region(1), False, self.up, second), (self.region(self.rows), False, self.down, first)]
        if self.sides:
            left, right = self.side_tags
            low, high = (0, self.rows), (self.rows, 2 * self.rows)
            made += [((self.sides, *low), True, self.up, left), ((self.sides, *high), True, self.down, right),
                     ((self.packed, *low), False, self.up, right), ((self.packed, *high), False, self.down, left)]
        return made

    def setup(self):
        words, scene = self.words, self.scene
        return [Node(words.set(self.up, words.mod("rank - 1 + n", "n")), group=self.group),
                Node(words.set(self.down, words.mod("rank + 1", "n")), group=self.group),
                *([Node(words.mpi("Type_vector", self.rows, 1, self.width, self.kind, words.out(self.column_type)), group=self.group),
                   Node(words.mpi("Type_commit", words.out(self.column_type)), group=self.group)] if self.column_type else []),
                *(scene.fill(one, 0, one.size, group=self.group)
                  for one in (self.now, self.next, self.total, self.halo, self.sides, self.packed) if one)]

    def extent(self, region):
        """Count and datatype of a message."""
        return (1, self.column_type) if self.column_type else (region[2] - region[1], self.kind)

    def own_requests(self):
        words, scene, rng = self.words, self.scene, self.rng
        together = rng.random() < 0.6
        messages = self.messages()
        requests = scene.request(len(messages)) if together else [scene.request() for _ in messages]
        made, flights = self.pack(), []
        for index, (region, comes, partner, tag) in enumerate(messages):
            request = words.item(requests, words.literal_index(index)) if together else requests[index]
            line = words.mpi("Irecv" if comes else "Isend", scene.address(*region[:2]), *self.extent(region), partner, tag,
                             "MPI_COMM_WORLD", words.out(request))
            made.append(Node(line, group=self.group,
                             role="start", kind="recv" if comes else "send", request=request, regions=[region],
                             sends=not comes))
            flights.append(scene.fly(*region, comes))
        made += fillers.block(scene, rng.randint(0, 1))
        if together:
            line = words.mpi("Waitall", len(messages), requests, words.ignored_all())
            made.append(Node(checking.call(scene, line), group=self.group))
        else:
            for request in requests:
                made.append(Node(words.mpi("Wait", words.out(request), words.ignored()), group=self.group))
        for flight in flights:
            scene.land(flight)
        return made

    def both_ways(self):
        words, scene = self.words, self.scene
        made = self.pack()
        messages = self.messages()
        for out, to, tag in ((region, partner, tag) for region, comes, partner, tag in messages if not comes):
            into, source = next((region, partner) for region, comes, partner, known in messages if comes and known == tag)
            line = words.mpi("Sendrecv", scene.address(*out[:2]), *self.extent(out), to, tag,
                             scene.address(*into[:2]), *self.extent(into), source, tag, "MPI_COMM_WORLD",
                             words.ignored())
            made.append(Node(checking.call(scene, line), group=self.group))
        return made

    def at(self, buffer, row, column):
        return self.words.at(buffer.name, 0, f"({self.row}{row:+d}) * {self.width} + {self.column}{column:+d}")

    def value(self, element, terms):
        text = " + ".join(f"{term} * {factor}" for factor, term in enumerate(terms, 1))
        return f"({text}) * {self.words.real('0.25')}" if element == "real" else self.words.masked(text)

    def nest(self):
        """Of independent rounds, or not, or of rounds that all need what comes."""
        words, rng = self.words, self.rng
        if self.list:
            return self.listed()
        shape = rng.choice(["star", "star", "star", "below", "in place", "carried", "sum", "summed", "summed", "columns", "flat", "turned"])
        near = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)] if shape != "below" else [(0, 0), (1, 0), (1, 1)]
        into, offset = self.next, 0
        if shape == "in place":
            into, near = self.now, rng.choice([[(0, 0)], [(0, 0), (-1, 0)], [(0, 0), (1, 0)]])
        elif shape == "carried":
            offset = 1  # each round reads what the round before has written
        counted = self.row
        if shape == "turned":
            self.row = turned = self.scene.integer("turned")
        terms = [self.at(self.now, row, column) for row, column in near]
        if shape == "carried":
            terms.append(self.at(self.next, 0, 0))
        low, high, rows_low, rows_high = 1, self.width - 1, 1, self.rows + 1
        if shape == "carried":
            rows_high = self.rows
        body = [Node(words.set(self.at(into, offset, 0), self.value(into.element, terms)))]
        self.row = counted
        if shape == "sum":
            body.append(Node(words.set("acc", words.masked(f"acc * 3 + {self.row} + {self.column}", 1048575))))
        if shape == "summed":  # behind all rounds it can be had from what they have stored
            again = [self.at(into, 0, 0), *([self.at(self.now, 0, 0)] if rng.random() < 0.5 else [])]
            where = words.at(self.total.name, 0, 0)
            body.append(Node(words.set(where, self.value(into.element, [where, *again]))))
        region = {"reads": [(self.now, 0, self.size)], "writes": [(into, 0, self.size), (self.total, 0, 1)]}
        if shape == "flat":
            flat = words.at(self.now.name, 0, self.row)
            body = [Node(words.set(words.at(self.next.name, 0, self.row), self.value(self.now.element, [flat])))]
            return [words.for_loop(self.row, 0, self.size, body, self.group, role="touch", **region)]
        if shape == "columns":
            outer, inner = (self.column, low, high), (self.row, rows_low, rows_high)
        else:
            outer, inner = (self.row, rows_low, rows_high), (self.column, low, high)
        loop = words.for_loop(*inner, body, self.group)
        if shape == "turned":  # from the last to the first
            first = Node(words.set(turned, f"{self.rows + 1} - {self.row}"))
            return [words.for_loop(*outer, [first, loop], self.group, role="touch", **region)]
        return [words.for_loop(*outer, [loop], self.group, role="touch", **region)]


    def listed(self):
        """Rounds find what they read by a list of indices, perhaps what other rounds write."""
        words, rng = self.words, self.rng
        into = rng.choice([self.next, self.next, self.now])
        index = words.masked(words.at(self.list.name, 0, self.row))
        found = [words.at(self.now.name, 0, words.mod(index if k == 0 else f"({index}) * {k + 2} + {k}", self.size))
                 for k in range(rng.choice([1, 1, 2, 3]))]
        if rng.random() < 0.4:
            found.append(words.at(into.name, 0, self.row))
        body = [Node(words.set(words.at(into.name, 0, self.row), self.value(into.element, found)))]
        return [words.for_loop(self.row, 0, self.size, body, self.group, role="touch",
                               reads=[(self.now, 0, self.size), (self.list, 0, self.size)], writes=[(into, 0, self.size)])]

    def change_list(self, counter):
        """In one place or in some, each time or in some rounds: what was found by it may be found no more."""
        words, rng = self.words, self.rng
        where = words.at(self.list.name, 0, words.mod(f"{counter} * {rng.randint(1, 40)} + {self.column}", self.size))
        line = Node(words.set(where, words.masked(f"{counter} * {rng.randint(1, 999)} + {rng.randint(0, 999)}")))
        changed = words.for_loop(self.column, 0, rng.choice([1, 5]), [line], self.group, role="touch", reads=[],
                                 writes=[(self.list, 0, self.size)])
        if rng.random() < 0.4:
            index = rng.randrange(self.size)
            changed = Node(words.set(words.at(self.list.name, 0, index), words.masked(f"{counter} + {rng.randint(0, 999)}")),
                           group=self.group, role="touch", writes=[(self.list, index, index + 1)])
        if rng.random() < 0.4:
            return [words.branch(f"{counter} == 1", [changed], group=self.group)]
        return [changed]


def interior(scene):
    grid = Grid(scene)
    rng = scene.rng
    made = grid.setup()
    repeats = scene.loop_depth < 3 and rng.random() < 0.6
    scene.loop_depth += repeats  # what stands inside has counters of its own
    body = grid.both_ways() if rng.random() < 0.4 else grid.own_requests()
    body += fillers.block(scene, rng.choice([0, 0, 0, 1]))
    changes = grid.list and repeats and rng.random() < 0.5
    change = grid.change_list(f"it{scene.loop_depth}") if changes else []
    before = rng.random() < 0.3
    body += grid.unpack() + (change if before else [])
    body += grid.nest() + ([] if before else change)
    if repeats:
        most = 5 if grid.list else 3
        body = [scene.words.for_loop(f"it{scene.loop_depth}", 0, rng.randint(2, most), body, grid.group)]
    scene.loop_depth -= repeats
    scene.recent.append((grid.next, 0, grid.size))
    body.append(scene.check(grid.total, 0, 1, grid.group))
    return made + body + [scene.check(grid.next, 0, grid.size, grid.group), scene.check(grid.now, 0, grid.size, grid.group)]


ALL = [interior]
