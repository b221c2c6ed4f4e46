# SPDX-License-Identifier: Apache-2.0
"""Exchanges of messages, in which all ranks take part alike: a start, something else, a wait.

Each gives a list of statements that is right wherever all ranks come by."""
import checking
import fillers
from tree import Node

COUNTS = [0, 1, 3, 50, 300, 1000, 2500, 5000, 15000, 30000]


class Exchange:
    """Who sends what to whom."""

    def __init__(self, scene, element=None, count=None, shape=None):
        words, rng, program = scene.words, scene.rng, scene.program
        self.scene, self.group = scene, program.group()
        self.count = rng.choice(COUNTS) if count is None else count
        self.out, self.out_low, _ = scene.range(True, element, max(self.count, 1))
        self.sent = (self.out, self.out_low, self.out_low + self.count)
        mark = scene.fly(*self.sent, True) if self.count else None
        self.into, self.into_low, _ = scene.range(True, self.out.element, max(self.count, 1), exact=rng.random() < 0.5)
        if mark:
            scene.flying.remove(mark)
        self.got = (self.into, self.into_low, self.into_low + self.count)
        self.element, self.kind = self.out.element, words.type_of(self.out)
        self.tag, self.comm = scene.new_tag(), rng.choice(["MPI_COMM_WORLD"] * 3 + [words.communicator(scene)])
        self.to, self.source = scene.integer("to"), scene.integer("from")
        self.shape = shape or rng.choice(["ring", "ring", "back", "line", "pairs", "self"])
        self.pairs = self.shape == "pairs"
        peers = {
            "ring": (words.mod("rank + 1", "n"), words.mod("rank - 1 + n", "n")),
            "back": (words.mod("rank - 1 + n", "n"), words.mod("rank + 1", "n")),
            "line": (words.choose("rank + 1 < n", "rank + 1", "MPI_PROC_NULL"),
                     words.choose("rank > 0", "rank - 1", "MPI_PROC_NULL")),
            "pairs": (words.partner(),) * 2, "self": ("rank", "rank")}
        self.setup = [Node(words.set(self.to, peers[self.shape][0]), group=self.group),
                      Node(words.set(self.source, peers[self.shape][1]), group=self.group)]
        self.wild = rng.random() < 0.15 and self.shape in ("ring", "back")

    def prepare(self):
        low, high = self.sent[1], self.sent[2]
        made = list(self.setup)
        if self.count:
            made.append(self.scene.fill(self.out, low, high, group=self.group))
            made[-1].info["last_write"] = True
        return made

    # --- calls ---------------------------------------------------------------
    def _arguments(self, sending):
        scene, words = self.scene, self.scene.words
        buffer, low = (self.out, self.out_low) if sending else (self.into, self.into_low)
        peer = self.to if sending else "MPI_ANY_SOURCE" if self.wild else self.source
        return [scene.address(buffer, low), self.count, self.kind, peer, self.tag, self.comm]

    def start_send(self, request, how="Isend"):
        words, rng = self.scene.words, self.scene.rng
        arguments = [*self._arguments(True), words.out(request)]
        if how == "Isend" and rng.random() < 0.3:
            line = words.call_wrapped(self.scene, "Isend", self.element, arguments)
        else:
            line = words.mpi(how, *arguments)
        return Node(line, group=self.group, role="start", kind="send", request=request, regions=[self.sent], sends=True)

    def start_receive(self, request):
        words, rng = self.scene.words, self.scene.rng
        arguments = [*self._arguments(False), words.out(request)]
        line = words.call_wrapped(self.scene, "Irecv", self.element, arguments) if rng.random() < 0.3 else \
            words.mpi("Irecv", *arguments)
        return Node(line, group=self.group, role="start", kind="recv", request=request, regions=[self.got])

    def send(self, how=None):
        words, rng = self.scene.words, self.scene.rng
        how = how or rng.choice(["Send", "Send", "Ssend"])
        arguments = self._arguments(True)
        line = words.call_wrapped(self.scene, "Send", self.element, arguments) if how == "Send" and rng.random() < 0.3 \
            else words.mpi(how, *arguments)
        return Node(checking.call(self.scene, line), group=self.group, role="call", kind="send", regions=[self.sent], reads=[self.sent], sends=True)

    def receive(self):
        words = self.scene.words
        status, reading = self.answer()
        arguments = [*self._arguments(False), words.status_out(status)]
        return [Node(checking.call(self.scene, words.mpi("Recv", *arguments)), group=self.group, role="call", kind="recv", regions=[self.got],
                     writes=[self.got]), *reading]

    # --- statuses ------------------------------------------------------------
    def answer(self, receives=True):
        """(status or None, statements that read it)."""
        scene, words, rng = self.scene, self.scene.words, self.scene.rng
        how = rng.choice(["ignored", "unread", "common", "read", "late"])
        if how == "ignored":
            return None, []
        if how in ("unread", "common") or not receives:
            return scene.common_status() if how == "common" else scene.status(), []
        status = scene.status()
        return status, self.read_status(status, how == "late")

    def read_status(self, status, late):
        scene, words, rng = self.scene, self.scene.words, self.scene.rng
        lines = []
        for field in rng.sample(["SOURCE", "TAG", "count"], rng.randint(1, 3)):
            value = "got"
            if field == "count":
                lines.append(words.get_count(status, self.kind, "got"))
            else:
                value = words.field(status, field)
            lines.append(words.set("acc", words.masked(f"acc * 31 + {value}", 1048575)))
        node = Node(lines, group=self.group, role="status", status=status)
        if late and not scene.loop_depth and not scene.maybe:
            scene.late.append(node)
            return []
        return [node]

    # --- waits ---------------------------------------------------------------
    def wait(self, request, which, error=None):
        """A wait for one request, in one of many ways."""
        words, rng = self.scene.words, self.scene.rng
        # MPICH says nothing of use about a receive from nobody that was not blocking.
        status, reading = self.answer(which == "recv" and self.shape not in ("line", "pairs"))
        how = rng.choice(["Wait"] * 6 + ["wrapped", "loop", "copied"])
        info = {"group": self.group, "role": "wait", "kind": which, "request": request, "status": status,
                "got": [self.got] if which == "recv" else [], "sent": [self.sent] if which == "send" else []}
        target = words.out(request)
        if how == "loop":
            return [*words.test_loop(self.scene, request, status, info), *reading]
        if how == "wrapped":
            line = words.call_wrapped(self.scene, "Wait", None, [target, words.status_out(status)])
        elif how == "copied":  # the same request under another name
            other = self.scene.request()
            return [Node([words.set(other, request), words.set(request, "MPI_REQUEST_NULL"),
                          words.mpi("Wait", words.out(other), words.status_out(status))], **info),
                    *reading]
        else:
            line = words.mpi("Wait", target, words.status_out(status))
        return [Node(checking.call(self.scene, line), **info), *reading]

    def gap(self, most=3):
        return fillers.block(self.scene, self.scene.rng.randint(0, most))

    def fly(self, which):
        region = self.got if which == "recv" else self.sent
        return self.scene.fly(*region, which == "recv")

    def after(self):
        return fillers.after(self.scene, self.group)


