# SPDX-License-Identifier: Apache-2.0
"""Rounds over two buffers that change places: what one round receives goes where the round before
sent from. Some rank is late in some rounds, so that its neighbour's send is still under way then."""


def _plan(r):
    """What a round does, as choices that both languages share."""
    rng = r.rng
    return {"rounds": rng.randint(2, 6), "late": rng.randint(0, 2), "turns": rng.choice([40, 400, 1500]),
            "before": rng.random() < 0.7, "between": rng.random() < 0.4, "behind": rng.random() < 0.5,
            "how": rng.choice(["sendrecv", "sendrecv", "parity", "wait", "waitall"]),
            "use": rng.choice(["read", "read", "write", "one", "nothing"])}


def exchanged(scene):
    """Pointers to memory of its own, in a function whose other arguments may be `restrict`."""
    from special_c import Ring
    r = Ring(scene)
    plan, rng = _plan(r), r.rng
    name = scene.new("rounds")
    t = r.type
    restrict = " __restrict" if rng.random() < 0.6 else ""
    work = ["    for (turn = 0; turn < turns; ++turn)", "      for (i = 1; i < 500; ++i) w[i] = w[i] / 2 + w[i - 1] / 4 + 1;"]
    tail = f"{r.tag}, MPI_COMM_WORLD"
    send = f"    MPI_Send(now, {r.count}, {r.kind}, {r.right}, {tail});"
    take = f"    MPI_Recv(next, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE);"
    post = f"    MPI_Irecv(next, {r.count}, {r.kind}, {r.left}, {tail}, &q[0]);"
    if plan["how"] == "sendrecv":
        talk = [f"    MPI_Sendrecv(now, {r.count}, {r.kind}, {r.right}, {r.tag}, next, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE);"]
    elif plan["how"] == "parity":
        talk = ["    if (rank % 2) {", take, send, "    } else {", send, take, "    }"]
    elif plan["how"] == "wait":
        talk = [post, send, *(work if plan["between"] else []), "    MPI_Wait(&q[0], MPI_STATUS_IGNORE);"]
    else:
        talk = [post, f"    MPI_Isend(now, {r.count}, {r.kind}, {r.right}, {tail}, &q[1]);", *(work if plan["between"] else []),
                "    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);"]
    use = {"read": [f"    for (i = 0; i < {r.count}; ++i) s += next[i];"], "one": [f"    s += next[{r.count - 1}];"],
           "write": [f"    for (i = 0; i < {r.count}; i += 3) next[i] += k;"], "nothing": []}[plan["use"]]
    scene.program.globals.append("\n".join([
        f"static {t} {name}(int rank, int n, {t}*{restrict} w, {t}*{restrict} sums) {{", f"  {t}* now = ({t}*)malloc({r.count} * sizeof({t}));",
        f"  {t}* next = ({t}*)malloc({r.count} * sizeof({t}));", f"  {t} *other, s = 0;", "  MPI_Request q[2];", "  int i, k, turn, turns;",
        f"  for (i = 0; i < {r.count}; ++i) {{", "    now[i] = rank * 1000 + i % 97;", "    next[i] = -1;", "  }",
        f"  for (k = 0; k < {plan['rounds']}; ++k) {{", f"    turns = rank == {plan['late']} && k % 2 ? {plan['turns']} : 2;",
        *(work if plan["before"] else []), *talk, *(work if plan["behind"] else []), *use, "    sums[k] = s;",
        "    other = now;", "    now = next;", "    next = other;", "  }",
        f"  for (i = 0; i < {r.count}; ++i) s += now[i] - next[i] / 2;", "  free(now);", "  free(next);", "  (void)q;", "  (void)turn;",
        "  (void)turns;", "  (void)w;", "  return s;", "}"]))
    scene.declare(f"static {t} {name}_w[500], {name}_s[8];")
    return [r.node(f"{name}_s[7] = {name}(rank, n, {name}_w, {name}_s);", r.sum(f"{name}_s", 8), r.sum(f"{name}_w", 500))]


