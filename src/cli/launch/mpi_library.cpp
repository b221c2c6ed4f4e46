// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/mpi_library.hpp"

#include <vector>

#include "cli/launch/elf.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/paths.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

bool ends_with_version(const std::string& name, const std::string& version) {
  const auto at = name.find(".so." + version);
  if (at == std::string::npos) return false;
  const auto after = at + 4 + version.size();
  return after == name.size() || name[after] == '.';
}

/// Open MPI starts everything of its own, the standard ABI's programs are started by whoever has them.
bool suits(Launcher launcher, Mpi mpi) {
  if (launcher == Launcher::hydra) return mpi == Mpi::mpich || mpi == Mpi::standard;
  return launcher == Launcher::orte && mpi == Mpi::openmpi;
}

/// A name says which MPI's launcher it is only where several lie in one folder, as in Debian's.
std::vector<std::string> launcher_names(Mpi mpi) {
  if (mpi == Mpi::openmpi) return {"mpiexec.openmpi", "mpirun.openmpi", "orterun", "mpiexec", "mpirun"};
  // Intel's mpirun is a script that takes whichever mpiexec.hydra comes first.
  return {"mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"};
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return fs::equivalent(a, b, failed) && !failed;
}

}  // namespace

Mpi family_of(const std::string& name, const fs::path& file) {
  if (name.starts_with("libmpi_abi.so")) return Mpi::standard;
  if (name.starts_with("libmpt.so")) return Mpi::other;
  const bool plain = name.starts_with("libmpi.so"), mpich = name.starts_with("libmpich.so");
  // Cray's libmpi_cray.so.12 and its like; Open MPI's libmpi_mpifh.so.40 is no MPI of its own.
  const bool named = name.starts_with("libmpi_") && ends_with_version(name, "12");
  if (!plain && !mpich && !named) return Mpi::unknown;
  if (mpich || named || ends_with_version(name, "12")) return Mpi::mpich;
  if (ends_with_version(name, "40")) return Mpi::openmpi;
  // A name without a version, as packages load it: the file says which one it is.
  const auto elf = name == "libmpi.so" ? read_elf(file) : std::nullopt;
  return elf && elf->soname != name && !elf->soname.empty() ? family_of(elf->soname, file) : Mpi::other;
}

Mpi family_of_engine(const std::string& name) {
  for (const Mpi mpi : {Mpi::mpich, Mpi::openmpi, Mpi::standard}) {
    if (name == engine_library(flavour_of(mpi)).filename()) return mpi;
  }
  return Mpi::unknown;
}

fs::path prefix_of(const fs::path& library) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(library, ignored).lexically_normal().parent_path();
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    const std::string name = at.filename().string();
    if (name == "lib" || name == "lib64") {
      const fs::path above = at.parent_path();
      // /lib is /usr/lib where the two have been merged; the programs are then in /usr.
      return above.has_relative_path() ? above : fs::path("/usr");
    }
  }
  return folder.parent_path();
}

std::optional<std::string> find_launcher(Mpi mpi, const fs::path& library) {
  if (library.has_parent_path()) {
    const fs::path bin = prefix_of(library) / "bin";
    for (const auto& name : launcher_names(mpi)) {
      const fs::path own = bin / name;
      if (!find_executable(own.string()) || !suits(recognise(own.string()), mpi)) continue;
      const auto in_path = find_executable(name);
      return in_path && same_file(*in_path, own) ? name : own.string();
    }
  }
  for (const auto& name : launcher_names(mpi)) {
    if (find_executable(name) && suits(recognise(name), mpi)) return name;
  }
  return std::nullopt;
}

}  // namespace lapwing::cli
