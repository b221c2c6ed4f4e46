# SPDX-License-Identifier: Apache-2.0
"""Scenes in which other ranks learn that a wait is over: by a file, by a message, by a barrier. A
wait that has sunk past what they learn it from is seen by them."""
import checking
import fillers
import special_rounds
from tree import Node


def of(words):
    if words.name == "fortran":
        import special_fortran
        return CAUSAL + checking.ALL + special_fortran.ALL + [special_rounds.exchanged_pointers] * 2
    import special_apart
    import special_c
    import special_memory
    plus = []
    if words.plus:
        import special_plus
        plus = special_plus.ALL * 3
    return CAUSAL + checking.ALL + special_c.ALL + special_memory.ALL + [special_rounds.exchanged] * 2 + [special_apart.apart] * 2 + plus


class Parties:
    """Two or three ranks with parts of their own; everybody else goes by."""

    def __init__(self, scene, element=None):
        self.scene, self.words, self.rng = scene, scene.words, scene.rng
        self.group = scene.program.group()
        self.a, self.b = self.rng.choice([(0, 1), (1, 0)])
        self.count = self.rng.choice([1, 40, 500, 2000, 12000])
        self.element = element or self.rng.choice(["int", "real"])
        self.out = scene.buffer(self.element, self.count, aliases=False)
        self.into = scene.buffer(self.element, self.count)
        self.kind = self.words.type_of(self.out)
        self.tag, self.go = scene.new_tag(), scene.new_tag()
        self.number = scene.program.number()
        self.seen = scene.integer("seen")

    def inside(self, most=1):
        scene = self.scene
        scene.in_branch += 1
        scene.maybe += 1
        made = fillers.block(scene, self.rng.randint(0, most))
        scene.in_branch -= 1
        scene.maybe -= 1
        return made

    def node(self, lines, role="", **info):
        return Node(lines, group=self.group, role=role, **info)

    def nap(self):
        return self.node(self.words.call("fz_nap", self.rng.choice([3, 6])))

    def look(self, owner, label):
        """Has that rank written its file? Noted."""
        words = self.words
        return self.node([words.set(self.seen, f"fz_has({self.number}, {owner})"), words.note(label, self.seen)], "look")

    def leave(self, owner_value="acc"):
        return self.node(self.words.call("fz_put", self.number, "rank", owner_value), "effect", effect="file")

    def message(self, to, how="Send"):
        words = self.words
        place = self.scene.address(self.out, 0)
        line = words.mpi(how, place, self.count, self.kind, to, self.tag, "MPI_COMM_WORLD")
        return self.node(checking.call(self.scene, line), "call", kind="send", regions=[(self.out, 0, self.count)], reads=[(self.out, 0, self.count)], sends=True)

    def received(self, source):
        """The message comes, blocking or not; (before the gap, gap, wait)."""
        words, scene = self.words, self.scene
        region = (self.into, 0, self.count)
        place = scene.address(self.into, 0)
        if self.rng.random() < 0.35:
            line = words.mpi("Recv", place, self.count, self.kind, source, self.tag, "MPI_COMM_WORLD", words.ignored())
            return [self.node(checking.call(scene, line), "call", kind="recv", regions=[region], writes=[region])]
        request = scene.request()
        start = self.node(words.mpi("Irecv", place, self.count, self.kind, source, self.tag, "MPI_COMM_WORLD", words.out(request)),
                          "start", kind="recv", request=request, regions=[region])
        flight = scene.fly(*region, True)
        gap = self.inside()
        line = words.mpi("Wait", words.out(request), words.ignored())
        wait = self.node(checking.call(scene, line), "wait", kind="recv", request=request, got=[region], sent=[], status=None)
        scene.flying.remove(flight)
        return [start, *gap, wait]

    def branch(self, rank, body, other=()):
        return self.words.branch(self.words.same("rank", rank), body, other, self.group)

    def later(self):
        """What is done with the message, so that a wait would like to sink to here."""
        self.scene.recent.append((self.into, 0, self.count))
        return [*self.inside(), self.scene.check(self.into, 0, self.count, self.group)]


def witness_file(scene):
    """B writes a file once it has received; A, before it sends, sees none."""
    p = Parties(scene)
    label = scene.program.number()
    first = [p.nap(), p.look(p.b, label), p.message(p.b)]
    second = [*p.received(p.a), p.leave(), *p.later()]
    return [p.branch(p.a, first, [p.branch(p.b, second)])]


def witness_message(scene):
    """B sends "go" once it has received; A, before it sends, finds none."""
    p = Parties(scene)
    words = p.words
    flag = words.flag(scene)
    label = scene.program.number()
    probe = p.node([words.mpi("Iprobe", p.b, p.go, "MPI_COMM_WORLD", words.out(flag), words.ignored()),
                    words.note(label, words.as_integer(flag))], "look")
    take = p.node(words.mpi("Recv", words.out_word("got"), 0, words.integer_type, p.b, p.go, "MPI_COMM_WORLD", words.ignored()))
    first = [p.nap(), probe, p.message(p.b), take]
    go = p.node(words.mpi("Send", words.out_word("got"), 0, words.integer_type, p.a, p.go, "MPI_COMM_WORLD"), "effect",
                effect="send", sends=True)
    second = [*p.received(p.a), go, *p.later()]
    return [p.branch(p.a, first, [p.branch(p.b, second)])]


