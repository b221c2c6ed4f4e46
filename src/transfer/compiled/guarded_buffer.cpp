// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/guarded_buffer.hpp"
#include "progress/waiting.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <mutex>

#include "guard/breakpoints.hpp"
#include "guard/catching.hpp"
#include "transfer/wire/datatype.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {
namespace {

// This byte hides received ones: it reads as not a number, -1, or a bad index.
constexpr char hidden_byte = static_cast<char>(0xff);

// Further ones are only compared.
constexpr int most_closed_buffers = 1000;
std::atomic<GuardedBuffer*> closed_buffers[most_closed_buffers];
std::atomic<int> buffer_readers{0};
std::mutex buffers_gate;  // regions close and open one at a time
std::vector<GuardedBuffer*> live_buffers;

std::size_t first_difference(const char* a, const char* b, std::size_t length) {
  return static_cast<std::size_t>(std::mismatch(a, a + length, b).first - a);
}

std::size_t first_shown(const char* bytes, std::size_t length) {
  return static_cast<std::size_t>(
      std::find_if(bytes, bytes + length, [](char c) { return c != hidden_byte; }) - bytes);
}

}  // namespace

void GuardedBuffer::start(VerifyReport::Teller teller) {
  VerifyReport::start(teller);
  guard::start_to_catch(on_touch, nullptr);
  guard::Breakpoints::start(on_breakpoint);
}

void GuardedBuffer::stop() {
  std::vector<GuardedBuffer*> left;
  {
    const std::lock_guard lock(buffers_gate);
    left = live_buffers;
  }
  for (GuardedBuffer* buffer : left) buffer->open();
  guard::Breakpoints::stop();
  guard::stop();
}

// On the thread that touches, perhaps in a signal's handler.
void GuardedBuffer::on_touch(void*) {
  buffer_readers.fetch_add(1);
  for (const auto& one : closed_buffers) {
    const GuardedBuffer* buffer = one.load();
    if (!buffer || !buffer->region_) continue;
    const guard::Region& region = *buffer->region_;
    if (region.faults.load() == 0 && !region.release_wanted.load()) continue;
    // A process that another thread makes waits until this one has done with its buffer.
    if (guard::awaits_all() && buffer->owner_ != pthread_self()) continue;
    VerifyReport::note_touch(buffer->site_, buffer->use_ == Use::sent);
    break;
  }
  buffer_readers.fetch_sub(1);
}

// The thread has made its access: it stays here.
void GuardedBuffer::on_breakpoint(const void* what) {
  const auto* const buffer = static_cast<const GuardedBuffer*>(what);
  VerifyReport::note_touch(buffer->site_, buffer->use_ == Use::sent, true);
  for (;;) pause();
}

std::unique_ptr<GuardedBuffer> GuardedBuffer::close(const lapwing_verify_site& site, Use use,
                                                    const void* buffer, MPI_Count count, MPI_Datatype type) {
  const std::size_t length = payload_bytes(count, type);
  if (length == 0 || count > INT_MAX) return nullptr;
  std::unique_ptr<GuardedBuffer> guarded(new GuardedBuffer(site, use));
  const std::lock_guard lock(buffers_gate);
  live_buffers.push_back(guarded.get());
  if (char* begin = contiguous_base(buffer, count, type)) {
    guarded->close_run(begin, length);
  } else if (use != Use::awaited && use != Use::landing) {
    guarded->close_packed(buffer, count, type);
  }
  return guarded;
}

void GuardedBuffer::close_run(char* begin, std::size_t length) {
  begin_ = begin;
  length_ = length;
  owner_ = pthread_self();
  char* const end = begin + length;
  char *from = page_ceil(begin), *to = page_floor(end);
  if (from < to) {
    for (slot_ = 0; slot_ < most_closed_buffers && closed_buffers[slot_].load(); ++slot_) {
    }
    if (slot_ < most_closed_buffers)
      region_ = use_ == Use::sent ? guard::close_outgoing(from, to) : guard::close_in_place(from, to);
    if (region_)
      closed_buffers[slot_].store(this);
    else
      slot_ = -1;
  }
  if (use_ == Use::awaited) return;
  if (!region_) {
    keep(begin, end);
  } else {
    keep(begin, from);
    keep(to, end);
  }
  watch_pieces();
}

