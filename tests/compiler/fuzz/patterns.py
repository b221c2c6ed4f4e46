# SPDX-License-Identifier: Apache-2.0
"""Patterns of larger programs: many requests at once, waits that belong to the iteration before,
persistent requests, ways out between start and wait, halo exchanges, pipelines."""
import checking
import fillers
from exchanges import Exchange, nonblocking, receive_early, send_early
from tree import Node


def several(scene):
    """Many starts into one array of requests, and one or many waits for them."""
    words, rng = scene.words, scene.rng
    pairs = rng.randint(1, 3)
    count = 2 * pairs
    group = scene.program.group()
    requests = scene.request(count)
    order = list(range(count))
    rng.shuffle(order)
    made, flights, got, sent, receives = [], [], [], [], []
    for pair in range(pairs):
        e = Exchange(scene)
        for node in (prepared := e.prepare()):
            node.group = group
        e.group = group
        made += prepared
        flights += [e.fly("recv"), e.fly("send")]
        got.append(e.got)
        sent.append(e.sent)
        receives.append(order[2 * pair])
        made += [e.start_receive(words.item(requests, words.literal_index(order[2 * pair]))),
                 e.start_send(words.item(requests, words.literal_index(order[2 * pair + 1]))), *e.gap(1)]
    made += fillers.block(scene, rng.randint(0, 2))
    made += completion(scene, requests, count, group, got, sent, receives)
    for flight in flights:
        scene.land(flight)
    return made + fillers.after(scene)


def completion(scene, requests, count, group, got, sent, receives):
    words, rng = scene.words, scene.rng
    info = {"group": group, "role": "waitall", "kind": "both", "request": requests, "got": got, "sent": sent, "count": count}
    how = rng.choice(["all", "all", "all", "each", "first", "one by one", "any", "some", "testall", "statuses"])
    if how == "all":
        return [Node(checking.call(scene, words.mpi("Waitall", count, requests, words.ignored_all())), **info)]
    if how == "statuses":
        statuses = scene.status(count)
        read = [words.set("acc", words.masked(f"acc * 31 + {words.field(words.one_status(statuses, i), 'TAG')}", 1048575))
                for i in receives]
        return [Node(words.mpi("Waitall", count, requests, statuses), **info, status=statuses),
                Node(read, group=group, role="status", status=statuses)]
    if how == "each":
        return [Node(words.wait_item(requests, i), group=group, role="one of all") for i in rng.sample(range(count), count)]
    if how == "first":
        return [Node(words.wait_item(requests, rng.randint(0, count - 1)), group=group), *fillers.block(scene, 1),
                Node(words.mpi("Waitall", count, requests, words.ignored_all()), **info)]
    return words.many_loop(scene, how, requests, count, info)


def last_round(scene):
    """The wait for the send of the iteration before (Das, figure 1)."""
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return several(scene)
    e = Exchange(scene, shape=rng.choice(["ring", "back"]))
    e.wild = False
    send, receive = scene.request(), scene.request()
    group = e.group
    scene.loop_depth += 1
    var, rounds = f"it{scene.loop_depth}", rng.randint(2, 4)
    sending, receiving = e.fly("send"), e.fly("recv")
    again = f"{var} > 0"
    body = [words.branch(again, [e.start_receive(receive)], group=group), *e.gap(2)]
    waits, received = e.wait(send, "send"), e.wait(receive, "recv")
    if rng.random() < 0.7:
        waits = [words.branch(again, waits, group=group, role="guarded")]
    if rng.random() < 0.7:
        received = [words.branch(again, received, group=group, role="guarded")]
    scene.flying.remove(receiving)
    scene.recent.append(e.got)
    body += [*waits, *received] if rng.random() < 0.5 else [*received, *e.after(), *waits]
    scene.flying.remove(sending)
    body += e.after()
    if e.count:
        body.append(scene.fill(e.out, e.sent[1], e.sent[2], group=group))
    body.append(e.start_send(send))
    scene.flying.append(sending)
    body += e.gap(1)
    made = [*e.prepare(), words.for_loop(var, 0, rounds, body, group)]
    scene.loop_depth -= 1
    # The first round receives nothing, so that one message is left at the end.
    made += [*e.receive(), *e.wait(send, "send")]
    scene.land(sending)
    return made + e.after()


