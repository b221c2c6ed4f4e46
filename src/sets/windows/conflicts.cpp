// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/conflicts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sets/orders/clocks.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t most_pairs = 20'000'000;  // that are compared

/// One run of an access, among those to one window of one process.
struct Touch {
  ByteRange run;
  int rank;
  std::size_t access;
};

class ConflictSearch {
 public:
  ConflictSearch(const std::vector<Acts>& acts, const std::vector<AccessRecord>& accesses)
      : accesses_(accesses), places_(places_of(accesses)), clocks_(acts, places_) {
    for (std::size_t rank = 0; rank < accesses.size(); ++rank) {
      for (std::size_t i = 0; i < accesses[rank].list.size(); ++i) add(static_cast<int>(rank), i);
    }
  }

  std::vector<Conflict> run(std::size_t most) {
    for (auto& [place, touches] : touches_) {
      std::sort(touches.begin(), touches.end(),
                [](const Touch& a, const Touch& b) { return a.run.begin < b.run.begin; });
      note_what_is_learned(touches);
    }
    for (const auto& [place, touches] : touches_) {
      visit_overlaps(touches, [&](const Touch& a, const Touch& b) { judge(a, b); });
      if (found_.size() >= most) break;
    }
    if (found_.size() > most) found_.resize(most);
    return found_;
  }

 private:
  using Target = std::pair<std::uint64_t, std::int32_t>;

  static std::vector<std::vector<std::uint32_t>> places_of(const std::vector<AccessRecord>& accesses) {
    std::vector<std::vector<std::uint32_t>> places;
    for (const AccessRecord& record : accesses) {
      std::set<std::uint32_t> own;
      for (const Access& access : record.list) own.insert(access.from);
      places.emplace_back(own.begin(), own.end());
    }
    return places;
  }

  const Access& of(const Touch& touch) const {
    return accesses_[static_cast<std::size_t>(touch.rank)].list[touch.access];
  }

  void add(int rank, std::size_t i) {
    const AccessRecord& record = accesses_[static_cast<std::size_t>(rank)];
    const Access& access = record.list[i];
    if (access.kind == Access::look) learns(rank, access.begun);
    for (std::uint32_t r = 0; r < access.runs; ++r)
      touches_[{access.window, access.target}].push_back({record.runs[access.first_run + r], rank, i});
  }

  /// From the clock's `begun` on the process may know what it has read.
  void learns(int rank, std::uint32_t begun) {
    const auto [found, is_new] = learned_.try_emplace(rank, begun);
    if (!is_new) found->second = std::min(found->second, begun);
  }

  template <typename Visit>
  void visit_overlaps(const std::vector<Touch>& touches, Visit visit) {
    std::vector<const Touch*> open;
    for (const Touch& touch : touches) {
      std::erase_if(open, [&](const Touch* other) { return other->run.end() <= touch.run.begin; });
      for (const Touch* other : open) {
        if (++compared_ > most_pairs) return;
        visit(*other, touch);
      }
      open.push_back(&touch);
    }
  }

  void note_what_is_learned(const std::vector<Touch>& touches) {
    for (const Touch& touch : touches) {
      // In its own memory a process can read without a call.
      const Access& access = of(touch);
      if (access.passive && access.writes() && access.target != touch.rank) learns(access.target, 0);
    }
    const auto learn = [&](const Touch& reader, const Touch& writer) {
      if (reader.rank == writer.rank || !of(reader).passive) return;
      if (of(reader).reads() && of(writer).writes()) learns(reader.rank, of(reader).begun);
    };
    visit_overlaps(touches, [&](const Touch& a, const Touch& b) {
      learn(a, b);
      learn(b, a);
    });
  }

  static bool may_meet(const Access& a, const Access& b) {
    if (!a.writes() && !b.writes()) return true;
    if (a.kind != Access::accumulate || b.kind != Access::accumulate) return false;
    return a.op == b.op || a.op == Access::no_op || b.op == Access::no_op || a.op == Access::swap ||
           b.op == Access::swap;
  }

  bool may_have_learned(const Touch& touch) const {
    const auto found = learned_.find(touch.rank);
    return found != learned_.end() && of(touch).begun > found->second;
  }

  bool is_before(const Touch& first, const Touch& second) const {
    const auto rank = static_cast<std::size_t>(second.rank);
    const auto place = std::lower_bound(places_[rank].begin(), places_[rank].end(), of(second).from);
    const Clocks::Known& known =
        clocks_.at(second.rank, static_cast<std::size_t>(place - places_[rank].begin()));
    if (known.empty()) return true;
    const std::uint32_t acts = known[static_cast<std::size_t>(first.rank)];
    return acts == Clocks::everything || acts > of(first).until;
  }

  bool are_ordered(const Touch& a, const Touch& b) const {
    if (a.rank == b.rank) {
      const Access &first = of(a).begun < of(b).begun ? of(a) : of(b),
                   &second = &first == &of(a) ? of(b) : of(a);
      // MPI keeps the order of what one process accumulates in one place.
      return first.ended <= second.begun ||
             (first.kind == Access::accumulate && second.kind == Access::accumulate);
    }
    if (of(a).exclusive || of(b).exclusive) return true;
    if ((of(a).passive || of(b).passive) && (may_have_learned(a) || may_have_learned(b))) return true;
    return is_before(a, b) || is_before(b, a);
  }

  void judge(const Touch& a, const Touch& b) {
    if (a.rank == b.rank && a.access == b.access) return;
    if (may_meet(of(a), of(b)) || are_ordered(a, b)) return;
    const Touch &first = std::tie(a.rank, a.access) < std::tie(b.rank, b.access) ? a : b,
                &second = &first == &a ? b : a;
    if (!seen_.insert({first.rank, of(first).place, second.rank, of(second).place}).second) return;
    const std::int64_t begin = std::max(a.run.begin, b.run.begin), end = std::min(a.run.end(), b.run.end());
    found_.push_back({first.rank, second.rank, first.access, second.access, {begin, end - begin}});
  }

  const std::vector<AccessRecord>& accesses_;
  const std::vector<std::vector<std::uint32_t>> places_;
  Clocks clocks_;
  std::map<Target, std::vector<Touch>> touches_;
  std::map<int, std::uint32_t> learned_;
  std::set<std::tuple<int, std::uint32_t, int, std::uint32_t>> seen_;
  std::vector<Conflict> found_;
  std::uint64_t compared_ = 0;
};

}  // namespace

std::vector<Conflict> find_conflicts(const std::vector<Acts>& acts, const std::vector<AccessRecord>& accesses,
                                     std::size_t most) {
  return ConflictSearch(acts, accesses).run(most);
}

}  // namespace lapwing::sets