// The first and the last bytes: what a program touches first, as a rule.
void GuardedBuffer::watch_pieces() {
  if (use_ == Use::received || pieces_.empty()) return;
  const Piece &first = pieces_.front(), &last = pieces_.back();
  const char* const end = last.at + last.kept.size();
  breakpoints_[0] =
      guard::Breakpoints::watch(first.at, first.at + first.kept.size(), use_ == Use::sent, this);
  const char* const second = first.at + 8 >= end ? first.at + 4 : std::max<const char*>(end - 8, last.at);
  if (second < end && second > first.at)
    breakpoints_[1] = guard::Breakpoints::watch(second, end, use_ == Use::sent, this);
}

void GuardedBuffer::keep(char* begin, char* end) {
  if (begin == end) return;
  pieces_.push_back({begin, std::vector<char>(begin, end)});
  if (use_ == Use::received) std::memset(begin, hidden_byte, static_cast<std::size_t>(end - begin));
}

std::vector<char> GuardedBuffer::packed() const {
  int size = 0, position = 0;
  PMPI_Pack_size(count_, type_, MPI_COMM_SELF, &size);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  PMPI_Pack(buffer_, count_, type_, bytes.data(), size, &position, MPI_COMM_SELF);
  bytes.resize(static_cast<std::size_t>(position));
  return bytes;
}

void GuardedBuffer::close_packed(const void* buffer, MPI_Count count, MPI_Datatype type) {
  buffer_ = const_cast<void*>(buffer);
  count_ = static_cast<int>(count);
  type_ = type;
  outlive(&type_, &kept_type_);
  kept_ = packed();
  if (use_ == Use::sent) return;
  const std::vector<char> none(kept_.size(), hidden_byte);
  int position = 0;
  PMPI_Unpack(none.data(), static_cast<int>(none.size()), &position, buffer_, count_, type_, MPI_COMM_SELF);
}

void GuardedBuffer::fail(std::size_t at) const {
  VerifyReport::end_at_bytes(site_, use_ == Use::sent, at, begin_ ? length_ : kept_.size());
}

void GuardedBuffer::open() {
  const std::lock_guard lock(buffers_gate);
  for (int& number : breakpoints_) {
    guard::Breakpoints::forget(number);
    number = guard::Breakpoints::none;
  }
  if (slot_ >= 0) {
    closed_buffers[slot_].store(nullptr);
    slot_ = -1;
    progress::wait_until([] { return buffer_readers.load() == 0; });
    region_->open(region_->begin(), region_->end());
    region_.reset();
  }
  for (const Piece& piece : pieces_) {
    const std::size_t size = piece.kept.size();
    const std::size_t at = use_ == Use::received ? first_shown(piece.at, size)
                                                 : first_difference(piece.at, piece.kept.data(), size);
    if (at < size) fail(static_cast<std::size_t>(piece.at - begin_) + at);
    if (use_ == Use::received) std::memcpy(piece.at, piece.kept.data(), size);
  }
  pieces_.clear();
  if (!kept_.empty()) {
    const std::vector<char> now = packed();
    const std::size_t at = use_ == Use::received ? first_shown(now.data(), now.size())
                                                 : first_difference(now.data(), kept_.data(), now.size());
    if (at < now.size()) fail(at);
    int position = 0;
    if (use_ == Use::received)
      PMPI_Unpack(kept_.data(), static_cast<int>(kept_.size()), &position, buffer_, count_, type_,
                  MPI_COMM_SELF);
    kept_.clear();
  }
  if (kept_type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&kept_type_);
}

GuardedBuffer::~GuardedBuffer() {
  open();
  const std::lock_guard lock(buffers_gate);
  std::erase(live_buffers, this);
}

}  // namespace lapwing::transfer
