// SPDX-License-Identifier: Apache-2.0
#include "mpi/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace lapwing::mpi {

// C's functions read the file: a stream throws within, where a file cannot be read, and in a C program under
// AddressSanitizer every throw ends the process.
bool names_parameter(const std::filesystem::path& path, std::span<const std::string_view> names) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  std::array<char, 512> text{};
  while (file && std::fgets(text.data(), text.size(), file.get())) {
    std::string_view line(text.data());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (std::ranges::any_of(names, [&](std::string_view name) { return line.starts_with(name); }))
      return true;
  }
  return false;
}

bool has_rdma_device() {
  std::error_code none;
  return std::filesystem::directory_iterator("/sys/class/infiniband", none) !=
         std::filesystem::directory_iterator();
}

TransportParameters::TransportParameters(TransportTuning tuning) {
  if (tuning == TransportTuning::none) return;
  given_ = yield_variables();
  if (tuning == TransportTuning::all) {
    const std::vector<TransportVariable> protocol = protocol_variables();
    given_.insert(given_.end(), protocol.begin(), protocol.end());
  }
  for (const TransportVariable& variable : given_) setenv(variable.name, variable.value, 0);
}

TransportParameters::~TransportParameters() {
  for (const TransportVariable& variable : given_) unsetenv(variable.name);
}

}  // namespace lapwing::mpi
