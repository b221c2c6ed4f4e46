// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/mpi_search.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "cli/launch/libraries.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kLibraries{"libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.0",
                                "libmpi_abi.so.1"};
constexpr double kAskLimit = 20;

std::vector<std::string> split(const char* path, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(path != nullptr ? path : "");
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// Where installations put the libraries: below the prefix of each.
void add_folders(std::vector<fs::path>& folders, const fs::path& prefix) {
  for (const char* below : {"lib", "lib64", "lib/release", "lib/x86_64-linux-gnu"})
    folders.push_back(prefix / below);
}

std::vector<fs::path> folders_to_search() {
  std::vector<fs::path> folders;
  for (const auto& folder : split(std::getenv("LD_LIBRARY_PATH"), ':')) folders.emplace_back(folder);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX", "MPI_HOME", "MPI_ROOT", "I_MPI_ROOT", "MPICH_DIR",
                           "CRAY_MPICH_DIR", "OPAL_PREFIX"}) {
    if (const char* prefix = std::getenv(name); prefix != nullptr && *prefix != 0)
      add_folders(folders, prefix);
  }
  for (const auto& prefix : split(std::getenv("MPI_HOMES"), ':')) add_folders(folders, prefix);
  // A command that was installed into a virtual environment serves that environment.
  for (fs::path at = prefix(); at.has_relative_path(); at = at.parent_path()) {
    std::error_code ignored;
    if (fs::exists(at / "pyvenv.cfg", ignored)) add_folders(folders, at);
  }
  for (const auto& folder : split(std::getenv("PATH"), ':')) {
    for (const char* name : {"mpiexec", "mpirun", "mpicc"}) {
      std::error_code failed;
      const fs::path command = fs::path(folder) / name;
      if (!fs::exists(command, failed)) continue;
      add_folders(folders, fs::path(folder).lexically_normal().parent_path());
      const fs::path real = fs::canonical(command, failed);
      if (!failed) add_folders(folders, real.parent_path().parent_path());
    }
  }
  return folders;
}

std::vector<fs::path> libraries_here() {
  std::vector<fs::path> found, seen;
  const auto add = [&](const fs::path& library) {
    std::error_code failed;
    const fs::path real = fs::canonical(library, failed);
    if (failed || std::find(seen.begin(), seen.end(), real) != seen.end()) return;
    seen.push_back(real);
    found.push_back(library);
  };
  const std::vector<fs::path> folders = folders_to_search();
  for (const char* name : kLibraries) {
    add(find_library(name));
    for (const auto& folder : folders) add(folder / name);
  }
  return found;
}

/// The first number with a point in a text.
std::string version_in(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) continue;
    const std::size_t end = text.find_first_not_of("0123456789.", i);
    std::string number = text.substr(i, end == std::string::npos ? end : end - i);
    if (number.find('.') != std::string::npos) return number;
    i += number.size();
  }
  return {};
}

std::string product_of(const std::string& said, Mpi family) {
  static constexpr std::array<std::array<const char*, 2>, 6> kProducts{{{"Intel(R) MPI", "Intel MPI"},
                                                                        {"CRAY MPICH", "Cray MPICH"},
                                                                        {"MVAPICH", "MVAPICH"},
                                                                        {"ParaStation", "ParaStation MPI"},
                                                                        {"MPICH", "MPICH"},
                                                                        {"Open MPI", "Open MPI"}}};
  for (const auto& [text, product] : kProducts)
    if (said.find(text) != std::string::npos) return product;
  return name_of(family);
}

/// The rest of the line after `key`, without blanks around it.
std::string after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return {};
  const std::size_t from = text.find_first_not_of(" \t", at + key.size());
  if (from == std::string::npos) return {};
  return text.substr(from, text.find('\n', from) - from);
}

/// Open MPI says in `ompi_info` of which components it may choose.
std::vector<std::string> components_of(const fs::path& prefix) {
  const fs::path tool = prefix / "bin" / "ompi_info";
  if (!find_executable(tool.string())) return {};
  const auto answer = capture({tool.string()}, kAskLimit);
  std::vector<std::string> found;
  for (const std::string kind : {"pml", "mtl", "btl"}) {
    const std::string key = "MCA " + kind + ":";
    std::istringstream lines(answer ? answer->output : "");
    for (std::string line; std::getline(lines, line);) {
      const std::string component = after(line, key);
      if (!component.empty()) found.push_back(kind + ":" + component.substr(0, component.find(' ')));
    }
  }
  return found;
}

/// MPICH says its layer once, and then all that it may choose: "ch4:ucx ofi".
std::vector<std::string> devices_in(const std::string& device) {
  const std::size_t colon = device.find(':');
  if (colon == std::string::npos) return device.empty() ? std::vector<std::string>{} : std::vector{device};
  std::vector<std::string> found;
  std::istringstream names(device.substr(colon + 1));
  for (std::string name; names >> name;) found.push_back(device.substr(0, colon + 1) + name);
  return found;
}

std::vector<std::string> transports_of(const FoundMpi& mpi, const std::string& said) {
  if (mpi.family == Mpi::openmpi) return components_of(mpi.prefix);
  if (mpi.product == "Intel MPI") return {"ch4:ofi"};
  return devices_in(after(said, "MPICH Device:"));
}

std::vector<std::string> fortran_of(const fs::path& folder) {
  const auto has = [&](const char* name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  };
  if (has("libmpichfort.so.12") || has("libmpifort.so.12")) return {"mpif.h", "mpi", "mpi_f08"};
  std::vector<std::string> found;
  if (has("libmpi_mpifh.so.40")) found.emplace_back("mpif.h");
  if (has("libmpi_usempif08.so.40")) found.insert(found.end(), {"mpi", "mpi_f08"});
  return found;
}

FoundMpi describe(const fs::path& library) {
  FoundMpi mpi;
  mpi.library = library;
  mpi.family = family_of(library.filename().string(), library);
  mpi.prefix = prefix_of(library);
  mpi.launcher = find_launcher(mpi.family, library);
  std::error_code ignored;
  mpi.engine = fs::exists(engine_library(flavour_of(mpi.family)), ignored);
  const auto answer =
      capture({fs::read_symlink("/proc/self/exe").string(), "doctor", "--ask", library.string()}, kAskLimit);
  const std::string said = answer ? answer->output : "";
  mpi.product = product_of(said, mpi.family);
  mpi.version = version_in(after(said, "library:"));
  mpi.thread_level = after(said, "thread level:");
  mpi.transports = transports_of(mpi, said);
  mpi.fortran = fortran_of(library.parent_path());
  return mpi;
}

}  // namespace

std::vector<FoundMpi> mpis_here() {
  std::vector<FoundMpi> found;
  for (const auto& library : libraries_here()) found.push_back(describe(library));
  return found;
}

}  // namespace lapwing::cli