def persistent(scene):
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return several(scene)
    e = Exchange(scene)
    e.wild = False
    requests = scene.request(2)
    group = e.group
    made = e.prepare()
    init = rng.choice(["Send_init", "Send_init", "Ssend_init"])
    made += [Node(words.mpi("Recv_init", *e._arguments(False), words.out(words.item(requests, words.literal_index(0)))), group=group),
             Node(words.mpi(init, *e._arguments(True), words.out(words.item(requests, words.literal_index(1)))), group=group)]
    scene.loop_depth += 1
    var = f"it{scene.loop_depth}"
    body = []
    if e.count:
        body.append(scene.fill(e.out, e.sent[1], e.sent[2], group=group))
    flights = [e.fly("recv"), e.fly("send")]
    if rng.random() < 0.5:
        body.append(Node(words.mpi("Startall", 2, requests), group=group, role="start", kind="persistent"))
    else:
        body += [Node(words.mpi("Start", words.out(words.item(requests, words.literal_index(i)))), group=group, role="start", kind="persistent")
                 for i in (0, 1)]
    body += e.gap(2)
    info = {"group": group, "role": "waitall", "kind": "both", "request": requests, "got": [e.got], "sent": [e.sent], "count": 2}
    if rng.random() < 0.5:
        body.append(Node(words.mpi("Waitall", 2, requests, words.ignored_all()), **info))
    else:
        body += [Node(words.wait_item(requests, i), group=group, role="one of all") for i in (0, 1)]
    for flight in flights:
        scene.land(flight)
    body += e.after()
    made.append(words.for_loop(var, 0, rng.randint(1, 3), body, group))
    scene.loop_depth -= 1
    return made + [Node(words.mpi("Request_free", words.out(words.item(requests, words.literal_index(i)))), group=group) for i in (0, 1)]


def conditional(scene):
    """A start under a condition and a wait under the same one."""
    words, rng = scene.words, scene.rng
    e = Exchange(scene)
    flag = scene.integer("flag")
    request = scene.request()
    which = rng.choice(["send", "recv"])
    made = [*e.prepare(), Node(words.set(flag, words.choose(fillers.uniform(scene), "1", "0")), group=e.group)]
    scene.maybe += 1
    start = e.start_send(request) if which == "send" else e.start_receive(request)
    flight = e.fly(which)
    first = [start, *e.gap(1)]
    if which == "send":
        first += e.receive()
    else:
        first.append(e.send())
    made.append(words.branch(words.same(flag, 1), first, group=e.group))
    made += e.gap(2)
    made.append(words.branch(words.same(flag, 1), e.wait(request, which), group=e.group, role="guarded"))
    scene.maybe -= 1
    scene.land(flight)
    return made + e.after()


def way_out(scene):
    """A way out of the function, or of a loop, between a start and its wait; waited for on both."""
    words, rng = scene.words, scene.rng
    if scene.flying or scene.in_branch or scene.maybe or scene.loop_depth:
        return conditional(scene)  # others are in flight, and would not be waited for
    e = Exchange(scene)
    receive, send = scene.request(), scene.request()
    made = [*e.prepare(), e.start_receive(receive), e.start_send(send)]
    flights = [e.fly("recv"), e.fly("send")]
    made += e.gap(1)
    scene.maybe += 1
    waits = [*e.wait(receive, "recv"), *e.wait(send, "send")]
    for flight in flights:
        scene.land(flight)
    inside = e.after()
    scene.flying += flights
    made.append(words.branch(fillers.uniform(scene), [*waits, *inside, Node(words.leave_scene)], group=e.group, role="way out"))
    made += e.gap(1)
    made += [*e.wait(send, "send"), *e.wait(receive, "recv")]
    scene.maybe -= 1
    for flight in flights:
        scene.land(flight)
    return made + e.after()


