# SPDX-License-Identifier: Apache-2.0
"""Scenes that only C can say: windows, jumps, signals, types with holes, errors, cancelled requests."""
from fillers import block
from tree import Node


class Ring:
    """The names that the templates below share: every rank sends right and receives from the left."""

    def __init__(self, scene, most=40000):
        self.scene, self.rng = scene, scene.rng
        self.group = scene.program.group()
        self.real = scene.rng.random() < 0.5
        self.type, self.kind = ("double", "MPI_DOUBLE") if self.real else ("int", "MPI_INT")
        self.count = scene.rng.choice([c for c in (2, 60, 700, 3000, 15000, 40000) if c <= most])
        self.tag = scene.new_tag()
        self.right, self.left = "(rank + 1) % n", "(rank + n - 1) % n"
        self.r, self.s = scene.request(), scene.request()

    def buffer(self, size=0, kind=None):
        return self.scene.buffer("real" if self.real else "int", size or self.count, kind)

    def node(self, *lines, role="", **info):
        return Node(list(lines), group=self.group, role=role, **info)

    def sum(self, pointer, count=None):
        return f"fz_sum({self.scene.program.number()}, {pointer}, {count or self.count} * sizeof({self.type}));"

    def receive(self, pointer, regions=(), count=None, kind=None, comm="MPI_COMM_WORLD", request=None):
        line = f"MPI_Irecv({pointer}, {count or self.count}, {kind or self.kind}, {self.left}, {self.tag}, {comm}, &{request or self.r});"
        return self.node(line, role="start", kind="recv", request=request or self.r, regions=list(regions))

    def send(self, pointer, regions=(), count=None, kind=None, comm="MPI_COMM_WORLD", how="Isend", request=None):
        line = f"MPI_{how}({pointer}, {count or self.count}, {kind or self.kind}, {self.right}, {self.tag}, {comm}, &{request or self.s});"
        return self.node(line, role="start", kind="send", request=request or self.s, regions=list(regions), sends=True)

    def wait(self, which, regions=()):
        request = self.r if which == "recv" else self.s
        return self.node(f"MPI_Wait(&{request}, MPI_STATUS_IGNORE);", role="wait", kind=which, request=request, status=None,
                         got=list(regions) if which == "recv" else [], sent=list(regions) if which == "send" else [])

    def both(self, first=None):
        a, b = self.wait("recv"), self.wait("send")
        return [a, b] if (first or self.rng.random()) < 0.5 else [b, a]

    def gap(self, most=2):
        # Something may be in flight that the scene does not know: nothing leaves it here.
        self.scene.maybe += 1
        made = block(self.scene, self.rng.randint(0, most))
        self.scene.maybe -= 1
        return made


def shared_window(scene):
    """Received into memory that the node shares; the neighbour reads it there after a barrier."""
    r = Ring(scene, 15000)
    win, mine, theirs = scene.new("win"), scene.new("mine"), scene.new("theirs")
    out = r.buffer()
    scene.declare(f"MPI_Win {win};")
    scene.declare(f"{r.type} *{mine} = 0, *{theirs} = 0;")
    region = (out, 0, r.count)
    made = [r.node(f"MPI_Win_allocate_shared({r.count} * sizeof({r.type}), sizeof({r.type}), MPI_INFO_NULL, MPI_COMM_WORLD, &{mine}, &{win});",
                   "{", "  MPI_Aint size;", "  int unit;",
                   f"  MPI_Win_shared_query({win}, {r.right}, &size, &unit, &{theirs});", "}",
                   f"for (i = 0; i < {r.count}; ++i) {mine}[i] = rank + i;", f"MPI_Win_lock_all(0, {win});",
                   f"MPI_Win_sync({win});", "MPI_Barrier(MPI_COMM_WORLD);"),
            r.receive(mine), r.send(scene.address(out, 0), [region])]
    flight = scene.fly(*region, False)
    made += r.gap(1)
    made.append(r.wait("send", [region]))
    scene.land(flight)
    waiting = r.wait("recv")
    waiting.info["shared"] = True
    flag = r.node(f"MPI_Win_sync({win});", "MPI_Barrier(MPI_COMM_WORLD);", f"MPI_Win_sync({win});",
                  role="effect", effect="window")
    made += [waiting, flag, r.node(f"acc = (acc * 31 + (int){theirs}[{r.count - 1}]) & 1048575;", r.sum(theirs), "MPI_Barrier(MPI_COMM_WORLD);",
                             f"MPI_Win_unlock_all({win});", f"MPI_Win_free(&{win});")]
    return made