def nonblocking(scene):
    """Irecv, Isend, something, two waits."""
    rng, e = scene.rng, Exchange(scene)
    receive, send = scene.request(), scene.request()
    flights = {}

    def start(which):
        node = e.start_receive(receive) if which == "recv" else e.start_send(send, rng.choice(["Isend"] * 4 + ["Issend"]))
        flights[which] = e.fly(which)
        return node
    order, made = ["recv", "send"], e.prepare()
    rng.shuffle(order)
    made.append(start(order[0]))
    made += e.gap(1)
    made.append(start(order[1]))
    made += e.gap()
    if e.shape == "self" or rng.random() < 0.6:
        rng.shuffle(order)
    for which in order:
        made += e.wait(receive if which == "recv" else send, which)
        scene.land(flights[which])
        made += e.after() + e.gap(1)
    return made


def receive_early(scene):
    """Irecv, a blocking send, something, Wait."""
    words, rng, e = scene.words, scene.rng, Exchange(scene)
    request = scene.request()
    made = [*e.prepare(), e.start_receive(request)]
    flight = e.fly("recv")
    how = rng.choice(["Send", "Send", "Ssend", "Rsend", "Bsend"])
    if how == "Rsend":  # legal only where the receive is known to be posted
        made.append(Node(words.mpi("Barrier", "MPI_COMM_WORLD"), group=e.group, role="collective"))
    elif how == "Bsend":
        made += words.attach(scene, e)
    made += [*(e.gap(1) if how not in ("Rsend", "Bsend") else []), e.send(how)]
    if how == "Bsend":
        made += words.detach(scene, e)
    made += [*e.after(), *e.gap(), *e.wait(request, "recv")]
    scene.land(flight)
    return made + e.after()