def exchanged_pointers(scene):
    """By pointers, by halves of one array, or by MOVE_ALLOC between allocatables of the module, where a
    pointer may still lead to what has been handed on."""
    from special_fortran import Ring
    r = Ring(scene)
    plan, rng = _plan(r), r.rng
    name = scene.new("rounds")
    by = rng.choice(["pointers", "halves", "move_alloc"])
    now, following = ("pair(1, m)", "pair(1, 3 - m)") if by == "halves" else (f"{name}_now", f"{name}_next") if by == "move_alloc" else ("now", "next")
    element = (lambda where, index: where.replace("(1,", f"({index},")) if by == "halves" else (lambda where, index: f"{where}({index})")
    work = ["    do turn = 1, turns", "      do i = 2, 500", "        w(i) = w(i)/2 + w(i - 1)/4 + 1", "      end do", "    end do"]
    tail = f"{r.tag}, MPI_COMM_WORLD"
    send = f"    call MPI_Send({element(now, 1)}, {r.count}, {r.kind}, {r.right}, {tail}, ierr)"
    take = f"    call MPI_Recv({element(following, 1)}, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE, ierr)"
    post = f"    call MPI_Irecv({element(following, 1)}, {r.count}, {r.kind}, {r.left}, {tail}, q(1), ierr)"
    if plan["how"] == "sendrecv":
        talk = [f"    call MPI_Sendrecv({element(now, 1)}, {r.count}, {r.kind}, {r.right}, {r.tag}, &",
                f"      {element(following, 1)}, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE, ierr)"]
    elif plan["how"] == "parity":
        talk = ["    if (mod(rank, 2) == 1) then", take, send, "    else", send, take, "    end if"]
    elif plan["how"] == "wait":
        talk = [post, send, *(work if plan["between"] else []), "    call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)"]
    else:
        talk = [post, f"    call MPI_Isend({element(now, 1)}, {r.count}, {r.kind}, {r.right}, {tail}, q(2), ierr)", *(work if plan["between"] else []),
                "    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)"]
    stale = by == "move_alloc" and rng.random() < 0.6
    seen = "stale" if stale else following
    loop = [f"    do i = 1, {r.count}", "      s = s + " + element(seen, "i"), "    end do"]
    use = {"read": loop, "one": [f"    s = s + {element(seen, r.count)}"], "nothing": [],
           "write": [f"    do i = 1, {r.count}, 3", f"      {element(seen, 'i')} = {element(seen, 'i')} + k", "    end do"]}[plan["use"]]
    declared, made, turned = {
        "pointers": ([f"  {r.type}, pointer, contiguous :: now(:), next(:), other(:)"], [f"  allocate(now({r.count}), next({r.count}))"],
                     ["    other => now", "    now => next", "    next => other"]),
        "halves": ([f"  {r.type}, allocatable :: pair(:, :)"], [f"  allocate(pair({r.count}, 2))"], ["    m = 3 - m"]),
        "move_alloc": ([f"  {r.type}, allocatable, target :: other(:)"], [f"  allocate({name}_now({r.count}), {name}_next({r.count}))"],
                       [f"    call move_alloc({now}, other)", f"    call move_alloc({following}, {now})", f"    call move_alloc(other, {following})"])}[by]
    if stale:
        declared.append(f"  {r.type}, pointer, contiguous :: stale(:)")
        made.append(f"  stale => {following}")
        turned.insert(0, f"    stale => {now}")
    gone = {"pointers": "  deallocate(now, next)", "halves": "  deallocate(pair)", "move_alloc": f"  deallocate({now}, {following})"}[by]
    if by == "move_alloc":
        scene.program.globals.append(f"{r.type}, allocatable, target :: {name}_now(:), {name}_next(:)")
    scene.program.prototypes.append("\n".join([
        f"subroutine {name}(rank, n, w, sums)", "  use fz_data", "  implicit none", "  include 'mpif.h'", "  integer :: rank, n, i, k, turn, turns, m, ierr, q(2)",
        f"  {r.type} :: w(500), sums(8), s", *declared, *made, "  s = 0", "  m = 1", "  w = 0", "  sums = 0", f"  do i = 1, {r.count}",
        f"    {element(now, 'i')} = rank*1000 + mod(i, 97)", f"    {element(following, 'i')} = -1", "  end do", f"  do k = 1, {plan['rounds']}",
        "    turns = 2", f"    if (rank == {plan['late']} .and. mod(k, 2) == 0) turns = {plan['turns']}",
        *(work if plan["before"] else []), *talk, *(work if plan["behind"] else []), *use, "    sums(k) = s", *turned, "  end do",
        f"  do i = 1, {r.count}", f"    s = s + {element(now, 'i')} - {element(following, 'i')}/2", "  end do", "  sums(8) = s", gone, "end subroutine"]))
    scene.declare(f"{r.type} :: {name}_w(500), {name}_s(8)")
    return [r.node(f"call {name}(rank, n, {name}_w, {name}_s)", r.sum(f"{name}_s(1)", 8), r.sum(f"{name}_w(1)", 500))]
