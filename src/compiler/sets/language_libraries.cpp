// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/language_libraries.hpp"

#include <llvm/ADT/StringSet.h>

#include "compiler/sets/collective_calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

bool is_one_of(const llvm::StringSet<>& names, StringRef symbol) { return names.contains(symbol); }

// Functions that LLVM's own list does not have.
const llvm::StringSet<>& others() {
  static const llvm::StringSet<> names = {
      // memory, strings, numbers
      "reallocarray", "posix_memalign", "aligned_alloc", "memalign", "valloc", "free", "strtok_r", "strsep",
      "strerror", "strerror_r", "strsignal", "strcasestr", "strchrnul", "strcoll", "strtold", "strtof",
      "drand48", "erand48", "lrand48", "nrand48", "mrand48", "srand48", "seed48", "rand", "srand", "rand_r",
      "random", "srandom", "initstate", "setstate", "random_r", "srandom_r", "div", "ldiv", "lldiv",
      "imaxabs", "nan", "nanf", "lgamma_r", "sincos", "sincosf", "feclearexcept", "fetestexcept",
      "fesetround", "fegetround", "feenableexcept", "bcmp", "swab", "getline", "getdelim",
      // input and output
      "fdopen", "freopen", "setvbuf", "setbuf", "setlinebuf", "fgetpos", "fsetpos", "fseeko", "ftello",
      "fileno", "tmpfile", "mkstemp", "dprintf", "vdprintf", "asprintf", "vasprintf", "vfprintf", "vprintf",
      "vsprintf", "vsnprintf", "vscanf", "vsscanf", "vfscanf", "fputc_unlocked", "putc", "perror", "open",
      "close", "creat", "lseek", "pread", "pwrite", "fsync", "fdatasync", "dup", "dup2", "pipe", "ioctl",
      "fcntl", "poll", "truncate", "ftruncate", "mmap", "munmap", "mprotect", "msync", "madvise", "getcwd",
      "chdir", "mkdirat", "readdir", "fputs_unlocked", "fwrite_unlocked", "fgets_unlocked",
      // time, environment, system
      "time", "clock", "clock_gettime", "clock_getres", "gettimeofday", "times", "localtime", "localtime_r",
      "gmtime", "gmtime_r", "mktime", "strftime", "ctime", "ctime_r", "asctime", "difftime", "nanosleep",
      "usleep", "sleep", "sched_yield", "sched_getcpu", "alarm", "getpid", "getppid", "gettid", "getuid",
      "gethostname", "uname", "sysconf", "getpagesize", "getrusage", "setenv", "putenv", "unsetenv", "getopt",
      "getopt_long", "getopt_long_only", "setlocale", "localeconv", "secure_getenv", "isatty", "kill",
      "raise", "signal", "sigaction", "sigemptyset", "sigaddset", "sigprocmask", "getpriority",
      "sched_setaffinity", "sched_getaffinity", "backtrace", "backtrace_symbols_fd", "backtrace_symbols",
      "mallinfo", "mallopt", "malloc_trim", "fesetenv", "feholdexcept",
      // what calls back: only with a function that is known to communicate
      "qsort_r", "bsearch", "atexit", "on_exit", "at_quick_exit", "pthread_create", "pthread_once",
      // threads
      "pthread_join", "pthread_detach", "pthread_self", "pthread_equal", "pthread_yield",
      "pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock",
      "pthread_mutex_unlock", "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait",
      "pthread_cond_timedwait", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_attr_init",
      "pthread_attr_destroy", "pthread_attr_setdetachstate", "pthread_barrier_init", "pthread_barrier_wait",
      "pthread_barrier_destroy", "pthread_key_create", "pthread_getspecific", "pthread_setspecific",
      "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_setaffinity_np",
      "sem_init", "sem_wait", "sem_post", "sem_destroy",
      // Fortran's extensions as flang calls them
      "flush_", "getpid_", "sleep_", "second_", "etime_", "dtime_", "iargc_", "getarg_"};
  return names;
}

const llvm::StringSet<>& endings() {
  static const llvm::StringSet<> names = {"exit",
                                          "_exit",
                                          "_Exit",
                                          "quick_exit",
                                          "abort",
                                          "__assert_fail",
                                          "__assert",
                                          "longjmp",
                                          "_longjmp",
                                          "siglongjmp",
                                          "__cxa_throw",
                                          "__cxa_rethrow",
                                          "__cxa_bad_cast",
                                          "_ZSt9terminatev",
                                          "_ZSt10unexpectedv",
                                          "_FortranAExit",
                                          "_FortranAStopStatement",
                                          "_FortranAStopStatementText",
                                          "_FortranAFailImageStatement",
                                          "_FortranAAbort",
                                          "_FortranAProgramEndStatement",
                                          "exit_",
                                          "abort_",
                                          "__cxa_throw_bad_array_new_length"};
  return names;
}

}  // namespace

