// SPDX-License-Identifier: Apache-2.0
// The beginning of a page trace: a file for each rank, whose failure one rank tells.
#pragma once

#include <memory>

#include "transfer/pages/trace_file.hpp"
#include "transfer/settings.hpp"

namespace lapwing::transfer {

/// This rank's file, opened, or with its error; null where no trace is wanted. Communicates nothing.
std::unique_ptr<TraceFile> begin_trace(const Settings& settings, int rank, int ranks);
void say_trace_failed(const TraceFile& file, const char* what_follows);

}  // namespace lapwing::transfer