def halves(scene):
    """Blocking sends from one half of a buffer while the other is received into and read, round
    a loop over directions (Das, figure 2)."""
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return several(scene)
    count = rng.choice([3, 100, 1000, 5000, 12000])
    buffer = scene.buffer(size=2 * count, kind=None)
    group, tag = scene.program.group(), scene.new_tag()
    to, source = scene.integer("to"), scene.integer("from")
    request = scene.request()
    low, high = (buffer, 0, count), (buffer, count, 2 * count)
    kind = words.type_of(buffer)
    scene.loop_depth += 1
    var = f"it{scene.loop_depth}"
    body = [Node(words.set(to, words.mod("rank + 1", "n")), group=group), Node(words.set(source, words.mod("rank - 1 + n", "n")), group=group)]
    body.append(Node(words.mpi("Irecv", scene.address(buffer, count), count, kind, source, tag, "MPI_COMM_WORLD", words.out(request)),
                     group=group, role="start", kind="recv", request=request, regions=[high]))
    flight = scene.fly(*high, True)
    body.append(scene.fill(buffer, 0, count, group=group))
    body.append(Node(words.mpi("Send", scene.address(buffer, 0), count, kind, to, tag, "MPI_COMM_WORLD"), group=group,
                     role="call", kind="send", regions=[low], reads=[low], sends=True))
    scene.recent.append(low)
    body += fillers.block(scene, 1)
    body.append(Node(words.mpi("Wait", words.out(request), words.ignored()), group=group, role="wait", kind="recv",
                     request=request, got=[high], sent=[], status=None))
    scene.land(flight)
    sum_name = words.helper(scene.program, rng, "read", buffer.element)
    body.append(Node(words.set("acc", words.masked(f"acc * 31 + {sum_name}({scene.address(buffer, 0)}, {count}, {2 * count}, 0)", 1048575)),
                     group=group, role="touch", reads=[high]))
    body += fillers.after(scene)
    made = [words.for_loop(var, 0, rng.randint(1, 4), body, group)]
    scene.loop_depth -= 1
    return made


def pipeline(scene):
    """Small blocking messages along the ranks, step by step, with work on each."""
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return several(scene)
    count = rng.choice([1, 8, 200, 3000])
    steps = rng.randint(2, 5)
    buffer = scene.buffer(size=count * steps)
    group, tag = scene.program.group(), scene.new_tag()
    scene.loop_depth += 1
    var = f"it{scene.loop_depth}"
    kind = words.type_of(buffer)
    place = words.address_at(buffer, f"{var} * {count}")
    region = (buffer, 0, buffer.size)
    line = words.mpi("Recv", place, count, kind, "rank - 1", tag, "MPI_COMM_WORLD", words.ignored())
    receive = Node(checking.call(scene, line), group=group,
                   role="call", kind="recv", regions=[region], writes=[region])
    line = words.mpi("Send", place, count, kind, "rank + 1", tag, "MPI_COMM_WORLD")
    send = Node(checking.call(scene, line), group=group, role="call",
                kind="send", regions=[region], reads=[region], sends=True)
    element = words.at(buffer.name, 0, f"{var} * {count} + i")
    value = f"{element} * {words.real('0.5')} + i" if buffer.element == "real" else words.masked(f"{element} * 3 + i")
    work = words.for_loop("i", 0, count, [Node(words.set(element, value))], group, role="touch", reads=[region], writes=[region])
    scene.in_branch += 1
    scene.maybe += 1
    flight = scene.fly(*region, True)
    more = fillers.block(scene, 1)
    scene.flying.remove(flight)
    scene.in_branch -= 1
    scene.maybe -= 1
    body = [words.branch("rank > 0", [receive, *more], group=group), work, words.branch("rank + 1 < n", [send], group=group)]
    made = [words.for_loop(var, 0, steps, body, group)]
    scene.loop_depth -= 1
    scene.recent.append(region)
    return made + fillers.after(scene)


def looped(scene):
    """An exchange in a loop of its own."""
    words, rng = scene.words, scene.rng
    if scene.loop_depth == 3:
        return several(scene)
    scene.loop_depth += 1
    body = rng.choice([nonblocking, receive_early, send_early])(scene)
    made = [words.for_loop(f"it{scene.loop_depth}", 0, rng.randint(2, 4), body, scene.program.group())]
    scene.loop_depth -= 1
    return made


def looked_at(scene):
    """A buffer is read right before a message comes into it, and right after."""
    e = Exchange(scene, count=scene.rng.choice([5, 700, 6000]))
    request = scene.request()
    region = e.got
    made = [*e.prepare(), scene.check(*region, e.group), e.start_receive(request)]
    flight = e.fly("recv")
    made += [*e.gap(1), e.send("Send"), *e.wait(request, "recv")]
    scene.land(flight)
    return [*made, scene.check(*region, e.group), scene.fill(*e.sent, group=e.group)]


def started_collective(scene):
    made = fillers.collective(scene, "Iallreduce")
    return [*made, *fillers.after(scene)]


ALL = [looped, looked_at, started_collective, several, several, last_round, persistent, conditional, way_out, halves, pipeline]
