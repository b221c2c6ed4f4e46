// SPDX-License-Identifier: Apache-2.0
// The engine's part in watching pages without deferring anything: the governor's looks, and the page trace.
#include <fmt/format.h>

#include <climits>
#include <cstdio>

#include "transfer/engine.hpp"
#include "transfer/pages/begin_trace.hpp"
#include "transfer/pages/page_trace.hpp"
#include "transfer/wire/mark.hpp"

namespace lapwing::transfer {

void Engine::trace_pages(std::unique_ptr<TraceFile> file, bool all) {
  if (!file) return;
  all_trace_ = all;
  trace_file_ = std::move(file);
  // Ranks whose files are of one run have the same number.
  const Mark::Bytes& mark = Mark::bytes();
  const std::uint64_t mixed = (mark[0] ^ mark[1] >> 7) * 0x9e3779b97f4a7c15u;
  const guard::Capability& capability = guard::capability();
  const char* guard = !guarding_                                          ? "none"
                      : capability.backend == guard::Backend::userfaultfd ? "userfaultfd"
                                                                          : "mprotect";
  trace_file_->add(fmt::format("{{\"run\":{},\"guard\":\"{}\"}}", mixed >> 32, guard));
  if (!guarding_ && world_rank_ == 0)
    fmt::print(stderr, "lapwing: no page is traced, since none can be guarded: {}.\n",
               capability.reason.empty() ? "LAPWING_GUARD=none" : capability.reason);
  pages_ = std::make_unique<PageTrace>(*trace_file_, now_ns());
  governor_->close();  // messages stay plain
}

void Engine::end_page_trace() {
  if (!trace_file_) return;
  pages_.reset();
  int failed = trace_file_->error() != 0 ? world_rank_ : INT_MAX;
  if (all_trace_) PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MIN, control_comm_);
  if (failed == world_rank_)
    say_trace_failed(*trace_file_, "it ends there, and the program's own results are not affected");
  trace_file_.reset();
}

bool Engine::answer_touches() {
  mutex_.assert_held();
  bool moved = governor_->observer().observing() && governor_->observer().advance();
  if (pages_ && pages_->watching()) moved |= pages_->advance(governor_->observer().in_mpi());
  return moved;
}

void Engine::open_watched(const char* from, const char* to, Use use) {
  mutex_.assert_held();
  if (governor_->observer().observing()) governor_->observer().end(from, to);
  if (!pages_ || !pages_->watching()) return;
  switch (use) {
    case Use::reads:
      return pages_->used(from, to, now_ns(), governor_->observer().in_mpi());
    case Use::writes:
      return pages_->overwritten(from, to);
    case Use::unknown:
      return pages_->end_all(WatchEnd::unknown);
  }
}

}  // namespace lapwing::transfer