def send_early(scene):
    """Isend, a blocking receive, something, Wait."""
    rng, e = scene.rng, Exchange(scene)
    request = scene.request()
    made = [*e.prepare(), e.start_send(request, rng.choice(["Isend", "Isend", "Issend"]))]
    flight = e.fly("send")
    made += [*e.gap(1), *e.receive()]
    scene.recent.append(e.got)
    made += [*e.after(), *e.gap(), *e.wait(request, "send")]
    scene.land(flight)
    return made + e.after()


def sendrecv(scene):
    words, rng = scene.words, scene.rng
    e = Exchange(scene)
    status, reading = e.answer()
    a = e._arguments(True)
    if rng.random() < 0.4:
        source = "MPI_ANY_SOURCE" if e.wild else e.source
        line = words.mpi("Sendrecv_replace", a[0], e.count, e.kind, e.to, e.tag, source, e.tag, e.comm, words.status_out(status))
        node = Node(checking.call(scene, line), group=e.group, role="call", kind="replace", regions=[e.sent], writes=[e.sent], reads=[e.sent],
                    sends=True, exchange=e, arguments=a)
        region = e.sent
    else:
        b = e._arguments(False)
        line = words.mpi("Sendrecv", *a[:5], *b[:5], e.comm, words.status_out(status))
        node = Node(checking.call(scene, line), group=e.group, role="call", kind="sendrecv", regions=[e.got, e.sent], writes=[e.got],
                    reads=[e.sent], sends=True, exchange=e, arguments=a)
        region = e.got
    scene.recent.append(region)
    return [*e.prepare(), node, *reading, *e.after()]


def blocking(scene):
    """Send and Recv, in an order that cannot lock up: odd ranks receive first."""
    words, e = scene.words, Exchange(scene, shape=scene.rng.choice(["ring", "back", "line", "pairs"]))
    made = e.prepare()
    scene.maybe += 1
    odd = [*e.receive(), e.send("Send")]
    even = [e.send("Send"), *e.receive()]
    scene.maybe -= 1
    made.append(words.branch(words.same(words.mod("rank", 2), 1), odd, even, group=e.group))
    scene.recent += [e.got, e.sent]
    return made + e.after()


def one_way(scene):
    """One rank to another; each side blocking or not, with computation of its own inside."""
    words, rng = scene.words, scene.rng
    e = Exchange(scene, shape="ring")
    e.wild = False
    a, b = rng.choice([(0, 1), (1, 0)])
    made = [Node(words.set(e.to, b), group=e.group), Node(words.set(e.source, a), group=e.group), *e.prepare()[2:]]
    scene.in_branch += 1
    scene.maybe += 1
    sides = []
    for which in ("send", "recv"):
        if rng.random() < 0.5:
            region = e.sent if which == "send" else e.got
            side = [e.send()] if which == "send" else e.receive()
            scene.recent.append(region)
        else:
            request = scene.request()
            side = [e.start_send(request) if which == "send" else e.start_receive(request)]
            flight = e.fly(which)
            side += [*e.gap(2), *e.wait(request, which)]
            scene.land(flight)
        sides.append([*side, *e.after()])
    scene.in_branch -= 1
    scene.maybe -= 1
    inner = words.branch(words.same("rank", b), sides[1], group=e.group)
    return [*made, words.branch(words.same("rank", a), sides[0], [inner], group=e.group)]


def probed(scene):
    """A probe tells size and source; the receive follows it."""
    words, rng, e = scene.words, scene.rng, Exchange(scene, shape=scene.rng.choice(["ring", "back"]))
    request, status = scene.request(), scene.status()
    source = "MPI_ANY_SOURCE" if rng.random() < 0.5 else e.source
    made = [*e.prepare(), e.start_send(request)]
    flight = e.fly("send")
    made += e.gap(1)
    made.append(Node([words.mpi("Probe", source, e.tag, e.comm, words.status_out(status)),
                      words.get_count(status, e.kind, "got")], group=e.group, role="probe"))
    receive, reading = e.answer()
    arguments = [scene.address(e.into, e.into_low), "got", e.kind, words.field(status, "SOURCE"), words.field(status, "TAG"), e.comm]
    made.append(Node(words.mpi("Recv", *arguments, words.status_out(receive)), group=e.group, role="call", kind="recv",
                     regions=[e.got], writes=[e.got]))
    scene.recent.append(e.got)
    made += [*reading, *e.after(), *e.wait(request, "send")]
    scene.land(flight)
    return made + e.after()


ALL = [nonblocking, nonblocking, receive_early, send_early, sendrecv, blocking, one_way, probed]