def causal_file(scene):
    """A writes a file and sends to B; B then tells C, who reads the file."""
    p = Parties(scene)
    words = p.words
    label = scene.program.number()
    first = [p.nap(), p.leave("77"), p.message(p.b)]
    go = p.node(words.mpi("Send", words.out_word("got"), 0, words.integer_type, 2, p.go, "MPI_COMM_WORLD"), "effect",
                effect="send", sends=True)
    second = [*p.received(p.a), go, *p.later()]
    take = p.node(words.mpi("Recv", words.out_word("got"), 0, words.integer_type, p.b, p.go, "MPI_COMM_WORLD", words.ignored()))
    third = [take, p.look(p.a, label)]
    inner = p.branch(p.b, second, [p.branch(2, third)])
    return [words.branch("n > 2", [p.branch(p.a, first, [inner])], group=p.group)]


def synchronous(scene):
    """A's synchronous send is over only when B has begun to receive: A's file is not there before."""
    p = Parties(scene)
    words, rng = p.words, p.rng
    label = scene.program.number()
    region = (p.out, 0, p.count)
    if rng.random() < 0.5:
        send = [p.message(p.b, "Ssend")]
    else:
        request = scene.request()
        start = words.mpi("Issend", scene.address(p.out, 0), p.count, p.kind, p.b, p.tag, "MPI_COMM_WORLD", words.out(request))
        flight = scene.fly(*region, False)
        gap = p.inside()
        scene.flying.remove(flight)
        send = [p.node(start, "start", kind="send", request=request, regions=[region], sends=True), *gap,
                p.node(words.mpi("Wait", words.out(request), words.ignored()), "wait", kind="ssend", request=request, got=[],
                       sent=[region], status=None)]
    first = [*send, p.leave(), *p.inside(), scene.check(p.out, 0, p.count, p.group)]
    second = [p.nap(), p.look(p.a, label), *p.received(p.a), *p.later()]
    return [p.branch(p.a, first, [p.branch(p.b, second)])]


def witness_barrier(scene):
    """B and C meet at a barrier once B has received; C then writes a file that A must not see before it sends."""
    p = Parties(scene)
    words = p.words
    label = scene.program.number()
    half = scene.new("half")
    words.declare_communicator(scene, half)
    colour = words.choose(words.same("rank", p.a), "0", "1")
    made = [p.node([words.mpi("Comm_split", "MPI_COMM_WORLD", colour, "rank", words.out(half))], "collective")]
    first = [p.nap(), p.look(2, label), p.message(p.b)]
    meet = p.node(words.mpi("Barrier", half), "effect", effect="barrier")
    second = [*p.received(p.a), meet, *p.later()]
    third = [p.node(words.mpi("Barrier", half)), p.leave()]
    inner = p.branch(p.b, second, [words.branch("rank == 2", third, [p.node(words.mpi("Barrier", half))], p.group)])
    made.append(words.branch("n > 2", [p.branch(p.a, first, [inner])], group=p.group))
    return [*made, p.node(words.mpi("Comm_free", words.out(half)))]


def same_tag(scene):
    """Two messages from one rank with one tag: receives match in the order in which they are posted."""
    p = Parties(scene)
    words, rng = p.words, p.rng
    first_request, second_request = scene.request(), scene.request()
    other = scene.buffer(p.element, p.count)
    one, two = (p.into, 0, p.count), (other, 0, p.count)
    receives, flights = [], []
    for request, region in ((first_request, one), (second_request, two)):
        line = words.mpi("Irecv", scene.address(region[0], 0), p.count, p.kind, p.a, p.tag, "MPI_COMM_WORLD", words.out(request))
        receives.append(p.node(line, "start", kind="recv", request=request, regions=[region], ordered=True))
        flights.append(scene.fly(*region, True))
        receives += p.inside()
    waits = [p.node(words.mpi("Wait", words.out(request), words.ignored()), "wait", kind="recv", request=request, got=[region],
                    sent=[], status=None) for request, region in ((first_request, one), (second_request, two))]
    if rng.random() < 0.5:
        waits.reverse()
    for flight in flights:
        scene.land(flight)
    send = p.message(p.b)
    sends = [send, scene.fill(p.out, 0, p.count, group=p.group), p.message(p.b)]
    checks = [scene.check(*one, p.group), scene.check(*two, p.group)]
    return [p.branch(p.a, sends, [p.branch(p.b, [*receives, *waits, *checks])])]


CAUSAL = [witness_file, witness_message, causal_file, synchronous, witness_barrier, same_tag]
