# SPDX-License-Identifier: Apache-2.0
"""Blocking collectives of every kind, with something to compute behind them: with -flto the pass
may make them in their non-blocking form and wait for them later."""
import checking
import fillers
from tree import Node

MOST = 4  # ranks
KINDS = ["Bcast", "Reduce", "Allreduce", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
         "Alltoall", "Alltoallv"]


class Collective:
    """One call: its buffers, its arguments and what of memory it is concerned with."""

    def __init__(self, scene, what=None):
        words, rng = scene.words, scene.rng
        self.scene, self.words, self.rng = scene, words, rng
        self.what = what = what or rng.choice(KINDS + ["Bcast", "Allreduce"])
        self.group = scene.program.group()
        self.count = rng.choice([1, 3, 40, 600, 2500, 9000])
        self.comm = rng.choice(["MPI_COMM_WORLD"] * 3 + [words.communicator(scene)])
        self.root = rng.randint(0, 1)
        self.nodes = []  # what prepares it
        self.sent, self.got, self.arrays = [], [], []
        self.made = self.arguments()

    def buffers(self, from_each, into_each):
        """The two buffers, as (buffer, low, high); parts of one or of two."""
        scene = self.scene
        wide = self.count * (MOST if into_each else 1)
        to = scene.range(True, None, wide)
        mark = scene.fly(*to, True)
        source = scene.range(True, to[0].element, self.count * (MOST if from_each else 1), exact=True)
        scene.flying.remove(mark)
        self.sent, self.got = [source], [to]
        self.nodes.append(scene.fill(*source, group=self.group))
        return scene.address(*source[:2]), scene.address(*to[:2]), self.words.type_of(to[0])

    def array(self, value):
        """An array of counts or places; `value` is of the index i."""
        scene = self.scene
        buffer = scene.buffer("int", MOST, aliases=False)
        line = self.words.set(self.words.at(buffer.name, 0, "i"), value)
        self.nodes.append(self.words.for_loop("i", 0, MOST, [Node(line)], self.group, role="touch",
                                              writes=[(buffer, 0, MOST)], reads=[]))
        self.arrays.append((buffer, 0, MOST))
        return scene.address(buffer, 0)

    def arguments(self):
        words, rng, what, n = self.words, self.rng, self.what, self.count
        if what == "Bcast":
            buffer, low, high = self.scene.range(True, None, n)
            self.sent, self.got = [(buffer, low, high)], [(buffer, low, high)]
            return [self.scene.address(buffer, low), n, words.type_of(buffer), self.root, self.comm]
        many_out = what.startswith(("Scatter", "Alltoall"))
        many_in = what.startswith(("Gather", "Allgather", "Alltoall"))
        source, to, kind = self.buffers(many_out, many_in)
        in_place = rng.random() < 0.2
        rooted = [self.root] if what.startswith(("Reduce", "Gather", "Scatter")) else []
        if "educe" in what:
            if self.got[0][0].element == "int":
                # Sums stay small: what is added twice must be seen.
                op = rng.choice(["MPI_SUM", "MPI_MAX", "MPI_MIN", "MPI_BXOR", "MPI_BAND"])
            else:
                op = rng.choice(["MPI_SUM", "MPI_MAX"])
            if what == "Allreduce" and in_place:
                source, self.sent = "MPI_IN_PLACE", []
            return [source, to, n, kind, op, *rooted, self.comm]
        part, place = f"{n} - {words.mod('i', 2)}", f"i * {n}"
        mine = f"{n} - {words.mod('rank', 2)}"
        between = f"{n} - {words.mod('rank + i', 2)}"
        if what in ("Allgather", "Alltoall") and in_place:
            source, self.sent = "MPI_IN_PLACE", []
        last = [*rooted, self.comm]
        if what in ("Gather", "Scatter", "Allgather", "Alltoall"):
            return [source, n, kind, to, n, kind, *last]
        if what in ("Gatherv", "Allgatherv"):
            return [source, mine, kind, to, self.array(part), self.array(place), kind, *last]
        if what == "Scatterv":
            return [source, self.array(part), self.array(place), kind, to, mine, kind, *last]
        return [source, self.array(between), self.array(place), kind, to, self.array(between), self.array(place), kind, *last]

    def arrays_again(self):
        """In case that something in between has written to them."""
        return [node for node in self.nodes if any(region in self.arrays for region in node.info["writes"])]

    def call(self):
        words = self.words
        line = words.mpi(self.what, *self.made)
        checked = checking.call(self.scene, line, 0.3)
        return Node(checked, group=self.group, role="blocking", kind="collective", got=self.got, sent=self.sent,
                    line=line if checked == [line] else "", name=self.what, arguments=self.made)


def blocking_collective(scene, what=None):
    rng = scene.rng
    c = Collective(scene, what)
    made = [*c.nodes]
    if rng.random() < 0.3:
        made += fillers.block(scene, 1)
    made += [*c.arrays_again(), c.call()]
    marks = [scene.fly(*region, True) for region in c.got if region[1] < region[2]]
    marks += [scene.fly(*region, False) for region in c.sent + c.arrays]
    # Mostly what a wait may cross: it is for this that the call is split.
    for _ in range(rng.choice([0, 1, 1, 2, 2])):
        made += rng.choice([fillers.update, fillers.gather, fillers.mathematics, fillers.fill, fillers.move])(scene)
    if rng.random() < 0.3:
        made += fillers.block(scene, 1)
    for mark in marks:
        scene.land(mark)
    return made + fillers.after(scene) + fillers.block(scene, rng.randint(0, 1))


def collective_loop(scene):
    """Round and round, as iterations do."""
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return blocking_collective(scene)
    scene.loop_depth += 1
    var = f"it{scene.loop_depth}"
    body = blocking_collective(scene)
    scene.loop_depth -= 1
    return [words.for_loop(var, 0, rng.randint(2, 4), body, scene.program.group())]


ALL = [blocking_collective, blocking_collective, collective_loop]
