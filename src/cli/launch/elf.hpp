// SPDX-License-Identifier: Apache-2.0
// What an ELF file says about itself: how it is linked and with what.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lapwing::cli {

struct Elf {
  bool foreign = false;      ///< not a 64-bit little-endian file: nothing below is filled in
  bool interpreted = false;  ///< asks for a dynamic loader, so LD_PRELOAD reaches it
  bool defines_mpi = false;  ///< MPI_Init or PMPI_Init is inside the file itself
  std::string soname;        ///< DT_SONAME: the name under which others ask for it
  std::vector<std::string> needed;
  std::string rpath;    ///< DT_RPATH
  std::string runpath;  ///< DT_RUNPATH
};

/// Nothing if the file cannot be read or is no ELF file. Damaged files give
/// what can be read of them; never out of bounds.
std::optional<Elf> read_elf(const std::filesystem::path& path);

}  // namespace lapwing::cli