def flag_in_window(scene):
    """B raises a flag in shared memory once it has received; A sees it down before it sends."""
    r = Ring(scene, 15000)
    win, flags = scene.new("win"), scene.new("flags")
    out, into = r.buffer(), r.buffer()
    scene.declare(f"MPI_Win {win};")
    scene.declare(f"int* {flags} = 0;")
    number = scene.program.number()
    region = (into, 0, r.count)
    made = [r.node(f"MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &{flags}, &{win});",
                   "{", "  MPI_Aint size;", "  int unit;", f"  MPI_Win_shared_query({win}, 0, &size, &unit, &{flags});", "}",
                   f"if (rank == 0) {flags}[0] = 0;", f"MPI_Win_lock_all(0, {win});", f"MPI_Win_sync({win});", "MPI_Barrier(MPI_COMM_WORLD);")]
    how = r.rng.choice(["__atomic_store_n(&{f}[0], 1, __ATOMIC_RELEASE);", "*(volatile int*)&{f}[0] = 1;", "{f}[0] = 1;\nMPI_Win_sync({w});",
                        "__sync_synchronize();\n{f}[0] = 1;\n__sync_synchronize();"])
    first = [r.node("fz_nap(5);", f"fz_note({number}, __atomic_load_n(&{flags}[0], __ATOMIC_ACQUIRE));",
                    f"MPI_Send({scene.address(out, 0)}, {r.count}, {r.kind}, 1, {r.tag}, MPI_COMM_WORLD);")]
    second = [r.node(f"MPI_Irecv({scene.address(into, 0)}, {r.count}, {r.kind}, 0, {r.tag}, MPI_COMM_WORLD, &{r.r});", role="start",
                     kind="recv", request=r.r, regions=[region]), r.wait("recv", [region]),
              r.node(*how.format(f=flags, w=win).split("\n"), role="effect", effect="window"), scene.check(*region, r.group)]
    made.append(scene.words.branch("rank == 0", first, [scene.words.branch("rank == 1", second, group=r.group)], r.group))
    return [*made, r.node("MPI_Barrier(MPI_COMM_WORLD);", f"MPI_Win_unlock_all({win});", f"MPI_Win_free(&{win});")]


def fence(scene):
    """Received into a window and fetched from there by the neighbour, with a fence between."""
    r = Ring(scene, 3000)
    win = scene.new("win")
    out, into, got = r.buffer(), r.buffer(kind="heap"), r.buffer()
    scene.declare(f"MPI_Win {win};")
    regions = [(into, 0, r.count)]
    made = [r.node(f"MPI_Win_create({into.name}, {r.count} * sizeof({r.type}), sizeof({r.type}), MPI_INFO_NULL, MPI_COMM_WORLD, &{win});"),
            r.receive(into.name, regions), r.send(out.name, [(out, 0, r.count)])]
    marks = [scene.fly(into, 0, r.count, True), scene.fly(out, 0, r.count, False), scene.fly(got, 0, r.count, True)]
    made += r.gap(1)
    made += [r.wait("send", [(out, 0, r.count)]), r.wait("recv", regions),
             r.node(f"MPI_Win_fence(0, {win});", f"MPI_Get({got.name}, {r.count}, {r.kind}, {r.right}, 0, {r.count}, {r.kind}, {win});",
                    f"MPI_Win_fence(0, {win});", role="touch", reads=regions, window=True),
             r.node(r.sum(got.name), f"MPI_Win_free(&{win});")]
    for mark in marks:
        scene.land(mark)
    return made


def jumps(scene):
    """setjmp before the start, longjmp after the wait, and once more."""
    r = Ring(scene, 3000)
    name, turn = scene.new("jump"), scene.new("turn")
    scene.program.globals.append(f"static jmp_buf {name};")
    scene.program.globals.append(f"static volatile int {turn};")
    out, into = r.buffer(kind="global"), r.buffer(kind="static")
    leave = scene.new("leave")
    scene.program.functions.append(f"static __attribute__((noinline)) void {leave}(int v) {{ if (v < 2) longjmp({name}, v + 1); }}")
    return [r.node(f"{turn} = setjmp({name});"), r.receive(into.name, [(into, 0, r.count)]), r.send(out.name, [(out, 0, r.count)]),
            *r.both(), r.node(f"{leave}({turn});", role="touch", reads=[(into, 0, r.count)], jump=True),
            scene.check(into, 0, r.count, r.group)]


def signals(scene):
    """A signal handler looks at a buffer that has just been received."""
    r = Ring(scene, 15000)
    out, into = r.buffer(), r.buffer(kind="global")
    name = scene.new("handler")
    scene.program.globals.append(f"static volatile int {name}_sum;")
    scene.program.functions.append(
        f"static void {name}(int s) {{\n  int sum = s;\n  for (int i = 0; i < {r.count}; ++i) sum = (sum * 31 + (int){into.name}[i]) & 65535;\n"
        f"  {name}_sum = sum;\n}}")
    region = (into, 0, r.count)
    made = [r.node(f"signal(SIGUSR1, {name});"), r.receive(into.name, [region]), r.send(out.name, [(out, 0, r.count)])]
    marks = [scene.fly(into, 0, r.count, True), scene.fly(out, 0, r.count, False)]
    made += r.gap(1)
    made += [r.wait("send", [(out, 0, r.count)]), r.wait("recv", [region])]
    for mark in marks:
        scene.land(mark)
    return [*made, r.node("raise(SIGUSR1);", f"acc = (acc * 31 + {name}_sum) & 1048575;", role="touch", reads=[region], outside=True)]


