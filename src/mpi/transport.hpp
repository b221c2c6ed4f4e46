// SPDX-License-Identifier: Apache-2.0
// Parameters of an MPI that delay messages as they come, or keep cores while ranks wait.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace lapwing::mpi {

/// A variable of the environment and what it is given. Both end with a zero.
struct TransportVariable {
  const char* name;
  const char* value;
};

/// Yields change when a rank waits, and nothing that it does; the rest chooses the protocol of messages.
enum class TransportTuning { none, yields, all };

/// Lives around PMPI_Init: gives the MPI, by its environment, the parameters that the user and the machine's
/// administrator have left at their defaults, and takes them out of the environment again, so that the
/// program and its children find it as it was.
class TransportParameters {
 public:
  explicit TransportParameters(TransportTuning tuning);
  ~TransportParameters();
  TransportParameters(const TransportParameters&) = delete;
  TransportParameters& operator=(const TransportParameters&) = delete;

 private:
  std::vector<TransportVariable> given_;
};

/// Defined by each family: its parameters of the protocol, but those that the user or the administrator has
/// chosen already, and those by which this machine's transport would lose.
std::vector<TransportVariable> protocol_variables();

/// Defined by each family: the parameters by which ranks that wait yield their cores, where cores are scarce
/// and neither the user nor the administrator has chosen.
std::vector<TransportVariable> yield_variables();

/// The host has a device that reads and writes the program's memory by itself.
bool has_rdma_device();

/// Some line of the file begins with one of the names, blanks aside. False where the file cannot be read.
bool names_parameter(const std::filesystem::path& path, std::span<const std::string_view> names);

}  // namespace lapwing::mpi
