// SPDX-License-Identifier: Apache-2.0
// Which MPI, and where its own wrapper is.
#include <unistd.h>

#include <array>
#include <climits>

#include "mpi.hpp"
#include "process.hpp"
#include "say.hpp"

namespace lapwing::wrapper {

namespace {

Words wrapper_names(Language language) {
  if (language == Language::c) return {"mpicc"};
  if (language == Language::cxx) return {"mpicxx", "mpic++"};
  return {"mpifort", "mpif90"};
}

std::optional<Mpi> by_file_name(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.find("mpich") != std::string::npos) return Mpi::mpich;
  if (name.find("openmpi") != std::string::npos || name == "opal_wrapper") return Mpi::openmpi;
  return std::nullopt;
}

/// The MPI by the names that links lead through, as with Debian's alternatives.
std::optional<Mpi> by_links(std::string path) {
  for (int step = 0; step < 16; ++step) {
    if (const auto mpi = by_file_name(path)) return mpi;
    std::array<char, PATH_MAX> target{};
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    if (length <= 0) break;
    const std::string next(target.data(), static_cast<std::size_t>(length));
    if (next[0] != '/') {
      path.erase(path.rfind('/') + 1);
      path += next;
    } else {
      path = next;
    }
  }
  return std::nullopt;
}

/// The MPI that a wrapper of any name says it is for.
std::optional<Mpi> by_asking(const std::string& path) {
  const auto shown = ask({path, "-show"}, override_variables());
  if (!shown || shown->status != 0) return std::nullopt;
  const auto has = [&](const char* text) { return shown->out.find(text) != std::string::npos; };
  if (has("-lmpich") || has("mpich")) return Mpi::mpich;
  if (has("openmpi") || has("open-mpi") || has("-lopen-rte")) return Mpi::openmpi;
  const auto version = ask({path, "-showme:version"}, override_variables());
  if (version && version->out.find("Open MPI") != std::string::npos) return Mpi::openmpi;
  // MPICH's and Intel's wrappers name themselves, wherever they lie.
  const auto self = ask({path, "-v"}, override_variables());
  for (const char* name : {"MPICH", "Intel(R) MPI"})
    if (self && self->out.find(name) != std::string::npos) return Mpi::mpich;
  return std::nullopt;
}

std::optional<Mpi> mpi_of(const std::string& path) {
  const auto mpi = by_links(path);
  return mpi ? mpi : by_asking(path);
}

/// The wrapper of one MPI: the one that PATH finds if it is of this MPI, else
/// the one that has the MPI in its name.
std::optional<std::string> wrapper_of(Mpi mpi, Language language) {
  for (const auto& name : wrapper_names(language)) {
    auto path = find_program(name);
    if (path && mpi_of(*path) == mpi) return path;
  }
  for (const auto& name : wrapper_names(language)) {
    if (auto path = find_program(name + "." + name_of(mpi))) return path;
  }
  return std::nullopt;
}

const char* packages(Mpi mpi) {
  return mpi == Mpi::mpich ? "mpich libmpich-dev" : "openmpi-bin libopenmpi-dev";
}

/// By mpicc on PATH, or by what is installed.
Mpi by_installation(Language language) {
  const auto mpicc = find_program("mpicc");
  if (mpicc) {
    if (const auto mpi = mpi_of(*mpicc)) return *mpi;
    throw Failure(*mpicc +
                  " is neither MPICH's nor Open MPI's; say with --lapwing-mpi=mpich or --lapwing-mpi=openmpi "
                  "which one to use.");
  }
  const bool mpich = wrapper_of(Mpi::mpich, language).has_value();
  const bool openmpi = wrapper_of(Mpi::openmpi, language).has_value();
  if (mpich && openmpi) {
    throw Failure(
        "MPICH and Open MPI are both installed, and no mpicc on PATH says which is meant; "
        "say it with --lapwing-mpi=mpich or --lapwing-mpi=openmpi, or in LAPWING_MPI.");
  }
  if (mpich) return Mpi::mpich;
  if (openmpi) return Mpi::openmpi;
  throw Failure(std::string("no MPI is found: there is no ") + one_of(wrapper_names(language)) +
                " on PATH, nor one that ends in .mpich or .openmpi. On Debian, install " +
                packages(Mpi::mpich) + " or " + packages(Mpi::openmpi) + ".");
}

}  // namespace

Chosen choose_mpi(std::optional<Mpi> by_option, std::optional<Mpi> by_name, Language language) {
  std::optional<Mpi> mpi = by_option;
  if (const auto value = variable("LAPWING_MPI"); !mpi && value) {
    mpi = mpi_named(*value);
    if (!mpi) throw Failure("LAPWING_MPI is '" + *value + "'; it can be mpich or openmpi.");
  }
  if (!mpi) mpi = by_name;
  if (!mpi) mpi = by_installation(language);
  const auto wrapper = wrapper_of(*mpi, language);
  if (!wrapper) {
    throw Failure(std::string(title_of(*mpi)) + " is to be used, but its " + name_of(language) +
                  " wrapper (" + wrapper_names(language)[0] + "." + name_of(*mpi) +
                  ") is not on PATH. On Debian, install " + packages(*mpi) + ".");
  }
  return {*mpi, *wrapper};
}

}  // namespace lapwing::wrapper
