# SPDX-License-Identifier: Apache-2.0
"""Two halves of a buffer take turns: while a loop reads what has come into the one, the next message comes into the
other, by the same request."""
import fillers
from tree import Node


def ahead(scene):
    words, rng = scene.words, scene.rng
    width, rounds = rng.choice([3, 100, 1500, 6000]), rng.randint(2, 5)
    element = rng.choice(["int", "real"])
    came, out, sums = (scene.buffer(element, size) for size in (2 * width, width, width))
    group, kind, tag = scene.program.group(), words.type_of(came), scene.new_tag()
    left, right, i = scene.integer("left"), scene.integer("right"), scene.integer("i")
    receive, send = scene.request(), scene.request()
    scene.loop_depth += 1
    turn = f"it{scene.loop_depth}"

    def half(later):
        return f"{words.mod(f'{turn} + {later}', '2')} * {width}"

    def expect(where):
        return Node(words.mpi("Irecv", where, width, kind, left, tag, "MPI_COMM_WORLD", words.out(receive)), group=group,
                    role="start", kind="recv", request=receive, regions=[(came, 0, 2 * width)])

    setup = [Node(words.set(left, words.mod("rank - 1 + n", "n")), group=group),
             Node(words.set(right, words.mod("rank + 1", "n")), group=group),
             *(scene.fill(one, 0, one.size, group=group) for one in (came, out, sums)), expect(scene.address(came, 0))]
    arrives, leaves = scene.fly(came, 0, 2 * width, True), scene.fly(out, 0, width, False)
    keeps = scene.fly(sums, 0, width, True)
    new = f"{i} * 3 + {turn} * 17 + rank"
    new = words.real(new) if element == "real" else words.masked(new)
    read = words.at(came.name, 0, f"({half(0)} + {i})")
    value = f"{words.at(sums.name, 0, i)} + {read}" if rng.random() < 0.7 else f"{read} * 2"
    value = f"({value}) * {words.real('0.5')}" if element == "real" else words.masked(value)
    wait_for = [Node(words.mpi("Wait", words.out(one), words.ignored()), group=group) for one in (receive, send)]
    more = words.branch(f"{turn} < {rounds - 1}", [expect(words.address_at(came, half(1)))], group=group)
    nest = words.for_loop(i, 0, width, [Node(words.set(words.at(sums.name, 0, i), value))], group, role="touch",
                          reads=[(came, 0, 2 * width), (sums, 0, width)], writes=[(sums, 0, width)])
    body = [words.for_loop(i, 0, width, [Node(words.set(words.at(out.name, 0, i), new))], group, role="touch", reads=[],
                           writes=[(out, 0, width)]),
            Node(words.mpi("Isend", scene.address(out, 0), width, kind, right, tag, "MPI_COMM_WORLD", words.out(send)),
                 group=group, role="start", kind="send", request=send, regions=[(out, 0, width)], sends=True),
            *fillers.block(scene, rng.choice([0, 0, 1])), wait_for[0], more, nest,
            *fillers.block(scene, rng.choice([0, 0, 1])), wait_for[1]]
    made = [*setup, words.for_loop(turn, 0, rounds, body, group)]
    scene.loop_depth -= 1
    for flight in (arrives, leaves, keeps):
        scene.land(flight)
    return [*made, scene.check(sums, 0, width, group)]


ALL = [ahead]
