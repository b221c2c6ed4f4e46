# SPDX-License-Identifier: Apache-2.0
"""What programs do between a start and a wait, and after: computation, calls, branches, loops,
output, collectives. All of it keeps off what is in flight."""
from tree import Node


def fill(scene):
    buffer, low, high = scene.range(True)
    return [scene.fill(buffer, low, high, group=scene.program.group())]


def update(scene):
    words, rng = scene.words, scene.rng
    buffer, low, high = scene.range(True)
    source, where = scene.access(buffer, "i"), scene.access(buffer, "i")
    salt = rng.randint(1, 99)
    value = f"{source} * {words.real('0.5')} + {salt}" if buffer.element == "real" else words.masked(f"{source} * 3 + {salt}")
    return [words.for_loop("i", low, high, [Node(words.set(where, value))], scene.program.group(), role="touch",
                           reads=[(buffer, low, high)], writes=[(buffer, low, high)])]


def gather(scene):
    """Sums up, in the program itself."""
    words = scene.words
    buffer, low, high = scene.range(False)
    element = scene.access(buffer, "i")
    line = words.set("dacc", f"dacc * {words.real('0.5')} + {element}") if buffer.element == "real" else \
        words.set("acc", words.masked(f"acc * 31 + {element}", 1048575))
    return [words.for_loop("i", low, high, [Node(line)], scene.program.group(), role="touch",
                           reads=[(buffer, low, high)])]


def move(scene):
    """One buffer from another."""
    words = scene.words
    to, low, high = scene.range(True)
    source, first, last = scene.range(False, to.element)
    count = min(high - low, last - first)
    if to is source:
        return gather(scene)
    line = words.set(scene.access(to, f"i + {low}"), scene.access(source, f"i + {first}"))
    return [words.for_loop("i", 0, count, [Node(line)], scene.program.group(), role="touch",
                           writes=[(to, low, low + count)], reads=[(source, first, first + count)])]


def one_element(scene):
    words, rng = scene.words, scene.rng
    buffer, low, high = scene.range(True)
    index = rng.randint(low, high - 1)
    line = words.set(scene.access(buffer, index), scene.value(buffer.element, rng.randint(1, 99), "it1"))
    return [Node(line, group=scene.program.group(), role="touch", writes=[(buffer, index, index + 1)])]


