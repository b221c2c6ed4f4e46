#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an autoconf configure asks of its compilers, without autoconf: it ends
# with "configured", or with what was not as it should be.
# Usage: CC=... CXX=... FC=... sh like_configure.sh, in an empty folder.

fail() {
  echo "configure: $*"
  exit 1
}

# No output on stderr counts as no warning; -Werror tests stand on that.
quiet() {
  "$@" 2>err || { cat err; fail "does not work: $*"; }
  [ ! -s err ] || { cat err; fail "is not silent: $*"; }
}

check() {
  compiler=$1 ext=$2
  # "for the default output file name": a.out and nothing else.
  rm -f a.out conftest*
  cp "source.$ext" "conftest.$ext"
  quiet "$compiler" "conftest.$ext"
  [ -x a.out ] || fail "$compiler makes no a.out"
  ./a.out >/dev/null || fail "what $compiler makes does not run"
  # "for suffix of object files"
  quiet "$compiler" -c "conftest.$ext"
  [ -f conftest.o ] || fail "$compiler makes no conftest.o"
  # "whether it accepts -g", and -c with -o
  quiet "$compiler" -g -O2 -c "conftest.$ext" -o conftest2.o
  [ -f conftest2.o ] || fail "$compiler does not take -c with -o"
  # "for a link that must fail"
  if "$compiler" -o conftest "conftest.$ext" -lno_such_library 2>/dev/null; then
    fail "$compiler links with a library that is not there"
  fi
  # "checking for version": whether these fail does not matter, that they end does.
  for flag in --version -v -V -qversion -version; do
    "$compiler" $flag >/dev/null 2>&1
  done
  "$compiler" --version >/dev/null 2>&1 || fail "$compiler does not say its version"
  # "verbose linking output", of which the libraries are read
  "$compiler" -v -o conftest "conftest.$ext" 2>&1 | grep -q -- "-lmpi" || fail "$compiler -v shows no libraries"
}

printf '#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >source.c
cp source.c source.cpp
printf "      program main\n      include 'mpif.h'\n      integer e\n      call mpi_init(e)\n" >source.f
printf "      call mpi_finalize(e)\n      end\n" >>source.f
check "$CC" c
check "$CXX" cpp
check "$FC" f

# "how to run the C preprocessor", "for mpi.h", "for a header that is not there"
echo '#include <mpi.h>' >conftest.c
quiet "$CC" -E conftest.c >conftest.i
grep -q MPI_Send conftest.i || fail "the preprocessor does not find mpi.h"
echo '#include <no_such_header.h>' >conftest.c
if "$CC" -E conftest.c >/dev/null 2>&1; then fail "the preprocessor finds what is not there"; fi

# "whether C and Fortran go together"
printf 'void from_c_(void) {}\n' >conftest_c.c
printf '      program main\n      call from_c\n      end\n' >conftest_f.f
quiet "$CC" -O2 -c conftest_c.c
quiet "$FC" -O2 -o conftest conftest_f.f conftest_c.o
./conftest || fail "a program of both languages does not run"
echo configured
