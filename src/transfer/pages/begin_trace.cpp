// SPDX-License-Identifier: Apache-2.0
#include "transfer/pages/begin_trace.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "flavour.hpp"

namespace lapwing::transfer {

std::unique_ptr<TraceFile> begin_trace(const Settings& settings, int rank, int ranks) {
  if (settings.pages.empty()) return nullptr;
  auto file = std::make_unique<TraceFile>();
  file->open(fmt::format("{}.{}", settings.pages, rank),
             fmt::format("{{\"lapwing_pages\":1,\"version\":\"{}\",\"mpi\":\"{}\",\"rank\":{},\"ranks\":{}}}",
                         LAPWING_VERSION, mpi::flavour_name, rank, ranks));
  return file;
}

void say_trace_failed(const TraceFile& file, const char* what_follows) {
  fmt::print(stderr, "lapwing: the page trace cannot be written to {}: {}; {}.\n", file.path(),
             std::strerror(file.error()), what_follows);
}

}  // namespace lapwing::transfer