bool is_of_cxx_library(StringRef symbol) {
  for (StringRef prefix : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZNS", "_ZNKS", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx",
                           "_ZN10__cxxabiv", "_ZTv", "_ZGVNSt"})
    if (symbol.starts_with(prefix)) return true;
  return false;
}

bool calls_any_function(StringRef symbol) {
  return symbol.starts_with("_ZNKSt8functionI") || symbol.starts_with("_ZSt13__invoke_impl");
}

namespace {

// The calls of include/lapwing/sets.h that wait for the votes, as a collective does, or divide the set
// further.
bool asks_for_set(StringRef name) {
  for (StringRef prefix : {"lapwing_set_", "lapwing_split_", "lapwing_merge_", "lapwing_on_set"})
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

bool is_library_function(const llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  const StringRef name = function.getName();
  if (function.isIntrinsic()) return true;
  llvm::LibFunc known;
  if (library.getLibFunc(function, known)) return true;
  // The reserved names: fortified and versioned forms, flang's runtime, OpenMP's, the C++ ABI, and ours.
  for (StringRef prefix : {"__", "_Fortran", "_Zn", "_Zd", "omp_"})
    if (name.starts_with(prefix)) return true;
  if (name.starts_with("lapwing_")) return !asks_for_set(name);
  return is_of_cxx_library(name) || is_one_of(others(), name) || is_one_of(endings(), name);
}

bool gives_equal_results(StringRef symbol) {
  static const llvm::StringSet<> names = {
      "acos",  "acosh", "asin",    "asinh",     "atan",    "atan2",   "atanh",   "cbrt",   "ceil", "copysign",
      "cos",   "cosh",  "erf",     "erfc",      "exp",     "exp2",    "exp10",   "expm1",  "fabs", "fdim",
      "floor", "fma",   "fmax",    "fmin",      "fmod",    "hypot",   "ldexp",   "lgamma", "log",  "log10",
      "log1p", "log2",  "logb",    "nearbyint", "pow",     "powi",    "rint",    "round",  "sin",  "sinh",
      "sqrt",  "tan",   "tanh",    "tgamma",    "trunc",   "lround",  "llround", "lrint",  "abs",  "labs",
      "llabs", "ffs",   "isdigit", "isalpha",   "toupper", "tolower", "isascii", "toascii"};
  StringRef name = symbol;
  if (names.contains(name)) return true;
  if ((name.consume_back("f") || name.consume_back("l")) && names.contains(name)) return true;
  if (!name.consume_front("_FortranA")) return false;
  for (StringRef stem :
       {"FPow", "Mod", "Exponent", "Fraction", "Nearest", "RRSpacing", "Scale", "SetExponent", "Spacing",
        "Erfc", "zpowi", "cpowi", "Ceiling", "Floor", "Nint", "Selected"})
    if (name.starts_with(stem)) return true;
  return false;
}

bool ends_program(StringRef symbol) {
  return is_one_of(endings(), symbol) || routine_name(symbol) == "abort";
}

bool keeps_no_address(StringRef symbol) {
  static const llvm::StringSet<> names = {"printf",
                                          "fprintf",
                                          "sprintf",
                                          "snprintf",
                                          "puts",
                                          "putchar",
                                          "fputs",
                                          "fputc",
                                          "fflush",
                                          "scanf",
                                          "fscanf",
                                          "sscanf",
                                          "__isoc99_scanf",
                                          "__isoc99_fscanf",
                                          "__isoc99_sscanf",
                                          "__isoc23_scanf",
                                          "__isoc23_fscanf",
                                          "__isoc23_sscanf",
                                          "fgets",
                                          "fread",
                                          "fwrite",
                                          "getline",
                                          "strlen",
                                          "strcmp",
                                          "strncmp",
                                          "memcmp",
                                          "atoi",
                                          "atol",
                                          "atof",
                                          "strcpy",
                                          "strncpy",
                                          "strcat",
                                          "memcpy",
                                          "memmove",
                                          "memset",
                                          "free",
                                          "time",
                                          "clock_gettime",
                                          "gettimeofday",
                                          "perror",
                                          "fclose",
                                          "fopen",
                                          "exit",
                                          "usleep",
                                          "sleep",
                                          "nanosleep",
                                          "srand",
                                          "rand",
                                          "srand48",
                                          "drand48",
                                          "random",
                                          "srandom",
                                          "malloc",
                                          "calloc",
                                          "gethostname",
                                          "getpid",
                                          "clock",
                                          "rand_r",
                                          "frexp",
                                          "modf",
                                          "sincos",
                                          "vfprintf",
                                          "vprintf",
                                          "__printf_chk",
                                          "__fprintf_chk",
                                          "abort",
                                          "_ZNSolsEi",
                                          "_ZNSolsEd",
                                          "_ZNSo5flushEv"};
  return names.contains(symbol) || gives_equal_results(symbol);
}

}  // namespace lapwing::compiler
