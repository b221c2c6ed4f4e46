// SPDX-License-Identifier: Apache-2.0
#include "mpi/product.hpp"

#include <cstdlib>
#include <string_view>

namespace lapwing::mpi {
namespace {

/// Of all families: a variable of another family's changes nothing, and is rare.
constexpr const char* choosing_variables[] = {"UCX_TLS",
                                              "UCX_NET_DEVICES",
                                              "MPIR_CVAR_CH4_NETMOD",
                                              "FI_PROVIDER",
                                              "I_MPI_FABRICS",
                                              "I_MPI_OFI_PROVIDER",
                                              "OMPI_MCA_pml",
                                              "OMPI_MCA_btl",
                                              "OMPI_MCA_mtl",
                                              "OMPI_MCA_btl_tcp_if_include"};

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

std::string product_of(const std::string& library_version) {
  const std::string_view text = library_version;
  std::string product = without_blanks(text.substr(0, text.find_first_of(",\n")));
  // "MPICH Version: 4.0.2", and its device in a line of its own.
  if (const std::size_t label = product.find(" Version: "); label != std::string::npos)
    product.erase(label, std::string_view(" Version:").size());
  const std::size_t device = text.find("Device:");
  if (device != std::string_view::npos) {
    const std::string_view rest = text.substr(device + std::string_view("Device:").size());
    product += ' ' + without_blanks(rest.substr(0, rest.find('\n')));
  }
  return without_blanks(product);
}

std::string chosen_transport() {
  std::string chosen;
  for (const char* name : choosing_variables) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    if (!chosen.empty()) chosen += ' ';
    ((chosen += name) += '=') += value;
  }
  return chosen.empty() ? "default" : chosen;
}

}  // namespace lapwing::mpi
