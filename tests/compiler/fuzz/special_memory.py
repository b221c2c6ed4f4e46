# SPDX-License-Identifier: Apache-2.0
"""Scenes about memory: buffers that leave their scope, are freed or moved, types with holes,
absolute addresses, messages that were probed."""
from special_c import Ring
from tree import Node


def leaves_scope(scene):
    """A buffer of a function that returns, with something else in its place afterwards."""
    r = Ring(scene, 3000)
    name, other = scene.new("inner"), scene.new("after")
    kind = r.rng.choice([f"{r.type} b[{r.count}], o[{r.count}];", f"{r.type} b[n + {r.count}], o[n + {r.count}];",
                         f"{r.type}* b = ({r.type}*)__builtin_alloca({r.count} * sizeof({r.type})), *o = ({r.type}*)__builtin_alloca({r.count} * sizeof({r.type}));"])
    if scene.words.plus:
        kind = f"{r.type} b[{r.count}], o[{r.count}];"
    sign = r.rng.choice(["static ", "static __attribute__((noinline)) "])
    first, last = r.rng.choice([("MPI_Wait(&q, MPI_STATUS_IGNORE);", "MPI_Wait(&p, MPI_STATUS_IGNORE);"),
                                ("MPI_Wait(&p, MPI_STATUS_IGNORE);", "MPI_Wait(&q, MPI_STATUS_IGNORE);")])
    use = r.rng.choice(["for (int i = 0; i < COUNT; ++i) s = (s * 31 + (int)b[i]) & 65535;", "s = (int)b[COUNT - 1] & 65535;",
                        ""]).replace("COUNT", str(r.count))
    scene.program.functions += [
        f"{sign}int {name}(int rank, int n, int tag) {{\n  {kind}\n  MPI_Request p, q;\n  int s = n * 0;\n"
        f"  for (int i = 0; i < {r.count}; ++i) b[i] = 0, o[i] = rank * 3 + i;\n"
        f"  MPI_Irecv(b, {r.count}, {r.kind}, {r.left}, tag, MPI_COMM_WORLD, &p);\n"
        f"  MPI_Isend(o, {r.count}, {r.kind}, {r.right}, tag, MPI_COMM_WORLD, &q);\n  {first}\n  {last}\n  {use}\n  return s;\n}}",
        f"static __attribute__((noinline)) int {other}(int k) {{\n  volatile int f[{r.count}];\n"
        f"  for (int i = 0; i < {r.count}; ++i) f[i] = k + i;\n  return f[k % {r.count}];\n}}"]
    number = scene.program.number()
    return [r.node(f"got = {name}(rank, n, {r.tag});", f"acc = (acc * 31 + got) & 1048575;", f"acc = (acc * 31 + {other}(acc % 7)) & 1048575;",
                   f"fz_note({number}, acc);")]


def recursion(scene):
    """A buffer on the stack of each level; received on the way down, waited for on the way up."""
    r = Ring(scene, 700)
    name = scene.new("level")
    order = r.rng.choice([0, 1])
    down, up = [f"s = {name}(rank, n, depth - 1, tag);"], ["MPI_Wait(&p, MPI_STATUS_IGNORE);", "MPI_Wait(&q, MPI_STATUS_IGNORE);"]
    middle = down + up if order else up + down
    scene.program.functions.append(
        f"static int {name}(int rank, int n, int depth, int tag) {{\n  if (depth == 0) return 1;\n  {r.type} b[{r.count}], o[{r.count}];\n"
        f"  MPI_Request p, q;\n  int s = 0;\n  for (int i = 0; i < {r.count}; ++i) b[i] = 0, o[i] = rank * 3 + i + depth;\n"
        f"  MPI_Irecv(b, {r.count}, {r.kind}, {r.left}, tag + depth, MPI_COMM_WORLD, &p);\n"
        f"  MPI_Isend(o, {r.count}, {r.kind}, {r.right}, tag + depth, MPI_COMM_WORLD, &q);\n  " + "\n  ".join(middle) +
        f"\n  for (int i = 0; i < {r.count}; ++i) s = (s * 31 + (int)b[i]) & 65535;\n  return s;\n}}")
    return [r.node(f"acc = (acc * 31 + {name}(rank, n, {r.rng.randint(1, 5)}, {r.tag + 500})) & 1048575;")]


