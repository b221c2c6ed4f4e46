// SPDX-License-Identifier: Apache-2.0
#include "sets/check/buffer_watch.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sets/check/in_flight.hpp"
#include "sets/report/report_text.hpp"
#include "transfer/compiled/guarded_buffer.hpp"

namespace lapwing::sets {
namespace {

using transfer::GuardedBuffer;
using Guards = std::vector<std::unique_ptr<GuardedBuffer>>;

/// A call of the program's, as those know it who guard.
struct GuardedSite {
  lapwing_verify_site site{"", "", "", 0};
  Told told;
};

const lapwing_verify_site& site_of(const Told& told) {
  static auto& all = *new std::unordered_map<const void*, std::unique_ptr<GuardedSite>>;
  std::unique_ptr<GuardedSite>& found = all[told.returns_to];
  if (!found) {
    found = std::make_unique<GuardedSite>();
    found->told = told;
  }
  return found->site;
}

// Perhaps on a thread of its own, while that of the program stands still.
void tell(const transfer::VerifyReport::Access& access) {
  const Told& told = reinterpret_cast<const GuardedSite*>(access.site)->told;
  Account account = account_of_use(told, !access.sent);
  account.path.clear();
  end_job_in_turn(touch_finding(account, access.sent, access.place, access.at, access.length));
}

void guard(Guards* guards, const Area& area, const Told& told) {
  auto guarded = GuardedBuffer::close(site_of(told),
                                      area.written ? GuardedBuffer::Use::landing : GuardedBuffer::Use::sent,
                                      area.begin, static_cast<MPI_Count>(area.length), MPI_BYTE);
  if (guarded) guards->push_back(std::move(guarded));
}

std::size_t copied = 0;

}  // namespace

struct BufferWatch::Inside {
  Guards guards;
  std::vector<Area> areas;
  bool stays = false;     ///< for the next start
  char* begin = nullptr;  ///< of the first of these
  std::size_t length = 0;
  std::size_t counted = 0;
  std::unique_ptr<char[]> landing;
  MPI_Request abandoned = MPI_REQUEST_NULL;
};

namespace {

std::vector<BufferWatch*> abandoned_ones;

}  // namespace

BufferWatch::~BufferWatch() { delete inside_; }

void BufferWatch::start(std::size_t most) {
  most_ = most;
  GuardedBuffer::start(tell);
}

void BufferWatch::stop() {
  if (most_ == 0) return;
  most_ = 0;
  GuardedBuffer::stop();
}

BufferWatch* BufferWatch::sends(const Area& area, const Told& told) {
  return wanted() ? collective({{area}, true}, told) : nullptr;
}

BufferWatch* BufferWatch::receives(const Area& area, const Told& told) {
  // A program that asks so finds its bytes before it completes the request.
  return wanted() && !InFlight::may_ask_for_status() ? collective({{area}, true}, told) : nullptr;
}

BufferWatch* BufferWatch::collective(const Areas& areas, const Told& told) {
  BufferWatch* watch = make(areas);
  if (watch) arm(watch, told);
  return watch;
}

BufferWatch* BufferWatch::persistent(const Areas& areas) {
  BufferWatch* watch = InFlight::may_ask_for_status() ? nullptr : make(areas);
  if (watch) watch->inside_->stays = true;
  return watch;
}

BufferWatch* BufferWatch::make(const Areas& areas) {
  std::size_t all = 0;
  char *first = nullptr, *last = nullptr;
  for (const Area& area : areas.list) {
    all += area.length;
    if (!area.begin || !area.written) continue;
    first = first ? std::min(first, area.begin) : area.begin;
    last = std::max(last, area.end());
  }
  all += static_cast<std::size_t>(last - first);
  if (!wanted() || !areas.complete || all == 0 || copied + all > most_) return nullptr;
  auto inside = std::make_unique<Inside>();
  inside->counted = all;
  copied += all;
  if (first) {
    inside->begin = first;
    inside->length = static_cast<std::size_t>(last - first);
    inside->landing = std::make_unique<char[]>(inside->length);
  }
  for (const Area& area : areas.list)
    if (area.begin) inside->areas.push_back(area);
  return new BufferWatch(inside.release());
}

void BufferWatch::arm(BufferWatch* watch, const Told& told) {
  if (!watch) return;
  Inside& inside = *watch->inside_;
  // In place, it is read first.
  if (inside.landing) std::memcpy(inside.landing.get(), inside.begin, inside.length);
  for (const Area& area : inside.areas) guard(&inside.guards, area, told);
}

void* BufferWatch::landing(const BufferWatch* watch, void* buffer) {
  if (!watch || !watch->inside_->landing) return buffer;
  return watch->inside_->landing.get() + (static_cast<char*>(buffer) - watch->inside_->begin);
}

void BufferWatch::finish(BufferWatch* watch, std::size_t received) {
  if (!watch) return;
  Inside& inside = *watch->inside_;
  inside.guards.clear();
  for (const Area& area : inside.areas) {
    if (!area.written) continue;
    const std::size_t bytes = std::min(received, area.length);
    std::memcpy(area.begin, inside.landing.get() + (area.begin - inside.begin), bytes);
  }
  if (!inside.stays) drop(watch);
}

void BufferWatch::drop(BufferWatch* watch) {
  if (!watch) return;
  copied -= watch->inside_->counted;
  delete watch;
}

bool BufferWatch::abandon(BufferWatch* watch, MPI_Request request) {
  if (!watch) return false;
  watch->inside_->stays = false;
  watch->inside_->guards.clear();
  if (!watch->inside_->landing) {
    finish(watch, 0);
    return false;
  }
  watch->inside_->abandoned = request;
  abandoned_ones.push_back(watch);
  some_abandoned_ = true;
  return true;
}

void BufferWatch::finish_abandoned() {
  std::vector<BufferWatch*> left;
  for (BufferWatch* watch : std::exchange(abandoned_ones, {})) {
    int done = 0, bytes = 0;
    MPI_Status status{};
    if (PMPI_Test(&watch->inside_->abandoned, &done, &status) == MPI_SUCCESS && !done) {
      left.push_back(watch);
      continue;
    }
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    finish(watch, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  }
  abandoned_ones = std::move(left);
  some_abandoned_ = !abandoned_ones.empty();
}

}  // namespace lapwing::sets