def call_function(scene):
    words, rng = scene.words, scene.rng
    if rng.random() < 0.5:
        buffer, low, high = scene.range(False)
        name = words.helper(scene.program, rng, "read", buffer.element)
        call = words.set("acc", words.masked(f"acc * 31 + {name}({scene.address(buffer, 0)}, {low}, {high}, 0)", 1048575))
        return [Node(call, group=scene.program.group(), role="touch", reads=[(buffer, low, high)])]
    buffer, low, high = scene.range(True)
    name = words.helper(scene.program, rng, "write", buffer.element)
    call = words.call(name, scene.address(buffer, 0), low, high, rng.randint(1, 99))
    return [Node(call, group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def look(scene):
    buffer, low, high = scene.range(False)
    return [scene.check(buffer, low, high, scene.program.group())]


def mathematics(scene):
    words = scene.words
    buffer, low, high = scene.range(True, "real")
    where = scene.access(buffer, "i")
    line = words.set(where, words.root(f"{where} * {where} + {words.real('1')}"))
    return [words.for_loop("i", low, high, [Node(line)], scene.program.group(), role="touch",
                           writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def output(scene):
    return [Node(scene.words.print_value(scene.program.number(), "acc"), group=scene.program.group(), role="output")]


def note(scene):
    return [Node(scene.words.note(scene.program.number(), "acc"), group=scene.program.group(), role="output")]


def barrier(scene):
    return [Node(scene.words.mpi("Barrier", "MPI_COMM_WORLD"), group=scene.program.group(), role="collective")]


def collective(scene, what=None):
    words, rng = scene.words, scene.rng
    what = what or rng.choice(["Bcast", "Allreduce", "Allgather", "Reduce", "Scan", "Ibcast", "Iallreduce"])
    group = scene.program.group()
    count = rng.choice([1, 4, 100, 2000])
    if what in ("Bcast", "Ibcast"):
        buffer, low, high = scene.range(True, None, count)
        arguments = [scene.address(buffer, low), count, words.type_of(buffer), rng.randint(0, 1), "MPI_COMM_WORLD"]
        reads, writes = [(buffer, low, high)], [(buffer, low, high)]
    else:
        wide = 4 * count if what == "Allgather" else count
        to, low, high = scene.range(True, None, wide)
        mark = scene.fly(to, low, high, True)
        source, first, last = scene.range(False, to.element, count, exact=True)
        scene.flying.remove(mark)
        arguments = [scene.address(source, first), scene.address(to, low), count, words.type_of(to)]
        if what == "Allgather":
            arguments = [scene.address(source, first), count, words.type_of(to), scene.address(to, low), count,
                         words.type_of(to), "MPI_COMM_WORLD"]
        elif what == "Reduce":
            arguments += ["MPI_MAX", 0, "MPI_COMM_WORLD"]
        else:
            arguments += ["MPI_MAX", "MPI_COMM_WORLD"]
        reads, writes = [(source, first, last)], [(to, low, high)]
    if not what.startswith("I"):
        return [Node(words.mpi(what, *arguments), group=group, role="collective", reads=reads, writes=writes)]
    request = scene.request()
    marks = [scene.fly(*region, True) for region in reads + writes if region[0]]
    inside = block(scene, 1)
    for mark in marks:
        scene.land(mark)
    return [Node(words.mpi(what, *arguments, words.out(request)), group=group, role="collective"), *inside,
            Node(words.mpi("Wait", words.out(request), words.ignored()), group=group, role="wait", kind="collective",
                 got=writes, sent=reads)]


def branch(scene):
    """On data or rank: only computation inside, for others may not go the same way."""
    words, rng = scene.words, scene.rng
    condition = rng.choice([words.local_condition(), "rank == 0", "acc > 500", words.given(rng.randint(0, 63)) + " > 512"])
    scene.in_branch += 1
    scene.maybe += 1
    body = block(scene, rng.randint(1, 2))
    other = block(scene, 1) if rng.random() < 0.4 else []
    scene.in_branch -= 1
    scene.maybe -= 1
    return [words.branch(condition, body, other, scene.program.group())]


def uniform(scene):
    """A condition that all ranks answer alike."""
    words, rng = scene.words, scene.rng
    choices = [words.same(words.mod(words.given(rng.randint(0, 63)), 2), rng.choice([0, 1])),
               f"{words.ask(rng.randint(0, 63))} > {rng.choice([100, 512, 900])}"]
    if scene.loop_depth:
        var = f"it{scene.loop_depth}"
        choices += [words.same(words.mod(var, 2), 0), f"{var} > 0", words.same(var, 1)]
    return rng.choice(choices)


def uniform_branch(scene):
    words, rng = scene.words, scene.rng
    scene.maybe += 1
    body = block(scene, rng.randint(1, 2))
    other = block(scene, 1) if rng.random() < 0.4 else []
    scene.maybe -= 1
    return [words.branch(uniform(scene), body, other, scene.program.group())]


def switch(scene):
    rng = scene.rng
    scene.in_branch += 1
    scene.maybe += 1
    cases = [block(scene, 1) for _ in range(rng.randint(2, 3))]
    scene.in_branch -= 1
    scene.maybe -= 1
    return [scene.words.switch(scene.words.mod(scene.words.given(rng.randint(0, 63)), len(cases)), cases,
                               scene.program.group())]


def loop(scene):
    """Any loop; its ways out are the same on all ranks."""
    if scene.loop_depth == 3:
        return fill(scene)
    words, rng = scene.words, scene.rng
    scene.loop_depth += 1
    var = f"it{scene.loop_depth}"
    rounds = rng.choice([1, 2, 3]) if scene.loop_depth > 1 else rng.choice([0, 1, 2, 3, 5])
    body, leaves = [], rng.randint(0, 8)
    for index in range(rng.randint(1, 3)):
        if index == leaves:  # between statements, never between a start and its wait
            way = rng.choice([words.next_round, words.leave_loop])
            body.append(words.branch(uniform(scene), [Node(way)], group=scene.program.group()))
        body += statement(scene)
    kind = rng.choice(["for", "for", "while"])
    group = scene.program.group()
    if kind == "for":
        made = [words.for_loop(var, 0, rounds, body, group)]
    else:
        # The count goes first, so that "continue" does not pass it by.
        made = [Node(words.set(var, words.literal(-1)), group=group),
                words.while_loop(f"{var} < {rounds - 1}", [Node(words.set(var, f"{var} + 1")), *body], group)]
    scene.loop_depth -= 1
    return made


LOCAL = [fill, update, gather, move, one_element, call_function, call_function, look, mathematics, output, note]
COMMON = [barrier, collective, uniform_branch, loop]


def statement(scene):
    """One or a few statements; an exchange among them while the budget lasts."""
    rng = scene.rng
    extra = scene.words.local_fillers()
    if scene.in_branch:
        choices = LOCAL * 2 + extra + [branch]
    else:
        choices = LOCAL * 2 + extra * 1 + [branch, switch] + COMMON
        if scene.budget > 0 and rng.random() < 0.4:
            scene.budget -= 1
            return scene.exchange()
    if scene.budget < -40:
        choices = LOCAL
    scene.budget -= 0.25
    return rng.choice(choices)(scene)


def block(scene, count):
    made = []
    for _ in range(count):
        made += statement(scene)
    return made


def after(scene, group=0):
    """Touches what has just been waited for, one way or another."""
    made = []
    for _ in range(scene.rng.randint(1, 2)):
        choices = [gather, gather, update, call_function, look, one_element, fill, move, *scene.words.local_fillers()]
        made += scene.rng.choice(choices)(scene)
    return made