def given_back(scene):
    """Freed, or moved by realloc, as soon as the wait is over; what comes in its place is written at once."""
    r = Ring(scene)
    p, q, o = scene.new("p"), scene.new("q"), scene.new("o")
    for name in (p, q, o):
        scene.declare(f"{r.type}* {name} = 0;")
    size = f"{r.count} * sizeof({r.type})"
    made = [r.node(f"{p} = ({r.type}*)malloc({size});", f"{o} = ({r.type}*)malloc({size});",
                   f"for (i = 0; i < {r.count}; ++i) {p}[i] = 1, {o}[i] = rank + i;")]
    made += [r.receive(p), r.send(o), *r.gap()]
    waits = r.both()
    for wait in waits:
        wait.info["memory_of"] = o if wait.info["kind"] == "send" else p
    end = r.rng.choice(["realloc", "free", "free"])
    made += waits
    again = [f"{q} = ({r.type}*)malloc({size});", f"for (i = 0; i < {r.count}; ++i) {q}[i] = 5 + i;", r.sum(q), f"free({q});"]
    if end == "realloc":
        made += [r.node(f"{p} = ({r.type}*)realloc({p}, 3 * {size} + 65536);", role="free", memory=p), r.node(r.sum(p), f"free({p});"),
                 r.node(f"free({o});", role="free", memory=o), r.node(*again)]
    else:
        look = r.node(f"acc = (acc * 31 + (int){p}[{r.count - 1}]) & 1048575;", role="touch")
        made += [r.node(f"free({o});", role="free", memory=o), r.node(*again), look, r.node(f"free({p});", role="free", memory=p)]
    return made


def absolute(scene):
    """MPI_BOTTOM with a type of absolute addresses of two buffers."""
    r = Ring(scene, 3000)
    kind = [scene.new("type"), scene.new("type")]
    a, b, c, d = (r.buffer() for _ in range(4))
    for name in kind:
        scene.declare(f"MPI_Datatype {name};")
    regions = {"send": [(a, 0, r.count), (b, 0, r.count)], "recv": [(c, 0, r.count), (d, 0, r.count)]}
    make = []
    for name, one, two in ((kind[0], a, b), (kind[1], c, d)):
        make += ["{", "  MPI_Aint at[2];", f"  int lengths[2] = {{{r.count}, {r.count}}};", f"  MPI_Get_address({one.name}, &at[0]);",
                 f"  MPI_Get_address({two.name}, &at[1]);", f"  MPI_Type_create_hindexed(2, lengths, at, {r.kind}, &{name});",
                 f"  MPI_Type_commit(&{name});", "}"]
    if r.rng.random() < 0.4:
        middle = [r.node(f"MPI_Sendrecv(MPI_BOTTOM, 1, {kind[0]}, {r.right}, {r.tag}, MPI_BOTTOM, 1, {kind[1]}, {r.left}, {r.tag},"
                         " MPI_COMM_WORLD, MPI_STATUS_IGNORE);")]
    else:
        middle = [r.receive("MPI_BOTTOM", regions["recv"], 1, kind[1]), r.send("MPI_BOTTOM", regions["send"], 1, kind[0])]
        marks = [scene.fly(*x, True) for x in regions["recv"]] + [scene.fly(*x, False) for x in regions["send"]]
        middle += r.gap()
        for mark in marks:
            scene.land(mark)
        middle += r.both()
        for node in middle[-2:]:
            node.info["got"] = node.info["sent"] = []  # types with addresses are not put aside by strict.c
    return [r.node(*make), *middle, scene.check(c, 0, r.count, r.group), scene.check(d, 0, r.count, r.group),
            scene.fill(a, 0, r.count, group=r.group), r.node(f"MPI_Type_free(&{kind[0]});", f"MPI_Type_free(&{kind[1]});")]


