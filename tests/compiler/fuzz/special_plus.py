# SPDX-License-Identifier: Apache-2.0
"""Scenes of C++: exceptions between start and wait, MPI calls inside try, waits in destructors."""
from special_c import Ring


def thrown(scene):
    """A function between start and wait throws; the handler waits, and so does the ordinary way."""
    r = Ring(scene)
    name = scene.new("risky")
    scene.program.functions.append(
        f"static __attribute__((noinline)) int {name}(int v) {{\n  if (v > 512) throw v;\n  return v + 1;\n}}")
    out, into = r.buffer(), r.buffer()
    regions = {"recv": [(into, 0, r.count)], "send": [(out, 0, r.count)]}
    waits = r.both()
    for wait in waits:
        region = regions[wait.info["kind"]]
        wait.info["got" if wait.info["kind"] == "recv" else "sent"] = region
    again = [r.wait("send", regions["send"]), r.wait("recv", regions["recv"])]
    use = scene.words.helper(scene.program, r.rng, "read", into.element)
    read = f"acc = (acc * 31 + {use}({into.name}, 0, {r.count}, 0)) & 1048575;"
    inside = [r.node(f"acc = (acc * 31 + {name}(fz_given[{r.rng.randint(0, 63)}])) & 1048575;"), *waits, r.node(read, role="touch", reads=regions["recv"])]
    handler = [*again, r.node("acc = (acc + caught) & 1048575;", read, role="touch", reads=regions["recv"])]
    from tree import Node
    both = Node(parts=[("try {", inside), ("} catch (int caught) {", handler)], tail="}", group=r.group)
    return [r.receive(into.name, regions["recv"]), r.send(out.name, regions["send"]), both, scene.fill(out, 0, r.count, group=r.group)]


def in_try(scene):
    """All of it inside try, so that every call is an invoke; something is thrown when it is over."""
    r = Ring(scene)
    name = scene.new("late")
    scene.program.functions.append(f"static __attribute__((noinline)) void {name}(int v) {{\n  if (v >= 0) throw 1.5;\n}}")
    out, into = r.buffer(), r.buffer()
    recv, sent = [(into, 0, r.count)], [(out, 0, r.count)]
    from tree import Node
    marks = [scene.fly(*recv[0], True), scene.fly(*sent[0], False)]
    gap = r.gap()
    for mark in marks:
        scene.land(mark)
    if r.rng.random() < 0.4:
        calls = [r.node(f"MPI_Sendrecv({out.name}, {r.count}, {r.kind}, {r.right}, {r.tag}, {into.name}, {r.count}, {r.kind}, {r.left}, {r.tag},"
                        " MPI_COMM_WORLD, MPI_STATUS_IGNORE);")]
    else:
        calls = [r.receive(into.name, recv), r.send(out.name, sent), *gap, r.wait("send", sent), r.wait("recv", recv)]
    inside = [*calls, r.node(f"{name}(rank);"), r.node("acc = 7;")]
    use = scene.words.helper(scene.program, r.rng, "read", into.element)
    handler = [r.node(f"acc = (acc * 31 + {use}({into.name}, 0, {r.count}, 0) + (int)caught) & 1048575;", role="touch", reads=recv)]
    return [Node(parts=[("try {", inside), ("} catch (double caught) {", handler)], tail="}", group=r.group),
            scene.fill(out, 0, r.count, group=r.group)]


def destructor(scene):
    """The wait is in a destructor, which runs by an exception or without one."""
    r = Ring(scene)
    name = scene.new("pending")
    scene.program.functions.append(
        f"struct {name} {{\n  MPI_Request q;\n  ~{name}() {{ MPI_Wait(&q, MPI_STATUS_IGNORE); }}\n}};\n"
        f"static __attribute__((noinline)) int {name}_risk(int v) {{\n  if (v > 512) throw v;\n  return v & 3;\n}}")
    out, into = r.buffer(), r.buffer()
    given = f"fz_given[{r.rng.randint(0, 63)}]"
    use = scene.words.helper(scene.program, r.rng, "read", into.element)
    return [r.node("try {", f"  {name} incoming, outgoing;",
                   f"  MPI_Irecv({into.name}, {r.count}, {r.kind}, {r.left}, {r.tag}, MPI_COMM_WORLD, &incoming.q);",
                   f"  MPI_Isend({out.name}, {r.count}, {r.kind}, {r.right}, {r.tag}, MPI_COMM_WORLD, &outgoing.q);",
                   f"  acc = (acc * 31 + {name}_risk({given})) & 1048575;", "} catch (int caught) {",
                   "  acc = (acc + (caught & 7)) & 1048575;", "}",
                   f"acc = (acc * 31 + {use}({into.name}, 0, {r.count}, 0)) & 1048575;"),
            scene.fill(out, 0, r.count, group=r.group)]


def containers(scene):
    """Messages into a vector, which then grows and moves."""
    r = Ring(scene)
    name = scene.new("store")
    if "vector" not in scene.program.helpers:
        scene.program.helpers.add("vector")
        scene.program.includes.append("#include <vector>")
    out = r.buffer()
    return [r.node("{", f"  std::vector<{r.type}> {name}({r.count});",
                   f"  MPI_Irecv({name}.data(), {r.count}, {r.kind}, {r.left}, {r.tag}, MPI_COMM_WORLD, &{r.r});",
                   f"  MPI_Send({out.name}, 0, {r.kind}, MPI_PROC_NULL, 0, MPI_COMM_WORLD);",
                   f"  MPI_Isend({out.name}, {r.count}, {r.kind}, {r.right}, {r.tag}, MPI_COMM_WORLD, &{r.s});",
                   f"  MPI_Wait(&{r.r}, MPI_STATUS_IGNORE);", f"  {name}.push_back(4);",
                   f"  for (auto v : {name}) acc = (acc * 31 + (int)v) & 1048575;", f"  {name}.clear();", f"  {name}.shrink_to_fit();",
                   f"  MPI_Wait(&{r.s}, MPI_STATUS_IGNORE);", "}"), scene.fill(out, 0, r.count, group=r.group)]


ALL = [thrown, in_try, destructor, containers]
