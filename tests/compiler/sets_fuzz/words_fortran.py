# SPDX-License-Identifier: Apache-2.0
"""A program in Fortran; the cases are internal procedures, and see the host's variables."""

MAIN = '''program sets
  use mpi
  implicit none
  integer :: rank, ranks, error, dup, half, unit, seed, key
  integer(8) :: asked
  character(len=4096) :: name
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call mpi_comm_dup(mpi_comm_world, dup, error)
  key = mod(rank, 2)
  call mpi_comm_split(mpi_comm_world, key, rank, half, error)
  call get_command_argument(1, name)
  write(name, '(a, a, i0)') trim(name), '.', rank
  open(newunit=unit, file=trim(name), action='write')
'''

SUPPORT = '''
  integer function mixed(start, n)
    integer(8), intent(in) :: start
    integer, intent(in) :: n
    integer(8), parameter :: low = int(z'FFFFFFFF', 8)
    integer(8) :: h
    h = iand(start, low)
    h = ieor(h, ishft(h, -15))
    h = iand(h * 2246822519_8, low)
    h = ieor(h, ishft(h, -13))
    h = iand(h * 3266489917_8, low)
    h = ieor(h, ishft(h, -16))
    mixed = int(mod(h, int(n, 8)))
  end function
  integer function pick(site, n)
    integer, intent(in) :: site, n
    asked = asked + 1
    pick = mixed(ieor(ieor(int(seed, 8), site * 2654435761_8), (rank + 1) * 40503_8 + asked * 97_8), n)
  end function
  integer function same(site, n)
    integer, intent(in) :: site, n
    asked = asked + 1
    same = mixed(ieor(int(seed, 8), site * 2654435761_8), n)
  end function
  subroutine note(meet, mask, good)
    integer, intent(in) :: meet, mask
    logical, intent(in) :: good
    if (good) then
      write(unit, '(i0, 1x, i0)') meet, mask
    else
      write(unit, '(i0, 1x, i0, a)') meet, mask, ' WRONG'
    end if
  end subroutine
'''


class Words:
    def text(self, cases):
        self.lines, main = [SUPPORT], [MAIN]
        for number, seed, functions in cases:
            for f, body in enumerate(functions):
                self.prefix, self.f, self.variables = f"c{number}_f", f, 0
                keep, self.lines = self.lines, []
                self.body(body, 2)
                text, self.lines = self.lines, keep
                counters = "".join(f", i{v}, n{v}" for v in range(1, self.variables + 1))
                self.lines += [f"  recursive subroutine c{number}_f{f}(depth)", "    integer, intent(in) :: depth",
                               f"    integer :: mine, mask, told, root{counters}", "    logical :: good",
                               "    integer :: all(64)", *text, "  end subroutine"]
            main.append(f"  seed = 0\n  if (rank == 0) seed = {seed}\n"
                        f"  call mpi_bcast(seed, 1, mpi_integer, 0, mpi_comm_world, error)\n"
                        f"  asked = 0\n  write(unit, '(a)') 'case {number}'\n  call c{number}_f{len(functions) - 1}(0)")
        main.append("  close(unit)\n  call mpi_finalize(error)\ncontains")
        return "\n".join(main + self.lines + ["end program", ""])

    def ask(self, site, n):
        return f"{'same' if site[1] else 'pick'}({site[0]}, {n})"

    def body(self, body, depth):
        for statement in body:
            self.statement(statement, depth)

    def say(self, depth, line):
        self.lines.append("  " * depth + line)

    def meet(self, s, depth):
        comm = {"world": "mpi_comm_world", "dup": "dup", "half": "half"}[s[2]]
        self.say(depth, "mine = ishft(1, rank); good = .true.")
        self.say(depth, f"call mpi_allreduce(mine, mask, 1, mpi_integer, mpi_bor, {comm}, error)")
        if s[1] % 4 == 1:
            root = "trailz(mask) / 2" if s[2] == "half" else "trailz(mask)"
            self.say(depth, f"told = rank; root = {root}")
            self.say(depth, f"call mpi_bcast(told, 1, mpi_integer, root, {comm}, error)")
            self.say(depth, "good = told == trailz(mask)")
        elif s[1] % 4 == 2:
            index = "rank / 2 + 1" if s[2] == "half" else "rank + 1"
            self.say(depth, "all = -1")
            self.say(depth, f"call mpi_allgather(rank, 1, mpi_integer, all, 1, mpi_integer, {comm}, error)")
            self.say(depth, f"good = all({index}) == rank .and. count(all >= 0) == popcnt(mask)")
        elif s[1] % 4 == 3:
            self.say(depth, f"call mpi_barrier({comm}, error)")
        self.say(depth, f"call note({s[1]}, mask, good)")

    def statement(self, s, depth):
        kind = s[0]
        if kind == "meet":
            self.meet(s, depth)
        elif kind == "if":
            self.say(depth, f"if ({self.ask(s[1], 2)} == 1) then")
            self.body(s[2], depth + 1)
            if s[3]:
                self.say(depth, "else")
                self.body(s[3], depth + 1)
            self.say(depth, "end if")
        elif kind == "switch":
            self.say(depth, f"select case ({self.ask(s[1], s[2])})")
            for values, body, _ in s[3]:
                self.say(depth, f"case ({', '.join(map(str, values))})")
                self.body(body, depth + 1)
            self.say(depth, "end select")
        elif kind in ("for", "while"):
            self.variables += 1
            i, n = f"i{self.variables}", f"n{self.variables}"
            if kind == "for":
                self.say(depth, f"{n} = {self.ask(s[1], s[2] + 1)}")
                self.say(depth, f"do {i} = 1, {n}")
            else:
                self.say(depth, f"{i} = 0")
                self.say(depth, f"do while ({i} < {self.ask(s[1], s[2] + 1)})")
                self.say(depth + 1, f"{i} = {i} + 1")
            self.body(s[3], depth + 1)
            self.say(depth, "end do")
        elif kind == "block":
            self.body(s[2], depth)
            self.lines.append(f"{1000 + s[1]} continue")
        elif kind == "leave":
            self.say(depth, f"go to {1000 + s[1]}")
        elif kind == "call":
            self.say(depth, f"call {self.prefix}{s[1]}(depth)")
        elif kind == "again":
            self.say(depth, "if (depth < 2) then")
            self.say(depth + 1, f"if ({self.ask(s[1], 2)} == 1) call {self.prefix}{self.f}(depth + 1)")
            self.say(depth, "end if")
        else:
            self.say(depth, {"break": "exit", "continue": "cycle", "return": "return"}[kind])
