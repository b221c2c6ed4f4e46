# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a compiler could make with waits, made in the source: one mistake at one place.

A fault is planted in a finished tree; what it plants is wrong by MPI's rules, so that a program
with it must behave otherwise somewhere, sometimes."""
import dataclasses
import typing

from tree import Node, lists, touches, walk

COLLECTIVES = ["blocking_collective"]
EXCHANGES = ["nonblocking", "receive_early", "send_early"]


@dataclasses.dataclass
class Fault:
    plant: typing.Callable  # (scene, rng) -> whether there was a place for it
    patterns: list
    language: str = ""
    ranks: int = 2
    programs: int = 40


def nonempty(regions):
    return [r for r in regions if r[1] < r[2]]


def waits(scene, roles=("wait",), kinds=None):
    for body, index, node in walk(scene.body):
        if node.role in roles and (not kinds or node.info["kind"] in kinds):
            yield body, index, node


def planted(places, rng, act):
    places = list(places)
    if not places:
        return False
    act(*rng.choice(places))
    return True


def move(body, index, target):
    node = body.pop(index)
    body.insert(target if target <= index else target - 1, node)


def past(stops, roles=("wait",), kinds=None):
    """A wait moves below the first later statement that it must not pass."""
    def plant(scene, rng):
        places = []
        for body, index, node in waits(scene, roles, kinds):
            later = (i for i in range(index + 1, len(body)) if stops(node, body[i]))
            stop = next(later, None)
            if stop is not None:
                places.append((body, index, stop + 1))
        return planted(places, rng, move)
    return plant


def reads_got(wait, node):
    return touches(node, nonempty(wait.info["got"]), ("reads",)) and not node.info.get("writes")


def writes_got(wait, node):
    return touches(node, nonempty(wait.info["got"]), ("writes",)) and node.role == "touch"


def writes_sent(wait, node):
    return touches(node, nonempty(wait.info["sent"]), ("writes",)) and node.role in ("touch", "call")


def called(wait, node):
    return node.role in ("call", "collective") and (touches(node, nonempty(wait.info["got"])) or writes_sent(wait, node))


def outside(wait, node):
    return node.info.get("outside") and (touches(node, nonempty(wait.info["got"])) or writes_sent(wait, node))


def effect(which):
    return lambda wait, node: node.info.get("effect") == which


def freed(wait, node):
    return node.role == "free" and node.info["memory"] == wait.info.get("memory_of")


def drop(roles, kinds=None):
    def plant(scene, rng):
        found = [(b, i) for b, i, n in waits(scene, roles, kinds) if nonempty(n.info["got"] + n.info["sent"])]
        return planted(found, rng, lambda body, index: body.pop(index))
    return plant


def edit(roles, change):
    """Changes the text of one statement; `change` gives the new line, or the same."""
    def plant(scene, rng):
        found = []
        for _, _, node in walk(scene.body):
            if node.role in roles:
                lines = [change(line, scene.words, node) for line in node.lines]
                if lines != node.lines:
                    found.append((node, lines))
        return planted(found, rng, lambda node, lines: setattr(node, "lines", lines))
    return plant


def status_early(scene, rng):
    found = []
    for body, index, node in waits(scene, ("wait", "waitall", "call")):
        for later in range(index + 1, len(body)):
            if body[later].role == "status" and body[later].info["status"] == node.info.get("status"):
                found.append((body, later, index))
    return planted(found, rng, move)


def guards(scene, change):
    found = []
    for _, _, node in walk(scene.body):
        if node.role == "guarded":
            head, body = node.parts[0]
            changed = change(head)
            if changed != head:
                found.append((node, [(changed, body), *node.parts[1:]]))
    return found


def guard_edit(change):
    return lambda scene, rng: planted(guards(scene, change), rng, lambda node, parts: setattr(node, "parts", parts))


def inverted(head):
    return head.replace("== 1)", "== 0)").replace("> 0)", "== 0)")


def out_of_loop(scene, rng):
    found = []
    for body in lists(scene.body):
        for index, node in enumerate(body):
            if not (node.parts and node.parts[0][0].startswith(("for", "do it"))):
                continue
            inner = node.parts[0][1]
            found += [(body, index, inner, i) for i, n in enumerate(inner)
                      if n.role in ("wait", "waitall") and nonempty(n.info["got"] + n.info["sent"])]

    def act(body, index, inner, place):
        body.insert(index + 1, inner.pop(place))
    return planted(found, rng, act)


def way_out(scene, rng):
    found = [n for _, _, n in walk(scene.body) if n.role == "way out"]

    def act(node):
        head, body = node.parts[0]
        node.parts[0] = head, [n for n in body if n.role != "wait"]
    return planted([(n,) for n in found], rng, act)


def handler(scene, rng):
    found = [(n,) for _, _, n in walk(scene.body) if n.parts and n.parts[0][0] == "try {" and any(x.role == "wait" for x in n.parts[1][1])]

    def act(node):
        head, body = node.parts[1]
        node.parts[1] = head, [n for n in body if n.role != "wait"]
    return planted(found, rng, act)


def one_path(scene, rng):
    found = [(b, i) for b, i, n in waits(scene) if nonempty(n.info["got"] + n.info["sent"])]

    def act(body, index):
        body[index] = scene.words.branch("rank == 0", [body[index]])
    return planted(found, rng, act)


def start_early(kind, conflict):
    """A start moves above the last earlier statement that it must stay below."""
    def plant(scene, rng):
        places = []
        for body, index, node in walk(scene.body):
            if node.role == "start" and node.info["kind"] == kind:
                regions = nonempty(node.info["regions"])
                before = [i for i in range(index) if conflict(body[i], regions)]
                if before:
                    places.append((body, index, before[-1]))
        return planted(places, rng, move)
    return plant


def swapped(scene, rng):
    for body in lists(scene.body):
        places = [i for i, n in enumerate(body) if n.info.get("ordered")]
        if len(places) == 2:
            body[places[0]], body[places[1]] = body[places[1]], body[places[0]]
            return True
    return False


def replaced(scene, rng):
    """Sendrecv_replace split as if it had two buffers."""
    found = [(b, i, n) for b, i, n in walk(scene.body) if n.info.get("kind") == "replace" and nonempty(n.info["regions"])]
    words = scene.words

    def act(body, index, node):
        place, count, kind, to, tag, comm = node.info["arguments"]
        source = node.info["exchange"].source
        calls = [words.mpi("Irecv", place, count, kind, source, tag, comm, words.out("p")),
                 words.mpi("Isend", place, count, kind, to, tag, comm, words.out("q")),
                 words.mpi("Wait", words.out("q"), words.ignored()), words.mpi("Wait", words.out("p"), words.ignored())]
        body[index] = Node(words.with_requests(calls))
    return planted(found, rng, act)


def copied(scene, rng):
    """A blocking receive into a section with holes is split: the copy goes back before the message is there."""
    def is_section(node):
        return node.lines and node.lines[0].startswith("call MPI_Recv(") and ":" in node.lines[0].split(",")[0]
    found = [(b, i, n) for b, i, n in walk(scene.body) if is_section(n)]

    def act(body, index, node):
        start = node.lines[0].replace("MPI_Recv", "MPI_Irecv").replace("MPI_STATUS_IGNORE", "q")
        body[index] = Node(scene.words.with_requests([start, "call MPI_Wait(q, MPI_STATUS_IGNORE, ierr)"]))
    return planted(found, rng, act)


def split_collective(late):
    """A blocking collective in its non-blocking form, whose wait comes after what `late` gives."""
    def plant(scene, rng):
        words = scene.words
        places = []
        for body, index, node in walk(scene.body):
            if node.role == "blocking" and node.info["line"]:
                stop = next((i for i in range(index + 1, len(body)) if late(node, body[i])), None)
                if stop is not None:
                    places.append((body, index, stop, node))

        def act(body, index, stop, node):
            request = scene.request()
            start = words.mpi("I" + node.info["name"].lower(), *node.info["arguments"], words.out(request))
            body[index] = Node(start, group=node.group)
            body.insert(stop + 1, Node(words.mpi("Wait", words.out(request), words.ignored()), group=node.group))
        return planted(places, rng, act)
    return plant


def forms_meet(scene, rng):
    """Rank 0 takes another form of a collective than the others."""
    words = scene.words
    found = [(b, i, n) for b, i, n in walk(scene.body) if n.role == "blocking" and n.info["line"]]

    def act(body, index, node):
        start = words.mpi("I" + node.info["name"].lower(), *node.info["arguments"], words.out("p"))
        other = words.with_requests([start, words.mpi("Wait", words.out("p"), words.ignored())])
        body[index] = words.branch("rank == 0", [Node(other)], [Node(node.lines)], node.group)
    return planted(found, rng, act)


def once(line, words, node):
    if not node.info.get("loop"):
        return line
    for old, new in (("do MPI_Test(", "MPI_Test("), ("; while (!flag);", ";"), ("while (!flag)", "if (!flag)"),
                     ("do while (.not. flag)", "do k = 1, 1"), ("if (flag) exit", "exit")):
        line = line.replace(old, new)
    return "do k = 1, 1" if line == "do" else line


def forgotten(line, words, node):
    if "MPI_Wait(" in line or "MPI_Recv(" in line:
        return line.replace("rc = MPI_", "MPI_").replace(", rc)", ", ierr)")
    return line


def fewer(line, words, node):
    return line.replace(f"Waitall({node.info['count']},", f"Waitall({node.info['count'] - 1},")


def from_second(line, words, node):
    count, name = node.info["count"], node.info["request"]
    return line.replace(f"Waitall({count}, {name},", f"Waitall({count - 1}, {words.address_of(name, 1)},")


def eager(line, words, node):
    return line.replace("MPI_Ssend(", "MPI_Send(").replace("MPI_Issend(", "MPI_Isend(")


def written(node, regions):
    return touches(node, regions, ("writes",)) and node.role == "touch"


def read(node, regions):
    return touches(node, regions, ("reads",)) and node.role in ("touch", "call")


FAULTS = {
    "receive-wait-past-read": Fault(past(reads_got, kinds=("recv",)), EXCHANGES),
    "receive-wait-past-write": Fault(past(writes_got, kinds=("recv",)), EXCHANGES),
    "send-wait-past-write": Fault(past(writes_sent, kinds=("send",)), ["nonblocking", "send_early", "matched_probe"]),
    "wait-past-mpi-call": Fault(past(called), EXCHANGES + ["last_round"]),
    "wait-past-unknown-call": Fault(past(outside), EXCHANGES),
    "waitall-past-use": Fault(past(lambda w, n: reads_got(w, n) or writes_sent(w, n), ("waitall",)), ["several", "persistent"]),
    "wait-past-file": Fault(past(effect("file")), ["witness_file", "synchronous"]),
    "wait-past-send": Fault(past(effect("send")), ["witness_message"]),
    "wait-past-causal-send": Fault(past(effect("send")), ["causal_file"], ranks=3),
    "wait-past-barrier": Fault(past(effect("barrier")), ["witness_barrier"], ranks=3),
    "wait-past-shared-store": Fault(past(effect("window")), ["flag_in_window"], language="c"),
    "wait-past-window-barrier": Fault(past(effect("window")), ["shared_window"], language="c"),
    "wait-past-fence": Fault(past(lambda w, n: n.info.get("window"), kinds=("recv",)), ["fence"], language="c"),
    "wait-past-free": Fault(past(freed), ["given_back", "allocatable"]),
    "wait-past-longjmp": Fault(past(lambda w, n: n.info.get("jump")), ["jumps"], language="c"),
    "collective-wait-past-use": Fault(past(reads_got, kinds=("collective",)), ["started_collective"]),
    "collective-split-past-read": Fault(split_collective(reads_got), COLLECTIVES),
    "collective-split-past-send-write": Fault(split_collective(writes_sent), COLLECTIVES),
    "collective-forms-meet": Fault(forms_meet, COLLECTIVES),
    "receive-wait-dropped": Fault(drop(("wait",), ("recv",)), EXCHANGES),
    "send-wait-dropped": Fault(drop(("wait",), ("send",)), EXCHANGES),
    "waitall-dropped": Fault(drop(("waitall",)), ["several", "persistent"]),
    "waitall-one-too-few": Fault(edit(("waitall",), fewer), ["several", "persistent"]),
    "waitall-from-second": Fault(edit(("waitall",), from_second), ["several", "persistent"]),
    "status-before-wait": Fault(status_early, EXCHANGES + ["several"]),
    "guard-inverted": Fault(guard_edit(inverted), ["conditional", "last_round"]),
    "guard-one-late": Fault(guard_edit(lambda head: head.replace("> 0)", "> 1)")), ["last_round"]),
    "wait-out-of-loop": Fault(out_of_loop, ["halves", "looped", "persistent"]),
    "way-out-without-wait": Fault(way_out, ["way_out"]),
    "handler-without-wait": Fault(handler, ["thrown"], language="c++"),
    "wait-on-one-path": Fault(one_path, EXCHANGES),
    "send-started-early": Fault(start_early("send", written), ["nonblocking", "send_early"]),
    "receive-posted-early": Fault(start_early("recv", read), ["looked_at"]),
    "receives-swapped": Fault(swapped, ["same_tag"]),
    "replace-in-place": Fault(replaced, ["sendrecv"]),
    "copy-back-early": Fault(copied, ["strided"], language="fortran"),
    "test-only-once": Fault(edit(("wait", "waitall"), once), EXCHANGES + ["several"]),
    "error-forgotten": Fault(edit(("errors",), forgotten), ["truncated", "answers"]),
    "synchronous-send-eager": Fault(edit(("call", "start"), eager), ["synchronous"]),
}


def plant(name, program, rng):
    scenes = list(program.scenes)
    rng.shuffle(scenes)
    return any(FAULTS[name].plant(scene, rng) for scene in scenes)
