// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "cli/elf.hpp"
#include "cli/libraries.hpp"
#include "cli/paths.hpp"
#include "cli/process.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

const char* name_of(Mpi mpi) {
  switch (mpi) {
    case Mpi::mpich:
      return "MPICH";
    case Mpi::openmpi:
      return "Open MPI";
    case Mpi::other:
      return "another MPI";
    case Mpi::none:
      return "no MPI";
    case Mpi::unknown:
      break;
  }
  return "an unknown MPI";
}

const char* flavour_of(Mpi mpi) { return mpi == Mpi::mpich ? "mpich" : mpi == Mpi::openmpi ? "openmpi" : ""; }

namespace {

bool starts_script(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char start[2] = {};
  file.read(start, 2);
  return start[0] == '#' && start[1] == '!';
}

bool is_python(const std::string& name) { return name.starts_with("python") || name.starts_with("pypy"); }

bool is_interpreter(const std::string& name) {
  static constexpr std::array kNames{"julia",  "perl", "ruby", "Rscript", "R",
                                     "octave", "java", "node", "lua"};
  return is_python(name) || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_shell(const std::string& name) {
  static constexpr std::array kNames{"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "busybox"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// By the name of a library: MPI libraries have kept their names for years.
Mpi mpi_of_library(const Library& library) {
  const std::string_view name = library.name;
  if (name.starts_with("libmpich.so") || name.starts_with("libmpich-")) return Mpi::mpich;
  if (name.starts_with("libmpi.so.12")) {
    // The name of the ABI that MPICH shares with Intel MPI and MVAPICH.
    std::error_code failed;
    const fs::path real = fs::canonical(library.path, failed);
    return !failed && real.filename().string().starts_with("libmpich.so") ? Mpi::mpich : Mpi::other;
  }
  if (name.starts_with("libmpi.so.") || name.starts_with("libmpi.so")) return Mpi::openmpi;
  if (name.starts_with("libmpi_abi.so") || name.starts_with("libmpi_cray") || name.starts_with("libmpt.so")) {
    return Mpi::other;
  }
  return Mpi::unknown;
}

void read_libraries(const fs::path& file, Program& program) {
  for (const Library& library : libraries_of(file)) {
    const Mpi mpi = mpi_of_library(library);
    if (mpi != Mpi::unknown && program.mpi_library.empty()) {
      program.mpi = mpi;
      program.mpi_library = library.path.empty() ? library.name : library.path.string();
    }
    const bool sanitizer = library.name.starts_with("libasan.so") || library.name.starts_with("libtsan.so");
    if (sanitizer && program.sanitizer.empty() && !library.path.empty()) program.sanitizer = library.path;
  }
}

/// mpi4py's extension module is linked with the MPI that it was built for.
void inspect_mpi4py(Program& program) {
  const auto answer =
      capture({program.path.string(), "-c",
               "import importlib.util as u; s = u.find_spec('mpi4py.MPI'); print(s.origin if s else '')"},
              10.0);
  if (!answer || answer->status != 0) return;
  std::string module = answer->output;
  while (!module.empty() && module.back() == '\n') module.pop_back();
  if (!module.empty()) read_libraries(module, program);
}

}  // namespace

bool is_wrapper(const std::string& name) {
  static constexpr std::array kNames{"env",     "numactl", "taskset", "nice",     "ionice", "time",
                                     "timeout", "stdbuf",  "nohup",   "setsid",   "chrt",   "sudo",
                                     "ip",      "unshare", "nsenter", "valgrind", "gdb",    "strace",
                                     "ltrace",  "perf",    "xterm",   "catchsegv"};
  const std::string base = base_name(name);
  return std::find(kNames.begin(), kNames.end(), base) != kNames.end();
}

Program inspect_program(const std::vector<std::string>& words) {
  Program program;
  if (words.empty()) return program;
  program.name = words.front();
  const auto path = find_executable(words.front());
  if (!path) return program;
  program.path = *path;
  const std::string base = base_name(words.front());
  if (is_wrapper(base)) {
    program.kind = Program::Kind::script;
    // The wrapped program is the first later word that is a program of its own.
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with("-") || words[i].find('=') != std::string::npos) continue;
      const Program inner = inspect_program({words.begin() + static_cast<std::ptrdiff_t>(i), words.end()});
      if (inner.kind != Program::Kind::missing) return inner;
    }
    return program;
  }
  const auto elf = read_elf(*path);
  if (!elf) {
    program.kind = Program::Kind::script;
    if (starts_script(*path)) {
      std::ifstream file(*path);
      std::string line;
      std::getline(file, line);
      if (line.find("python") != std::string::npos) program.kind = Program::Kind::interpreter;
    }
    return program;
  }
  if (elf->foreign) {
    program.kind = Program::Kind::foreign;
    return program;
  }
  if (!elf->interpreted) {
    program.kind = Program::Kind::fixed;
    program.mpi = elf->defines_mpi ? Mpi::other : Mpi::unknown;
    return program;
  }
  program.kind = is_shell(base)         ? Program::Kind::script
                 : is_interpreter(base) ? Program::Kind::interpreter
                                        : Program::Kind::elf;
  read_libraries(*path, program);
  if (program.mpi != Mpi::unknown) return program;
  if (program.kind == Program::Kind::interpreter) {
    if (is_python(base)) inspect_mpi4py(program);
  } else if (program.kind == Program::Kind::elf) {
    if (elf->defines_mpi) program.kind = Program::Kind::fixed_mpi;
    program.mpi = elf->defines_mpi ? Mpi::other : Mpi::none;
  }
  return program;
}

}  // namespace lapwing::cli
