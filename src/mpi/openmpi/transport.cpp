// SPDX-License-Identifier: Apache-2.0
#include "mpi/transport.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "mpi/binding.hpp"

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

struct Parameter {
  std::string_view name;
  const char* value;
};

/// A receiver asks for this many bytes by one request, and for the next ones when they are here, with two
/// requests under way. Half of the bytes make single messages slower on a link of 10 Gbit/s. Twice the
/// requests, Open MPI's own number, ask for 512 KiB at once, and exchanges below 1 MiB travel one direction
/// after the other as before.
constexpr std::array<Parameter, 2> given{
    {{"btl_tcp_rdma_pipeline_frag_size", "131072"}, {"pml_ob1_recv_pipeline_depth", "2"}}};
/// A user who chooses one of these has tuned the protocol already.
constexpr std::array<std::string_view, 3> chosen{given[0].name, given[1].name, "btl_tcp_flags"};
/// On links beyond this, in Mbit/s, the requests themselves would delay messages of some 300 KB.
constexpr int fastest_link = 10'000;

std::string in_environment(std::string_view parameter) { return "OMPI_MCA_" + std::string(parameter); }

/// Read by C's functions: a stream throws within, where a file cannot be read, and in a C program under
/// AddressSanitizer every throw ends the process.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open(const fs::path& path) { return {std::fopen(path.c_str(), "re"), std::fclose}; }

bool names_parameter(const fs::path& path) {
  const File file = open(path);
  std::array<char, 512> text{};
  while (file && std::fgets(text.data(), text.size(), file.get())) {
    const std::string_view line(text.data());
    const std::size_t name = line.find_first_not_of(" \t");
    if (name == std::string_view::npos || line[name] == '#') continue;
    const std::string_view from = line.substr(name);
    for (const std::string_view parameter : chosen) {
      if (from.starts_with(parameter)) return true;
    }
  }
  return false;
}

/// In one of the places where Open MPI looks.
bool user_chooses() {
  for (const std::string_view parameter : chosen) {
    if (std::getenv(in_environment(parameter).c_str())) return true;
  }
  if (const char* const home = std::getenv("HOME");
      home && names_parameter(fs::path(home) / ".openmpi" / "mca-params.conf"))
    return true;
  const fs::path prefix = fs::path(library_path()).parent_path().parent_path();
  return names_parameter(prefix / "etc" / "openmpi-mca-params.conf") ||
         names_parameter("/etc/openmpi/openmpi-mca-params.conf");
}

/// Links that do not say how fast they are count as slow: virtual machines have them.
bool has_fast_link() {
  std::error_code none;
  for (const fs::directory_entry& link : fs::directory_iterator("/sys/class/net", none)) {
    const File file = open(link.path() / "speed");
    int speed = 0;
    if (file && std::fscanf(file.get(), "%d", &speed) == 1 && speed > fastest_link) return true;
  }
  return false;
}

}  // namespace

TransportParameters::TransportParameters(bool wanted) {
  if (!wanted || user_chooses() || has_fast_link()) return;
  given_ = true;
  for (const Parameter& parameter : given) setenv(in_environment(parameter.name).c_str(), parameter.value, 0);
}

TransportParameters::~TransportParameters() {
  if (!given_) return;
  for (const Parameter& parameter : given) unsetenv(in_environment(parameter.name).c_str());
}

}  // namespace lapwing::mpi
