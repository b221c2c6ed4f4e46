// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "cli/launch/elf.hpp"
#include "cli/launch/libraries.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

const char* name_of(Mpi mpi) {
  switch (mpi) {
    case Mpi::mpich:
      return "MPICH";
    case Mpi::openmpi:
      return "Open MPI";
    case Mpi::standard:
      return "the standard MPI ABI";
    case Mpi::other:
      return "another MPI";
    case Mpi::none:
      return "no MPI";
    case Mpi::unknown:
      break;
  }
  return "an unknown MPI";
}

const char* flavour_of(Mpi mpi) {
  if (mpi == Mpi::standard) return "abi";
  return mpi == Mpi::mpich ? "mpich" : mpi == Mpi::openmpi ? "openmpi" : "";
}

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

void read_libraries(const fs::path& file, Program& program) {
  const std::vector<Library> libraries = libraries_of(file);
  const auto find_mpi = [&](auto family) {
    for (const Library& library : libraries) {
      const Mpi mpi = family(library);
      if (mpi == Mpi::unknown || !program.mpi_library.empty()) continue;
      program.mpi = mpi;
      program.mpi_library = library.path.empty() ? library.name : library.path.string();
    }
  };
  find_mpi([](const Library& library) { return family_of(library.name, library.path); });
  find_mpi([](const Library& library) { return family_of_engine(library.name); });
  for (const Library& library : libraries) {
    if (library.path.empty() && program.not_found.empty()) program.not_found = library.name;
    const bool sanitizer = library.name.starts_with("libasan.so") || library.name.starts_with("libtsan.so");
    if (sanitizer && program.sanitizer.empty() && !library.path.empty()) program.sanitizer = library.path;
  }
}

/// mpi4py's extension module is linked with the MPI that it was built for, or, as in its wheels, with
/// whichever MPI the package has looked for and loaded before: where, only Python itself can tell.
void inspect_mpi4py(Program& program) {
  const auto answer =
      capture({program.path.string(), "-c",
               "import importlib.util as u\n"
               "s = u.find_spec('mpi4py.MPI')\n"
               "print(s.origin if s and s.origin else '')\n"
               "for line in open('/proc/self/maps'):\n"
               "  path = line.rstrip('\\n').partition('/')[2]\n"
               "  if path.rpartition('/')[2].startswith(('libmpi', 'libmpt')): print('/' + path)\n"},
              10.0);
  if (!answer || answer->status != 0) return;
  std::istringstream lines(answer->output);
  std::string module, file;
  std::getline(lines, module);
  while (std::getline(lines, file)) {
    const fs::path path = file;
    const Mpi mpi = family_of(path.filename().string(), path);
    if (mpi == Mpi::unknown) continue;
    program.mpi = mpi;
    program.mpi_library = file;
    return;
  }
  if (!module.empty()) read_libraries(module, program);
}

/// The program that the first line of a script names; empty if it names none.
std::vector<std::string> interpreter_of(const fs::path& script) {
  std::ifstream file(script);
  std::string line;
  std::getline(file, line);
  std::istringstream words(line.size() > 2 ? line.substr(2) : "");
  std::vector<std::string> interpreter;
  for (std::string word; words >> word;) {
    const bool of_env = interpreter.empty() && base_name(word) == "env";
    if (!of_env && !(interpreter.empty() && word.starts_with("-"))) interpreter.push_back(word);
  }
  return interpreter;
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
    if (!starts_script(*path)) return program;
    const std::vector<std::string> interpreter = interpreter_of(*path);
    if (interpreter.empty() || !is_python(base_name(interpreter.front()))) return program;
    Program python = inspect_program(interpreter);
    if (python.kind == Program::Kind::interpreter) {
      python.name = program.name;
      return python;
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
