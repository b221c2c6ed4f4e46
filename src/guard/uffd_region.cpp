// SPDX-License-Identifier: Apache-2.0
// Regions of the userfaultfd back end.
//
// Incoming: the pages are watched for missing faults and then moved, as they
// are, to an alias mapping, where MPI writes; opening moves them back. Nothing
// is zeroed or copied, and bytes that had landed before come along. Where pages
// cannot be moved away a staging area takes their place.
#include <cstring>
#include <memory>

#include "guard/backend.hpp"
#include "guard/memory_kind.hpp"
#include "guard/registry.hpp"
#include "guard/uffd.hpp"

namespace lapwing::guard::uffd {
namespace {

class Incoming final : public RegionBase {
 public:
  Incoming(char* begin, char* end) : RegionBase(begin, end, false) {}
  ~Incoming() override { release(); }

  /// `landed`: the bytes are there already, and stay.
  bool close(const MemoryKind& kind, bool landed) {
    // stage() reads these two, and must not stop at a page that never existed.
    touch(begin_);
    touch(end_ - page_size);
    if (!publish()) return false;
    bool alias = kind.mappings == 1 && alias_allowed();
    char* extra = alias ? neighbour(kind) : nullptr;
    if (extra) touch(extra);
    char* from = extra && extra < begin_ ? extra : begin_;
    if (!watch(from, length() + (extra ? page_size : 0), UFFDIO_REGISTER_MODE_MISSING)) {
      withdraw();
      return false;
    }
    watched_ = true;
    if (alias) landing_ = static_cast<char*>(kernel::move_away(begin_, length()));
    if (extra) unwatch(extra, page_size);
    if (!landing_ && (landed || !stage())) {
      withdraw();
      release();
      return false;
    }
    return true;
  }

  char* landing(char* address) override { return landing_ + (address - begin_); }

 private:
  std::size_t length() const { return static_cast<std::size_t>(end_ - begin_); }

  // Moving a mapping away as a whole would part what stays behind from its
  // neighbours for good (the kernel gives it an anon_vma of its own), and every
  // transfer would leave two more mappings. So one page beside the region is
  // watched along while its pages are moved.
  char* neighbour(const MemoryKind& kind) const {
    auto fits = [&](char* p) {
      std::uintptr_t a = address_of(p);
      return a >= kind.begin && a + page_size <= kind.end && !meets_region(a, a + page_size, true);
    };
    if (fits(begin_ - page_size)) return begin_ - page_size;
    return fits(end_) ? end_ : nullptr;
  }

  // Only the first and the last page may hold bytes that have landed already.
  bool stage() {
    landing_ = static_cast<char*>(kernel::map_anonymous(length(), PROT_READ | PROT_WRITE));
    if (!landing_) return false;
    std::memcpy(landing_, begin_, page_size);
    std::memcpy(landing_ + length() - page_size, end_ - page_size, page_size);
    if (kernel::forget(begin_, length())) return true;
    // A part of it is locked, and what lies before that part has been lost.
    unwatch(begin_, length());
    watched_ = false;
    std::memcpy(begin_, landing_, page_size);
    std::memcpy(end_ - page_size, landing_ + length() - page_size, page_size);
    return false;
  }

  void open_run(char* from, char* to) override {
    supply(from, landing(from), static_cast<std::size_t>(to - from), true);
  }

  void finish() override { release(); }

  void release() {
    if (watched_) unwatch(begin_, length());
    if (landing_) kernel::unmap(landing_, length());
    watched_ = false;
    landing_ = nullptr;
  }

  char* landing_ = nullptr;
  bool watched_ = false;
};

// Several sends may leave from the same pages: a page opens with the last.
class Outgoing final : public RegionBase {
 public:
  Outgoing(char* begin, char* end) : RegionBase(begin, end, true) {}

  bool close() {
    // A page that another send of the same buffer keeps closed exists.
    if (!meets_region(address_of(begin_), address_of(end_), true)) touch(begin_);
    if (!publish()) return false;
    if (!watch(begin_, length(), UFFDIO_REGISTER_MODE_WP) || !protect(begin_, length(), true)) {
      withdraw();
      unwatch_free_pages();
      return false;
    }
    return true;
  }

  char* landing(char* address) override { return address; }

 private:
  std::size_t length() const { return static_cast<std::size_t>(end_ - begin_); }

  void open_run(char* from, char* to) override {
    for_each_run_closed_by(*this, from, to,
                           [](char* a, char* b) { protect(a, static_cast<std::size_t>(b - a), false); });
  }

  void finish() override { unwatch_free_pages(); }

  void unwatch_free_pages() {
    for_each_run_closed_by(*this, begin_, end_,
                           [](char* a, char* b) { unwatch(a, static_cast<std::size_t>(b - a)); });
  }
};

}  // namespace

namespace {

std::unique_ptr<Region> close(char* begin, char* end, bool landed) {
  MemoryKind kind = memory_kind(address_of(begin), address_of(end));
  if (!kind.guardable || kind.file) return nullptr;
  auto region = std::make_unique<Incoming>(begin, end);
  if (!region->close(kind, landed)) return nullptr;
  return region;
}

}  // namespace

std::unique_ptr<Region> close_incoming(char* begin, char* end) { return close(begin, end, false); }
std::unique_ptr<Region> close_landed(char* begin, char* end) { return close(begin, end, true); }

std::unique_ptr<Region> close_outgoing(char* begin, char* end) {
  MemoryKind kind = memory_kind(address_of(begin), address_of(end));
  if (!kind.guardable || kind.file) return nullptr;
  auto region = std::make_unique<Outgoing>(begin, end);
  if (!region->close()) return nullptr;
  return region;
}

}  // namespace lapwing::guard::uffd