def derived(scene):
    """Vectors, structs and types with a negative lower bound: what lies between is the program's."""
    r = Ring(scene, 3000)
    kind = scene.new("type")
    scene.declare(f"MPI_Datatype {kind};")
    blocks = max(1, r.count // 4)
    how = r.rng.choice(["vector", "resized", "struct"])
    out, into = r.buffer(blocks * 4 + 8), r.buffer(blocks * 4 + 8)
    shift, count = 0, 1
    if how == "vector":
        make = [f"MPI_Type_vector({blocks}, 2, 4, {r.kind}, &{kind});"]
    elif how == "struct":
        make = ["{", f"  int lengths[2] = {{1, {blocks}}};", f"  MPI_Aint at[2] = {{0, 8 * sizeof({r.type})}};",
                f"  MPI_Datatype kinds[2] = {{{r.kind}, {r.kind}}};", f"  MPI_Type_create_struct(2, lengths, at, kinds, &{kind});", "}"]
    else:
        shift, count = 4, max(1, blocks - 1)
        make = ["{", "  MPI_Datatype one, moved;", f"  MPI_Aint at = -2 * (MPI_Aint)sizeof({r.type});", "  int length = 2;",
                f"  MPI_Type_create_hindexed(1, &length, &at, {r.kind}, &one);",
                f"  MPI_Type_create_resized(one, -4 * (MPI_Aint)sizeof({r.type}), 4 * sizeof({r.type}), &{kind});",
                "  MPI_Type_free(&one);", "  (void)moved;", "}"]
    whole_in, whole_out = (into, 0, into.size), (out, 0, out.size)
    made = [r.node(*make, f"MPI_Type_commit(&{kind});")]
    if r.rng.random() < 0.3:
        made.append(r.node(f"MPI_Sendrecv({out.name} + {shift}, {count}, {kind}, {r.right}, {r.tag}, {into.name} + {shift}, {count}, {kind},"
                           f" {r.left}, {r.tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"))
        scene.recent.append(whole_in)
    else:
        made += [r.receive(f"{into.name} + {shift}", [], count, kind), r.send(f"{out.name} + {shift}", [], count, kind)]
        marks = [scene.fly(*whole_in, True), scene.fly(*whole_out, False)]
        if how == "vector":  # between the blocks nothing is in flight
            made.append(r.node(f"for (i = 0; i + 3 < {blocks * 4}; i += 4) {into.name}[i + 2] = i, {into.name}[i + 3] = {into.name}[i + 2] + 1;"))
        made += [*r.gap(), *r.both()]
        for mark in marks:
            scene.land(mark)
    return [*made, scene.check(*whole_in, r.group), scene.fill(*whole_out, group=r.group), r.node(f"MPI_Type_free(&{kind});")]


def matched_probe(scene):
    r = Ring(scene)
    out, into = r.buffer(), r.buffer()
    message, status = scene.new("message"), scene.status()
    scene.declare(f"MPI_Message {message};")
    region, sent = (into, 0, r.count), (out, 0, r.count)
    made = [r.send(out.name, [sent])]
    mark = scene.fly(*sent, False)
    made += r.gap(1)
    made.append(r.node(f"MPI_Mprobe({r.left}, {r.tag}, MPI_COMM_WORLD, &{message}, &{status});", f"MPI_Get_count(&{status}, {r.kind}, &got);"))
    if r.rng.random() < 0.5:
        made.append(r.node(f"MPI_Mrecv({into.name}, got, {r.kind}, &{message}, &{status});"))
    else:
        made.append(r.node(f"MPI_Imrecv({into.name}, got, {r.kind}, &{message}, &{r.r});"))
        other = scene.fly(*region, True)
        made += [*r.gap(1), r.wait("recv", [region])]
        scene.land(other)
    made += [scene.check(*region, r.group), *r.gap(1), r.wait("send", [sent])]
    scene.land(mark)
    return [*made, scene.fill(*sent, group=r.group)]


def through_struct(scene):
    """Buffer, request and status in one structure, given to functions by pointer and by value."""
    r = Ring(scene, 15000)
    name = scene.new("halo")
    keep = r.rng.choice(["static __attribute__((noinline)) ", "static "])
    scene.program.functions.append(
        f"struct {name} {{ {r.type} *in, *out; MPI_Request q[2]; MPI_Status s[2]; int count; }};\n"
        f"{keep}void {name}_begin(struct {name}* h, int rank, int n, int tag) {{\n"
        f"  MPI_Irecv(h->in, h->count, {r.kind}, {r.left}, tag, MPI_COMM_WORLD, &h->q[0]);\n"
        f"  MPI_Isend(h->out, h->count, {r.kind}, {r.right}, tag, MPI_COMM_WORLD, &h->q[1]);\n}}\n"
        f"{keep}void {name}_end(struct {name}* h) {{ MPI_Waitall(2, h->q, h->s); }}\n"
        f"{keep}int {name}_use(struct {name} h) {{\n  int s = h.s[0].MPI_TAG;\n"
        f"  for (int i = 0; i < h.count; ++i) s = (s * 31 + (int)h.in[i]) & 65535, h.out[i] = i;\n  return s;\n}}")
    out, into = r.buffer(), r.buffer()
    scene.declare(f"struct {name} {name}_h;")
    made = [r.node(f"{name}_h.in = {into.name};", f"{name}_h.out = {out.name};", f"{name}_h.count = {r.count};",
                   f"{name}_begin(&{name}_h, rank, n, {r.tag});")]
    marks = [scene.fly(into, 0, r.count, True), scene.fly(out, 0, r.count, False)]
    made += r.gap()
    for mark in marks:
        scene.land(mark)
    return [*made, r.node(f"{name}_end(&{name}_h);"), *r.gap(1),
            Node(f"acc = (acc * 31 + {name}_use({name}_h)) & 1048575;", group=r.group)]


ALL = [leaves_scope, recursion, given_back, absolute, derived, matched_probe, through_struct]
