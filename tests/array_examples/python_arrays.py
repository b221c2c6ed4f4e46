# SPDX-License-Identifier: Apache-2.0
"""The Python package on 4 processes: tasks of 3 and 1. Every check counts on all of them."""
import pathlib
import shutil
import sys
import tempfile

from mpi4py import MPI
import lapwing
import numpy as np

WORLD = MPI.COMM_WORLD
TASKS = lapwing.ArrayTasks.of_sizes(WORLD, [3, 1])
SENDER, RANK = TASKS.task == 0, TASKS.rank
N = 11


def values(array, rank=RANK, scale=1):
    """Every owned element is its index, ghosts are -1."""
    local = array.zeros(rank)
    local[...] = -1
    i, j = array.indices(rank)
    array.owned(local, rank)[...] = scale * (100 * i + j)
    return local


ROWS = lapwing.Distribution([lapwing.block(N), lapwing.collapsed(N)], "float32", grid=[TASKS.processes()])
CYCLIC = lapwing.Distribution([lapwing.collapsed(N).with_ghosts(1, 2), lapwing.cyclic(N, 2)], "float32",
                              grid=[TASKS.processes()], order="F")


def refused(code, words, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except lapwing.ArrayError as error:
        assert error.code == code, (error.code, str(error))
        assert all(word in str(error) for word in words), str(error)
    else:
        raise AssertionError(f"{words} was not refused")


def test_send_and_receive():
    local = values(ROWS) if SENDER else CYCLIC.zeros(RANK)
    if SENDER:
        TASKS.send(local, ROWS, 1, 7)
    else:
        status = TASKS.recv(local, CYCLIC)
        assert status == (0, 7, N * N), status
        assert (CYCLIC.owned(local, RANK) == CYCLIC.owned(values(CYCLIC), RANK)).all()
        assert (local[0] == 0).all() and (local[-2:] == 0).all(), "ghosts were written"


def test_requests():
    local = values(ROWS) if SENDER else CYCLIC.zeros(RANK)
    if SENDER:
        request = TASKS.send_init(local, ROWS, 1, 3)
    else:
        request = TASKS.recv_init(local, CYCLIC, 0, 3)
    for times in (1, 2, 3):
        if SENDER:
            local[...] = values(ROWS, scale=times)
        request.start()
        if not SENDER:
            request.wait_section([0, 0], [N, 2])
            assert request.test_section([0, 0], [N, 2])
            assert (CYCLIC.owned(local, RANK)[:, :2] == CYCLIC.owned(values(CYCLIC, scale=times), RANK)[:, :2]).all()
        request.wait()
        assert request.pending
        if not SENDER:
            assert (CYCLIC.owned(local, RANK) == CYCLIC.owned(values(CYCLIC, scale=times), RANK)).all()
    request.free()

    # Memory that only the request holds.
    if SENDER:
        request = TASKS.isend_many([(values(ROWS), ROWS), (values(ROWS, scale=2), ROWS)], 1, 4)
    else:
        two = CYCLIC.zeros(RANK), CYCLIC.zeros(RANK)
        request = TASKS.irecv_many([(one, CYCLIC) for one in two], 0, 4)
    while request.test() is None:
        pass
    assert not request.pending and request.wait().elements is not None
    if not SENDER:
        assert (CYCLIC.owned(two[1], RANK) == CYCLIC.owned(values(CYCLIC, scale=2), RANK)).all()


def test_buffered():
    if SENDER:
        lapwing.attach_buffer(bytearray(TASKS.pack_size(ROWS) + 4096))
        TASKS.bsend(values(ROWS), ROWS, 1, 5)
    else:
        local = CYCLIC.zeros(RANK)
        TASKS.recv(local, CYCLIC, 0, 5)
        assert (CYCLIC.owned(local, RANK) == CYCLIC.owned(values(CYCLIC), RANK)).all()
    if SENDER:
        lapwing.detach_buffer()


def test_transposition_and_conversion():
    whole = lapwing.ArrayTasks.of_sizes(WORLD, [WORLD.size])
    source = lapwing.Distribution([lapwing.block(6, 0), lapwing.block(9, 1)], "int16", grid=[2, 2])
    target = lapwing.Distribution([lapwing.cyclic(9, 2), lapwing.collapsed(6)], "complex128", grid=[3], ranks=[3, 1, 0])
    a, b = values(source, WORLD.rank), target.zeros(WORLD.rank)
    whole.redistribute(a, source, b, target.transposed().converting())
    i, j = target.indices(WORLD.rank)
    assert (b == 100 * j + i).all()
    # A strided part of the one into a strided part of the other.
    b[...] = 0
    part = target.section([0, 1], [3, 2], [4, 3], [1, 0]).converting()
    whole.iredistribute(a, source.section([1, 0], [2, 3], [3, 2]), b, part).wait()
    chosen = (i % 4 == 0) & (j % 3 == 1)
    assert (b == np.where(chosen, 100 * (1 + 3 * (j // 3)) + 2 * (i // 4), 0)).all()
    whole.free()


def test_checks_before_anything_moves():
    error = lapwing.ArrayError
    local = values(ROWS)
    refused(error.TYPE, ["float64", "float32"], TASKS.send, local.astype(float), ROWS, 1)
    refused(error.BUFFER, ["order 'C'"], TASKS.send, np.asfortranarray(np.zeros((5, 11), "float32")), ROWS, 1)
    refused(error.BUFFER, ["gaps"], TASKS.send, np.zeros(200, "float32")[::2], ROWS, 1)
    local.flags.writeable = False
    refused(error.BUFFER, ["read-only"], TASKS.recv, local, ROWS, 1)
    refused(error.GRID, ["4", "2"], lapwing.Distribution, [lapwing.block(4)], float, grid=[4], ranks=[0, 1])
    refused(error.ARGUMENT, ["9 integers"], lapwing.Distribution.from_scalapack, [1, 2], float, 1, 1)


def test_errors_at_both_tasks():
    """The shapes differ: both tasks get the sentence, and go on."""
    other = lapwing.Distribution([lapwing.collapsed(N), lapwing.collapsed(N + 1)], "float32", grid=[1])
    if SENDER:
        refused(lapwing.ArrayError.SHAPE, [str(N), str(N + 1)], TASKS.send, values(ROWS), ROWS, 1, 8)
    else:
        refused(lapwing.ArrayError.SHAPE, [str(N), str(N + 1)], TASKS.recv, other.zeros(0), other, 0, 8)
    test_send_and_receive()


def test_collectives():
    TASKS.barrier()
    mine, sums = np.full(3, TASKS.task + 1.0), np.zeros(3)
    TASKS.allreduce(mine, sums)
    assert (sums == 3).all(), sums
    root = np.full(2, TASKS.task + 5, "int32")
    TASKS.bcast(root, root=1)
    assert (root == 6).all(), root
    array = ROWS if SENDER else lapwing.Distribution([lapwing.collapsed(N), lapwing.cyclic(N, 3)], "float32", grid=[1])
    local, total = values(array), array.zeros(RANK)
    TASKS.allreduce(local, total, array=array)
    assert (total == 2 * local).all()
    total[...] = 0
    TASKS.reduce(local, total, MPI.MAX, root=1, array=array)
    assert SENDER or (total == local).all()
    assert TASKS.plan(array, root=0) == [(1, 0)]


def test_ghosts():
    """Of a 2-D array in blocks of rows, against the whole array: wrapped around in one dimension."""
    n = TASKS.processes()
    array = lapwing.Distribution([lapwing.block(N).with_ghosts(1, 2), lapwing.collapsed(N).with_ghosts(1, 0)], "float32",
                                 grid=[n])
    whole = np.add.outer(100 * np.arange(N), np.arange(N))
    rows = array.indices(RANK)[0].ravel()
    expected = np.full(array.local(RANK).allocation, -1, "float32")
    for at, row in enumerate(range(rows[0] - 1, rows[-1] + 3)):
        if 0 <= row < N:
            expected[at] = np.r_[whole[row, -1:], whole[row]]
    persistent = array.zeros(RANK)
    request = TASKS.update_ghosts_init(persistent, array, True, (False, True))
    for _ in range(2):
        local = values(array)
        TASKS.update_ghosts(local, array, periodic=[0, 1])
        assert (local == expected).all(), (local, expected)
        local = values(array)
        status = TASKS.iupdate_ghosts(local, array, periodic=[False, True]).wait()
        assert (local == expected).all() and status.elements == (expected >= 0).sum() - len(rows) * N
        persistent[...] = values(array)
        request.start()
        request.wait()
        assert (persistent == expected).all()
    request.free()
    # Without corners: the ghosts beside ghosts stay.
    local = values(array)
    TASKS.update_ghosts(local, array, corners=False, periodic=[False, True])
    assert local[0, 0] == -1 and (local[-2:, 0] == -1).all() and (local[1:-2, 0] == expected[1:-2, 0]).all()
    refused(lapwing.ArrayError.ARGUMENT, ["'periodic' has 1", "2 dimensions"], TASKS.update_ghosts, local, array, True, [1])
    refused(lapwing.ArrayError.ARGUMENT, ["section"], TASKS.update_ghosts, local, array.section([0, 0], [N, 2]))


def test_transforms():
    """C = alpha op(A) + beta C as NumPy has it on the whole matrices: bit for bit but for complex products, which it fuses."""
    n = TASKS.processes()
    ops = {"none": lambda a: a, "transpose": lambda a: a.T, "conjugate_transpose": lambda a: a.conj().T,
           "conjugate": lambda a: a.conj()}
    for dtype in ("float32", "float64", "complex64", "complex128"):
        parts = np.random.default_rng(3).standard_normal((4, N, N))
        scalars = np.array([1.75 - 0.5j, -0.25 + 2j]) if dtype.startswith("complex") else np.array([1.75, -0.25])
        wide = "complex128" if dtype.startswith("complex") else "float64"
        alpha, beta = scalars.astype(dtype)
        a, c = ((x + 1j * y if wide == "complex128" else x).astype(dtype) for x, y in (parts[:2], parts[2:]))
        source = lapwing.Distribution([lapwing.block(N), lapwing.collapsed(N)], dtype, grid=[n])
        destination = lapwing.Distribution([lapwing.collapsed(N), lapwing.cyclic(N, 2)], dtype, grid=[n], order="F")
        mine, here = source.indices(RANK), destination.indices(RANK)
        for op, of in ops.items():
            expected = np.asfortranarray((alpha * of(a) + beta * c)[here])
            for call in ("transform", "itransform", "transform_init"):
                local, into = np.ascontiguousarray(a[mine]), np.asfortranarray(c[here])
                request = getattr(TASKS, call)(local, source, into, destination, op, alpha, beta)
                if call == "transform_init":
                    request.start()
                if request is not None:
                    request.wait()
                near = {"complex64": 1e-5, "complex128": 1e-14}.get(dtype, 0)
                assert np.allclose(into, expected, near, near), (dtype, op, call, into, expected)
    local, into = source.zeros(RANK), destination.zeros(RANK)
    try:
        TASKS.transform(local, source, into, destination, op="turn")
    except ValueError as error:
        assert "conjugate_transpose" in str(error)
    else:
        raise AssertionError("an unknown op was not refused")
    real = lapwing.Distribution([lapwing.block(N)], float, grid=[n])
    refused(lapwing.ArrayError.ARGUMENT, ["alpha has the imaginary part 1"], TASKS.transform, real.zeros(RANK), real,
            real.zeros(RANK), real, alpha=1j)


def test_files():
    """NumPy reads the file, and back under another distribution; beside what else the file has."""
    folder = WORLD.bcast(tempfile.mkdtemp() if WORLD.rank == 0 else None)
    path = pathlib.Path(folder) / f"array-{TASKS.task}"
    whole = np.arange(N * N, dtype="float32").reshape(N, N)
    for order in "CF":
        rows = lapwing.Distribution([lapwing.block(N), lapwing.collapsed(N)], "float32", grid=[TASKS.processes()], order=order)
        columns = lapwing.Distribution([lapwing.collapsed(N), lapwing.cyclic(N, 2)], "float32", grid=[TASKS.processes()],
                                       order=order)
        local, back = (np.require(whole[rows.indices(RANK)], requirements=order), columns.zeros(RANK))
        TASKS.write(path, local, rows, offset=12)
        TASKS.read(path, back, columns, offset=12)
        assert (back == whole[columns.indices(RANK)]).all()
        if RANK == 0:
            found = np.fromfile(path, "float32", offset=12)
            assert (found.reshape(N, N, order=order) == whole).all()
        TASKS.comm.Barrier()
    refused(lapwing.ArrayError.FILE, ["has 496 bytes", "takes 484"], TASKS.read, path, back, columns, offset=16)
    refused(lapwing.ArrayError.FILE, ["cannot be opened for reading"], TASKS.read, folder + "/none", back, columns)
    WORLD.barrier()
    if WORLD.rank == 0:
        shutil.rmtree(folder)


def test_fourier_transforms():
    """Of slabs and of pencils, of some axes, between any two distributions: as NumPy has them of the whole array."""
    n = TASKS.processes()
    for shape, axes in (((6, 5), None), ((9, 2, 4), None), ((2, 2, 7), None), ((8, 3, 5), (1, -1)), ((12,), None), ((3, 1), (0,))):
        for dtype, near in (("complex64", 1e-4), ("complex128", 1e-12)):
            parts = np.random.default_rng(5).standard_normal((2, *shape))
            whole = (parts[0] + 1j * parts[1]).astype(dtype)
            rest = [lapwing.collapsed(extent) for extent in shape[1:]]
            source = lapwing.Distribution([lapwing.block(shape[0]).with_ghosts(1, 0), *rest], dtype, grid=[n])
            destination = lapwing.Distribution([lapwing.cyclic(shape[0], 2), *rest], dtype, grid=[n], order="F")
            a, b = source.zeros(RANK), destination.zeros(RANK)
            source.owned(a, RANK)[...] = whole[source.indices(RANK)] if a.size else 0
            plan = lapwing.FFT(TASKS, source, destination, axes)
            for norm in ("backward", "ortho"):
                plan.forward(a, b, norm)
                expected = np.fft.fftn(whole, axes=axes, norm=norm)
                mine = destination.owned(b, RANK)
                assert mine.size == 0 or np.allclose(mine, expected[destination.indices(RANK)], near, near), (shape, axes)
                back = source.zeros(RANK)
                plan.backward(b, back, norm)
                assert np.allclose(source.owned(back, RANK), source.owned(a, RANK), near, near), (shape, axes)
            plan.free()
    real = lapwing.Distribution([lapwing.block(N)], float, grid=[n])
    refused(lapwing.ArrayError.TYPE, ["not of float64"], lapwing.FFT, TASKS, real)
    shorter = lapwing.Distribution([lapwing.block(N)], complex, grid=[n])
    longer = lapwing.Distribution([lapwing.block(N + 1)], complex, grid=[n])
    refused(lapwing.ArrayError.SHAPE, ["(11,)", "(12,)"], lapwing.FFT, TASKS, shorter, longer)


def test_ghosts_are_added():
    array = lapwing.Distribution([lapwing.block(N).with_ghosts(1, 1)], float, grid=[TASKS.processes()])
    i, = array.indices(RANK)
    inside = (i == i[0]) * (i > 0) * 1 + (i == i[-1]) * (i < N - 1)
    request = None
    for call in ("add_ghosts", "iadd_ghosts", "add_ghosts_init"):
        local = array.zeros(RANK) + 1
        request = getattr(TASKS, call)(local, array)
        if request is not None:
            if call == "add_ghosts_init":
                request.start()
            assert request.wait().elements == inside.sum()
        assert (array.owned(local, RANK) == 1 + inside).all() and local[0] == 1 and local[-1] == 1, local
    request.free()
    request = TASKS.add_ghosts_init(local, array, corners=False, periodic=[True])
    local[...] = 1
    request.start()
    request.wait()
    assert (array.owned(local, RANK) == 1 + (i == i[0]) * 1 + (i == i[-1])).all(), local
    request.free()
    opaque = lapwing.Distribution([lapwing.block(N).with_ghosts(1, 1)], "V12", grid=[TASKS.processes()])
    refused(lapwing.ArrayError.ARGUMENT, ["cannot be added"], TASKS.add_ghosts, opaque.zeros(RANK), opaque)


def test_distarray():
    """To the dictionary and back, and the protocol's own example of padding."""
    comm = TASKS.comm
    dimensions = [lapwing.block(7), lapwing.collapsed(3)]
    local = lapwing.Distribution(dimensions, float, grid=[comm.size]).zeros(comm.rank)
    words = lapwing.to_distarray(local, dimensions, [comm.size], comm.rank)
    again, array = lapwing.from_distarray(words, comm)
    assert again is local or np.shares_memory(again, local) or local.size == 0
    assert array.shape == (7, 3) and array.local(comm.rank).shape == local.shape

    class Exporter:
        """18 elements over all processes of the task: one layer of the neighbours' at inner edges."""
        starts = [18 * p // comm.size for p in range(comm.size + 1)]

        def __distarray__(self):
            first, last = comm.rank == 0, comm.rank == comm.size - 1
            start, stop = self.starts[comm.rank:comm.rank + 2]
            layers = (not first) + (not last)
            return {"__version__": "0.10.0", "buffer": np.arange(stop - start + layers, dtype=float) + start - (not first),
                    "dim_data": ({"dist_type": "b", "size": 18, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank,
                                  "start": start, "stop": stop, "padding": (1, 1)},)}

    local, array = lapwing.from_distarray(Exporter(), comm)
    flat = lapwing.Distribution([lapwing.collapsed(18)], float, grid=[1])
    if SENDER:
        TASKS.send(local, array, 1, 9)
    else:
        whole = flat.zeros(0)
        TASKS.recv(whole, flat, 0, 9)
        assert (whole == np.arange(18)).all(), whole


def test_index_lists():
    processes = TASKS.processes()
    mine = np.arange(N)[::-1][RANK::processes]
    lists = TASKS.index_lists(N, mine)
    columns = lapwing.Distribution([lapwing.collapsed(N), lapwing.indexed(lists)], "float32", grid=[processes])
    del lists
    local = values(columns)
    assert (columns.indices(RANK)[1].reshape(-1) == mine).all()
    rows = ROWS.zeros(RANK)
    TASKS.redistribute(local, columns, rows, ROWS)
    assert (rows == values(ROWS)).all()
    if SENDER:
        TASKS.send(rows, ROWS, 1, 12)
    else:
        local[...] = 0
        TASKS.recv(local, columns, 0, 12)
        assert (local == values(columns)).all()
    # A halo: the same indices everywhere, others nowhere.
    halo = lapwing.Distribution([lapwing.collapsed(N), lapwing.indexed(TASKS.index_lists(N, [7, 2]))], "float32",
                                grid=[processes])
    copies = halo.zeros(RANK)
    TASKS.redistribute(rows, ROWS, copies, halo)
    assert (copies == values(halo)).all()
    refused(lapwing.ArrayError.ARGUMENT, ["dimension 1", "index 0", "no list"] if processes == 1 else ["index 2", "ranks 0 and 1"],
            TASKS.redistribute, copies, halo, rows, ROWS)
    refused(lapwing.ArrayError.ARGUMENT, ["rank 0", "position 2", "is 11"], TASKS.index_lists, N, [0, 1, N])
    try:
        TASKS.index_lists(N, [0.5])
        raise AssertionError("a fraction was taken as an index")
    except TypeError:
        pass


def test_pictures_of_the_documentation():
    """docs/arrays.md shows what the library draws."""
    rows = lapwing.Distribution([lapwing.block(8), lapwing.collapsed(8)], "float32", grid=[4])
    columns = lapwing.Distribution([lapwing.collapsed(8), lapwing.block(8)], "float32", grid=[2])
    docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
    assert lapwing.schedule(rows, columns, 0, "svg") == (docs / "arrays-schedule.svg").read_text()
    assert lapwing.schedule(rows, columns, 0, "ascii").rstrip("\n") in (docs / "arrays.md").read_text()
    assert lapwing.schedule(rows, columns, 0)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
            WORLD.barrier()
    TASKS.free()
    if WORLD.rank == 0:
        print("all tests passed")


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        import traceback
        traceback.print_exc()
        sys.stderr.flush()
        WORLD.Abort(1)