def freed_request(scene):
    """A send whose request is let go; that it is over is known from the answer."""
    r = Ring(scene, 700)
    out, into, answer = r.buffer(), r.buffer(), r.buffer()
    back = scene.new_tag()
    lines = [f"MPI_Isend({out.name}, {r.count}, {r.kind}, {r.right}, {r.tag}, MPI_COMM_WORLD, &{r.s});", f"MPI_Request_free(&{r.s});",
             f"MPI_Recv({into.name}, {r.count}, {r.kind}, {r.left}, {r.tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"]
    marks = [scene.fly(b, 0, r.count, True) for b in (out, into, answer)]
    gap = r.gap(1)
    for mark in marks:
        scene.land(mark)
    return [r.node(*lines), *gap,
            r.node(f"MPI_Sendrecv({into.name}, {r.count}, {r.kind}, {r.left}, {back}, {answer.name}, {r.count}, {r.kind}, {r.right}, {back},"
                   " MPI_COMM_WORLD, MPI_STATUS_IGNORE);", r.sum(answer.name), "MPI_Barrier(MPI_COMM_WORLD);")]


def cancelled(scene):
    """A receive that nobody sends to is cancelled; its buffer stays as it was."""
    r = Ring(scene, 3000)
    into, status = r.buffer(), scene.status()
    flag = scene.integer("flag")
    number = scene.program.number()
    mark = scene.fly(into, 0, r.count, True)
    gap = r.gap(1)
    scene.land(mark)
    return [r.node(f"MPI_Irecv({into.name}, {r.count}, {r.kind}, {r.left}, {r.tag}, MPI_COMM_WORLD, &{r.r});"), *gap,
            r.node(f"MPI_Cancel(&{r.r});", f"MPI_Wait(&{r.r}, &{status});", f"MPI_Test_cancelled(&{status}, &{flag});",
                   f"fz_note({number}, {flag});"), scene.check(into, 0, r.count, r.group)]


def truncated(scene):
    """A message too long, with errors returned and read."""
    r = Ring(scene, 700)
    comm, status = scene.new("comm"), scene.status()
    scene.declare(f"MPI_Comm {comm};")
    scene.declare(f"int {comm}_class = 0;")
    out, into = r.buffer(), r.buffer(r.count)
    number, how = scene.program.number(), r.rng.choice(["wait", "recv", "unread"])
    made = [r.node(f"MPI_Comm_dup(MPI_COMM_WORLD, &{comm});", f"MPI_Comm_set_errhandler({comm}, MPI_ERRORS_RETURN);",
                   # An MPI may ask the world's handler for what is said of a request.
                   "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);")]
    short = max(1, r.count // 2)
    sending = f"MPI_Send({out.name}, {r.count}, {r.kind}, 1, {r.tag}, {comm});"
    if how == "recv":
        lines = [f"rc = MPI_Recv({into.name}, {short}, {r.kind}, 0, {r.tag}, {comm}, &{status});"]
    else:
        lines = [f"MPI_Irecv({into.name}, {short}, {r.kind}, 0, {r.tag}, {comm}, &{r.r});", f"rc = MPI_Wait(&{r.r}, &{status});"]
    if how != "unread":
        lines += [f"MPI_Error_class(rc, &{comm}_class);", f"fz_note({number}, {comm}_class == MPI_ERR_TRUNCATE);"]
        rc_node = r.node(*lines, role="errors")
    else:
        rc_node = r.node(*lines)
    refill = r.node(f"for (i = 0; i < {r.count}; ++i) {into.name}[i] = i;")
    branch = scene.words.branch("rank == 0", [r.node(sending)], [scene.words.branch("rank == 1", [rc_node, refill], group=r.group)], r.group)
    return [*made, branch, r.node("MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);", f"MPI_Comm_free(&{comm});")]


def early_free(scene):
    """Communicator and type are freed between start and wait, which MPI allows."""
    r = Ring(scene)
    comm, kind = scene.new("comm"), scene.new("type")
    scene.declare(f"MPI_Comm {comm};")
    scene.declare(f"MPI_Datatype {kind};")
    out, into = r.buffer(), r.buffer()
    regions = {"recv": [(into, 0, r.count)], "send": [(out, 0, r.count)]}
    made = [r.node(f"MPI_Comm_dup(MPI_COMM_WORLD, &{comm});", f"MPI_Type_contiguous(2, {r.kind}, &{kind});", f"MPI_Type_commit(&{kind});"),
            r.receive(into.name, regions["recv"], r.count // 2, kind, comm), r.send(out.name, regions["send"], r.count // 2, kind, comm),
            r.node(f"MPI_Type_free(&{kind});", f"MPI_Comm_free(&{comm});")]
    marks = [scene.fly(into, 0, r.count, True), scene.fly(out, 0, r.count, False)]
    made += [*r.gap(), *r.both()]
    for mark in marks:
        scene.land(mark)
    return [*made, scene.check(into, 0, r.count, r.group), scene.fill(out, 0, r.count, group=r.group)]


ALL = [shared_window, flag_in_window, fence, jumps, signals, freed_request, cancelled, truncated, early_free]
