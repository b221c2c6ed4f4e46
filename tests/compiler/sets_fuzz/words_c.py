# SPDX-License-Identifier: Apache-2.0
"""A program in C or C++."""

SUPPORT = r'''
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, half_rank;
static unsigned seed, asked;
static MPI_Comm dup, half;
static FILE* out;

static int pick(unsigned site, unsigned n) {
  unsigned h = seed ^ (site * 2654435761u) ^ ((unsigned)(rank + 1) * 40503u + ++asked * 97u);
  h ^= h >> 15, h *= 2246822519u, h ^= h >> 13, h *= 3266489917u, h ^= h >> 16;
  return (int)(h % n);
}
static int same(unsigned site, unsigned n) {
  unsigned h = seed ^ (site * 2654435761u);
  ++asked;
  h ^= h >> 15, h *= 2246822519u, h ^= h >> 13, h *= 3266489917u, h ^= h >> 16;
  return (int)(h % n);
}
static void note(int meet, int mask, int good) { fprintf(out, "%d %d%s\n", meet, mask, good ? "" : " WRONG"); }
static int lowest(int mask) {
  int r = 0;
  while (!(mask >> r & 1)) ++r;
  return r;
}

#define FIND(comm) MPI_Allreduce(&mine, &mask, 1, MPI_INT, MPI_BOR, comm)
// Root `first` of the communicator is the lowest rank that is here.
#define MEET(id, comm, first, number)                                              \
  do {                                                                             \
    int mine = 1 << rank, mask = 0, good = 1;                                      \
    FIND(comm);                                                                    \
    if (id % 4 == 1) {                                                             \
      int told = rank, root = lowest(mask);                                        \
      MPI_Bcast(&told, 1, MPI_INT, first(root), comm);                             \
      good = told == root;                                                         \
    } else if (id % 4 == 2) {                                                      \
      int all[64], i;                                                              \
      for (i = 0; i < 64; ++i) all[i] = -1;                                        \
      MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);                     \
      for (i = 0; i < size; ++i)                                                   \
        if ((mask >> i & 1) && all[number(i)] != i) good = 0;                      \
    } else if (id % 4 == 3) {                                                      \
      int sum = 0, here = 0, i;                                                    \
      MPI_Barrier(comm);                                                           \
      for (i = 0; i <= rank; ++i) here += mask >> i & 1;                           \
      mine = 1;                                                                    \
      MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);                            \
      good = sum == here;                                                          \
    }                                                                              \
    note(id, mask, good);                                                          \
  } while (0)
#define AS_IS(r) (r)
#define HALVED(r) ((r) / 2)
'''

MAIN = r'''
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  out = fopen(name, "w");
  setvbuf(out, NULL, _IOLBF, 4096);
'''


def jumps(body):
    """Whether control may leave in the middle: a destructor is then a place where ways meet."""
    for s in body:
        if s[0] in ("break", "continue", "return", "leave"):
            return True
        inside = {"if": lambda: s[2] + s[3], "switch": lambda: [t for case in s[3] for t in case[1]],
                  "for": lambda: s[3], "while": lambda: s[3], "block": lambda: s[2]}.get(s[0], list)()
        if jumps(inside):
            return True
    return False


class Words:
    def __init__(self, plus, guards_everywhere=False):
        self.plus = plus
        self.everywhere = guards_everywhere
        self.lines = []
        self.variables = 0

    def text(self, cases):
        """`cases`: (number, seed, functions)."""
        self.lines = [SUPPORT]
        if self.plus:
            self.lines.append("static int ended;\nstruct Guard { ~Guard() { ++ended; } };")
        main = [MAIN]
        for number, seed, functions in cases:
            for f, body in enumerate(functions):
                self.prefix, self.f = f"c{number}_f", f
                self.lines.append(f"static void c{number}_f{f}(int depth) {{\n  (void)depth;")
                self.body(body, 1)
                self.lines.append("}")
            main.append(f'  seed = rank ? 0 : {seed}u;\n  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);\n'
                        f'  asked = 0;\n  fprintf(out, "case {number}\\n");\n  c{number}_f{len(functions) - 1}(0);')
        main.append("  fclose(out);\n  MPI_Finalize();\n  return 0;\n}\n")
        return "\n".join(self.lines + main)

    def ask(self, site, n):
        return f"{'same' if site[1] else 'pick'}({site[0]}, {n})"

    def body(self, body, depth):
        if self.plus and depth > 1 and len(body) > 1 and (self.everywhere or not jumps(body)):
            self.say(depth, "Guard guard;")
        for statement in body:
            self.statement(statement, depth)

    def say(self, depth, line):
        self.lines.append("  " * depth + line)

    def statement(self, s, depth):
        kind = s[0]
        if kind == "meet":
            comm = {"world": "MPI_COMM_WORLD, AS_IS, AS_IS", "dup": "dup, AS_IS, AS_IS",
                    "half": "half, HALVED, HALVED"}[s[2]]
            self.say(depth, f"MEET({s[1]}, {comm});")
        elif kind == "if":
            self.say(depth, f"if ({self.ask(s[1], 2)}) {{")
            self.body(s[2], depth + 1)
            if s[3]:
                self.say(depth, "} else {")
                self.body(s[3], depth + 1)
            self.say(depth, "}")
        elif kind == "switch":
            self.say(depth, f"switch ({self.ask(s[1], s[2])}) {{")
            for values, body, falls in s[3]:
                self.say(depth, " ".join(f"case {v}:" for v in values) + " {")
                self.body(body, depth + 1)
                self.say(depth, "}" if falls else "} break;")
            self.say(depth, "}")
        elif kind in ("for", "while"):
            self.variables += 1
            i, n = f"i{self.variables}", f"n{self.variables}"
            if kind == "for":
                self.say(depth, f"for (int {i} = 0, {n} = {self.ask(s[1], s[2] + 1)}; {i} < {n}; ++{i}) {{")
                self.body(s[3], depth + 1)
                self.say(depth, "}")
            else:
                self.say(depth, f"{{ int {i} = 0;\n" + "  " * depth + f"while ({i} < {self.ask(s[1], s[2] + 1)}) {{ ++{i};")
                self.body(s[3], depth + 1)
                self.say(depth, "} }")
        elif kind == "block":
            self.say(depth, "{")
            self.body(s[2], depth + 1)
            self.say(depth, f"}}\n{self.prefix}{self.f}_out{s[1]}:;")
        elif kind == "leave":
            self.say(depth, f"goto {self.prefix}{self.f}_out{s[1]};")
        elif kind == "call":
            self.say(depth, f"{self.prefix}{s[1]}(depth);")
        elif kind == "again":
            self.say(depth, f"if (depth < 2) if ({self.ask(s[1], 2)}) {self.prefix}{self.f}(depth + 1);")
        else:
            self.say(depth, kind + ";")
