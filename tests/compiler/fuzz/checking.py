# SPDX-License-Identifier: Apache-2.0
"""How programs look at the errors of their calls, and what error handlers they have."""
from tree import Node


def call(scene, line, often=0.4):
    """The lines of an MPI call whose error is looked at, or is not."""
    rng = scene.rng
    if rng.random() >= often:
        return [line]
    return scene.words.checked(scene, line)


def handlers(scene):
    """Some scenes have their errors returned, on one communicator or on all of them."""
    words, rng = scene.words, scene.rng
    how = rng.choice(["fatal"] * 4 + ["all", "world", "own"])
    if how == "fatal":
        return
    for comm in (["MPI_COMM_WORLD"] if how != "own" else []) + ([words.communicator(scene)] if how != "world" else []):
        scene.opening.append(words.mpi("Comm_set_errhandler", comm, "MPI_ERRORS_RETURN"))
    if how != "own":
        scene.releases.insert(0, words.mpi("Comm_set_errhandler", "MPI_COMM_WORLD", "MPI_ERRORS_ARE_FATAL"))


class Failing:
    """A communicator whose errors are returned, a message, and what a call says that fails."""

    def __init__(self, scene):
        self.scene, self.words, self.rng = scene, scene.words, scene.rng
        self.group = scene.program.group()
        self.count = self.rng.choice([8, 300, 2500])
        self.element = self.rng.choice(["int", "real"])
        self.out, self.into = (scene.buffer(self.element, self.count, aliases=False) for _ in range(2))
        self.kind = self.words.type_of(self.out)
        self.tag, self.number = scene.new_tag(), scene.program.number()
        self.wrong = scene.integer("wrong")
        self.comm = scene.new("bad")
        self.words.declare_communicator(scene, self.comm)
        # An MPI may ask the world's handler for what is said of a request.
        self.begin = [self.words.mpi("Comm_dup", "MPI_COMM_WORLD", self.words.out(self.comm)),
                      self.words.mpi("Comm_set_errhandler", self.comm, "MPI_ERRORS_RETURN"),
                      self.words.mpi("Comm_set_errhandler", "MPI_COMM_WORLD", "MPI_ERRORS_RETURN")]
        self.end = [self.words.mpi("Comm_set_errhandler", "MPI_COMM_WORLD", "MPI_ERRORS_ARE_FATAL"),
                    self.words.mpi("Comm_free", self.words.out(self.comm))]

    def node(self, *lines, **info):
        return Node([line for line in lines if line], group=self.group, **info)

    def fails(self, name, *arguments):
        """A call, and which class of error it gave."""
        words = self.words
        return self.node(words.mpi(name, *arguments, error="rc"), words.mpi("Error_class", "rc", words.out(self.wrong)),
                         words.note(self.number, self.wrong), role="errors")

    def work(self):
        """What a wait would like to cross, and a new life for a buffer that holds anything."""
        region = (self.into, 0, self.count)
        return [self.scene.fill(*region, group=self.group), self.scene.check(*region, group=self.group)]

    def around(self, body):
        return [self.node(*self.begin), *body, self.node(*self.end)]

    def parties(self, sender, receiver):
        words = self.words
        return words.branch("rank == 0", sender, [words.branch("rank == 1", receiver, group=self.group)], self.group)


def too_long(scene):
    """A message that is longer than the buffer which it is received into, in each way to receive."""
    f = Failing(scene)
    words, rng = f.words, f.rng
    short = f.count // 2
    address = scene.address(f.into, 0)
    source = [address, short, f.kind, 0, f.tag, f.comm]
    sending = [f.node(words.mpi("Send", scene.address(f.out, 0), f.count, f.kind, 1, f.tag, f.comm))]
    how = rng.choice(["Recv", "Recv", "Sendrecv", "Wait", "Waitall"])
    if how == "Recv":
        receiving = [f.fails("Recv", *source, words.ignored())]
    elif how == "Sendrecv":
        receiving = [f.fails("Sendrecv", scene.address(f.out, 0), f.count, f.kind, "MPI_PROC_NULL", f.tag, *source, words.ignored())]
    elif how == "Wait":
        request = scene.request()
        receiving = [f.node(words.mpi("Irecv", *source, words.out(request))), f.fails("Wait", words.out(request), words.ignored())]
    else:
        requests, statuses = scene.request(1), scene.status(1)
        receiving = [f.node(words.mpi("Irecv", *source, words.out(words.item(requests, words.literal_index(0))))),
                     f.fails("Waitall", 1, requests, statuses)]
        # Open MPI's Fortran gives no statuses where there is an error.
        if words.name != "fortran":
            receiving.append(
                f.node(words.mpi("Error_class", words.field(words.one_status(statuses, 0), "ERROR"), words.out(f.wrong)),
                       words.note(f.number, f.wrong)))
    return f.around([f.parties(sending, [*receiving, *f.work()])])


def refused(scene):
    """Arguments that MPI refuses; the program then goes on."""
    f = Failing(scene)
    words = f.words
    place = scene.address(f.into, 0)
    good = [f.count, f.kind, 0, f.tag, f.comm]
    for index, value in f.rng.choice([((0, -1),), ((2, "n + 5"),), ((3, -7),)]):
        good[index] = value
    how = f.rng.choice(["Send", "Ssend", "Recv", "Sendrecv"])
    if how == "Sendrecv":
        bad = f.fails("Sendrecv", scene.address(f.out, 0), *good[:4], place, f.count, f.kind, "MPI_PROC_NULL", f.tag, f.comm, words.ignored())
    else:
        bad = f.fails(how, place, *good, *([words.ignored()] if how == "Recv" else []))
    return f.around([bad, *f.work()])


ALL = [too_long, refused]
