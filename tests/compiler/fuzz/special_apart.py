# SPDX-License-Identifier: Apache-2.0
"""An exchange and a computation that are functions of their own, called from several places: where the one follows
the other, the rounds that need nothing of what comes may run first."""


def apart(scene):
    from special_c import Ring
    r = Ring(scene, 3000)
    rng, t, name = r.rng, r.type, scene.new("apart")
    rows, ghosts = rng.choice([1, 30, 400, 2500]), min(r.count, 3000)
    linkage = rng.choice(["static ", ""])
    listed, packed = rng.random() < 0.5, rng.random() < 0.6
    in_place, changes = rng.random() < 0.25, rng.random() < 0.3
    size = rows + 2 * ghosts
    tail = f"{r.tag}, MPI_COMM_WORLD"
    first = ghosts  # of the rows: ghosts lie on both sides
    source = "buffer" if packed else f"x + {first}"
    sent = ghosts if packed else min(ghosts, rows)
    post = f"  MPI_Irecv(x, {sent}, {r.kind}, {r.left}, {tail}, &q[0]);"
    pack = [f"  for (i = 0; i < {ghosts}; ++i) buffer[i] = x[{first} + i * 7 % {rows}];"] if packed else []
    how = rng.choice(["send", "isend", "sendrecv", "loop", "recv"])
    send = f"  MPI_Send({source}, {sent}, {r.kind}, {r.right}, {tail});"
    if how == "send":
        talk = [post, *pack, send, "  MPI_Wait(&q[0], MPI_STATUS_IGNORE);"]
    elif how == "sendrecv":
        talk = [*pack, f"  MPI_Sendrecv({source}, {sent}, {r.kind}, {r.right}, {r.tag}, x, {sent}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE);"]
    elif how == "recv":
        take = f"  MPI_Recv(x, {sent}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE);"
        talk = [*pack, "  if (rank % 2) {", take, send, "  } else {", send, take, "  }"]
    else:
        end = "  for (i = 0; i < 2; ++i) MPI_Wait(&q[i], MPI_STATUS_IGNORE);" if how == "loop" else "  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);"
        talk = [post, *pack, f"  MPI_Isend({source}, {sent}, {r.kind}, {r.right}, {tail}, &q[1]);", end]
    exchange = [f"{linkage}void {name}_exchange({t}* x, {t}* buffer, int rank, int n) {{", "  MPI_Request q[2];", "  int i;", *talk,
                "  (void)q;", "  (void)i;", "  (void)buffer;", "}"]
    at = "x[list[i] + k]" if listed else f"x[i + k - {rng.choice([0, 1, ghosts])}]"
    add = f"s += 0.5 * {at};" if r.real else f"s = (s * 3 + {at}) & 65535;"
    restrict = " __restrict" if not in_place and rng.random() < 0.5 else ""
    product = [f"{linkage}void {name}_product(const {t}*{restrict} x, {t}*{restrict} y, const int* list, int first, int end) {{", "  int i, k;",
               "  (void)list;", "  for (i = first; i < end; ++i) {", f"    {t} s = 0;", f"    for (k = 0; k < {rng.choice([1, 2, 3])}; ++k) {add}", "    y[i] = s;", "  }", "}"]
    follows = f"{name}_exchange(x, buffer, rank, n);"
    computes = f"{name}_product(x, {'x' if in_place else 'y'}, list, {first}, {first + rows - 2});" if rows > 2 else f"{name}_product(x, y, list, {first}, {first + rows});"
    between = rng.choice([[], [], [f"    x[{rng.randrange(size)}] += 1;"], [f"    y[{rng.randrange(size)}] = x[{rng.randrange(size)}];"]])
    change = [f"    list[{first} + k % {rows}] = k * {rng.randint(1, 99)} % {size - 3};"] if changes else []
    feed = f"    for (i = {first}; i < {first + rows}; ++i) x[i] = {'x[i] / 2 + y[i] / 4' if r.real else '(x[i] + y[i]) & 1023'};"
    rounds = [f"{linkage}void {name}({t}* x, {t}* y, {t}* buffer, int* list, int rank, int n) {{", "  int i, k;",
              f"  for (k = 0; k < {rng.randint(1, 4)}; ++k) {{", f"    {follows}", *between, f"    {computes}", *change, feed, "  }", "}",
              # Never run; more callers than an inliner likes.
              f"void {name}_others({t}* x, {t}* y, {t}* buffer, int* list, int rank, int n) {{",
              *[f"  {follows}\n  {computes}" for _ in range(rng.randint(0, 3))], "  (void)x; (void)y; (void)buffer; (void)list; (void)rank; (void)n;", "}"]
    scene.program.globals.append("\n".join([*exchange, *product, *rounds]))
    scene.declare(f"static {t} {name}_x[{size + 3}], {name}_y[{size + 3}], {name}_b[{max(ghosts, 1)}];")
    scene.declare(f"static int {name}_l[{size}];")
    return [r.node(f"for (i = 0; i < {size}; ++i) {{", f"  {name}_x[i] = (rank * 31 + i * 7) % 101;", f"  {name}_y[i] = i % 5;",
                   f"  {name}_l[i] = ({rng.choice(['i', 'i * 5', 'i + rank'])}) % {size - 2};", "}",
                   f"if (n < 0) {name}_others({name}_x, {name}_y, {name}_b, {name}_l, rank, n);",
                   f"{name}({name}_x, {name}_y, {name}_b, {name}_l, rank, n);", r.sum(f"{name}_x", size), r.sum(f"{name}_y", size))]
