// SPDX-License-Identifier: Apache-2.0
// Random transfers, all processes of both sides simulated, element by element
// against maps that count (random_case.hpp). LAPWING_CASES and LAPWING_SEED say
// how many and which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "arrays/random_case.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/schedules/pack.hpp"
#include "arrays/schedules/rendezvous.hpp"

namespace lapwing::arrays::testing {

namespace {

int equal_receivers = 0;  // cases in which the two conditions of HPF/MPI 2.2 held

using Buffer = std::vector<std::byte>;

class Simulation {
 public:
  Simulation(const Case& c, std::uint64_t seed) : case_(c), random_(seed) {
    bound_ = 1 << 24;
    for (const ElementType type : {c.source.type, c.destination.type}) {
      if (type == ElementType::int8) bound_ = std::min<std::int64_t>(bound_, 127);
      if (type == ElementType::int16) bound_ = std::min<std::int64_t>(bound_, 32767);
    }
  }

  void run() {
    make_sources();
    make_destinations();
    meet();
    for (int r = 0; r < case_.source_tasks; ++r)
      sends_.push_back(Schedule::sending(case_.source, case_.from, r, case_.destination, case_.to,
                                         case_.processes, &sent_[static_cast<std::size_t>(r)]));
    for (int r = 0; r < case_.destination_tasks; ++r)
      receives_.push_back(Schedule::receiving(case_.destination, case_.to, r, case_.source, case_.from,
                                              case_.processes, &received_[static_cast<std::size_t>(r)]));
    check_agreement();
    if (case_.source_lists.empty() && case_.destination_lists.empty()) check_rounds();
    for (int r = 0; r < case_.source_tasks; ++r) {
      for (const Piece& piece : sends_[static_cast<std::size_t>(r)].pieces()) move(r, piece);
    }
    expect();
    for (std::size_t r = 0; r < destinations_.size(); ++r)
      ASSERT_TRUE(destinations_[r] == expected_[r]) << "on receiver " << r;
  }

 private:
  void put(Buffer& buffer, const Distribution& distribution, std::int64_t offset, std::int64_t value) {
    const std::int64_t bytes = distribution.element_bytes();
    ASSERT_LE((offset + 1) * bytes, static_cast<std::int64_t>(buffer.size()));
    if (distribution.type == ElementType::opaque) {  // every byte counts
      for (std::int64_t k = 0; k < bytes; ++k)
        buffer[static_cast<std::size_t>(offset * bytes + k)] =
            static_cast<std::byte>((value >> (k % 3 * 8)) + k);
      return;
    }
    convert(ElementType::int64, &value, distribution.type, buffer.data() + offset * bytes, 1);
  }

  template <class Visit>
  static void each_index(const std::vector<std::int64_t>& extents, Visit visit) {
    std::vector<std::int64_t> index(extents.size(), 0);
    if (std::count(extents.begin(), extents.end(), 0) > 0) return;
    for (;;) {
      visit(index);
      std::size_t d = extents.size();
      while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }
  static std::vector<std::int64_t> extents_of(const Distribution& distribution) {
    std::vector<std::int64_t> result;
    for (const Dimension& d : distribution.dimensions) result.push_back(d.extent);
    return result;
  }
  std::int64_t value_at(const std::vector<std::int64_t>& index) const {
    std::int64_t id = 0;
    for (std::size_t d = 0; d < index.size(); ++d) id = id * case_.source.dimensions[d].extent + index[d];
    return 1 + id % (bound_ - 1);
  }

  // The rendezvous of all processes of both sides; those of one task are the same ones.
  void meet() {
    sent_.resize(static_cast<std::size_t>(case_.source_tasks));
    received_.resize(static_cast<std::size_t>(case_.destination_tasks));
    const bool same =
        !case_.processes.source.empty() && case_.processes.source == case_.processes.destination;
    const int parties = case_.source_tasks + (same ? 0 : case_.destination_tasks);
    std::vector<Rendezvous> all;
    for (int p = 0; p < parties; ++p) {
      const int out = p < case_.source_tasks ? p : -1;
      const int in = same ? p : p - case_.source_tasks;
      all.emplace_back(with_lists(case_.source, case_.source_lists, out, 1), case_.from, out,
                       with_lists(case_.destination, case_.destination_lists, in, 2), case_.to,
                       std::max(in, -1), parties, p);
    }
    for (int p = 0; p < parties; ++p)
      for (int q = 0; q < parties; ++q)
        all[static_cast<std::size_t>(q)].hear(p, all[static_cast<std::size_t>(p)].question(q));
    for (int p = 0; p < parties; ++p)
      for (int q = 0; q < parties; ++q)
        all[static_cast<std::size_t>(p)].learn(all[static_cast<std::size_t>(q)].answer(p));
    for (int p = 0; p < parties; ++p) {
      Rendezvous& here = all[static_cast<std::size_t>(p)];
      if (p < case_.source_tasks) sent_[static_cast<std::size_t>(p)] = here.sent();
      if (same || p >= case_.source_tasks)
        received_[static_cast<std::size_t>(same ? p : p - case_.source_tasks)] = here.received();
    }
  }

  void make_sources() {
    for (int r = 0; r < case_.source_tasks; ++r) {
      const OwnerMap map(case_.source, r, case_.source_lists);
      const LocalPart part = local_part(case_.source, r);
      // An allocation is counted only where it holds something.
      if (part.elements > 0) {
        ASSERT_EQ(part.allocated, map.allocated());
      }
      sources_.emplace_back(static_cast<std::size_t>(part.allocated * case_.source.element_bytes()),
                            std::byte{0x55});
      if (part.elements == 0) continue;
      std::int64_t owned = 0;
      each_index(extents_of(case_.source), [&](const std::vector<std::int64_t>& index) {
        const std::int64_t offset = map.offset(index);
        if (offset < 0) return;
        ++owned;
        put(sources_.back(), case_.source, offset, value_at(index));
      });
      ASSERT_EQ(owned, part.elements);
    }
  }

  void make_destinations() {
    for (int r = 0; r < case_.destination_tasks; ++r) {
      const LocalPart part = local_part(case_.destination, r);
      destinations_.emplace_back(static_cast<std::size_t>(part.allocated * case_.destination.element_bytes()),
                                 std::byte{0x2A});
    }
    expected_ = destinations_;
  }

  void check_agreement() {
    std::size_t pieces = 0;
    for (int p = 0; p < case_.source_tasks; ++p) {
      for (const Piece& out : sends_[static_cast<std::size_t>(p)].pieces()) {
        const Piece* in = receives_[static_cast<std::size_t>(out.partner)].piece_of(p);
        ASSERT_NE(in, nullptr) << p << " sends to " << out.partner << ", which expects nothing";
        ASSERT_EQ(out.elements, in->elements);
        ASSERT_EQ(out.round, in->round);
        ASSERT_EQ(out.self, in->self);
        ASSERT_GT(out.elements, 0);
        ++pieces;
      }
    }
    std::size_t expected = 0;
    for (const Schedule& schedule : receives_) expected += schedule.pieces().size();
    ASSERT_EQ(pieces, expected);
  }

  /// The two conditions of HPF/MPI 2.2.
  void check_rounds() {
    std::set<std::pair<std::int64_t, int>> met, kth;
    std::map<std::vector<int>, int> sets;
    std::size_t most = 0, senders = 0;
    bool kth_meet = false;
    for (const Schedule& schedule : sends_) {
      std::int64_t last = -1, k = 0;
      std::vector<int> receivers;
      for (const Piece& piece : schedule.pieces()) {
        ASSERT_GT(piece.round, last) << "one sender has two pieces in a round";
        last = piece.round;
        ASSERT_TRUE(met.emplace(piece.round, piece.partner).second)
            << "two senders meet at " << piece.partner;
        kth_meet = !kth.emplace(k++, piece.partner).second || kth_meet;
        receivers.push_back(piece.partner);
      }
      // A copy of a replicated source that serves nobody has other receivers than the rest.
      if (receivers.empty() && !replicated(case_.source)) continue;
      ++senders;
      most = std::max(most, receivers.size());
      std::sort(receivers.begin(), receivers.end());
      ++sets[receivers];
    }
    if (sets.size() == 1 && most >= senders) {
      ASSERT_FALSE(kth_meet);
      ++equal_receivers;
    }
  }

  static bool replicated(const Distribution& distribution) {
    std::int64_t positions = 1;
    for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) positions *= distribution.processes(d);
    return positions != distribution.grid.positions();
  }

  void move(int sender, const Piece& out) {
    const Piece& in = *receives_[static_cast<std::size_t>(out.partner)].piece_of(sender);
    const void* a = sources_[static_cast<std::size_t>(sender)].data();
    void* b = destinations_[static_cast<std::size_t>(out.partner)].data();
    if (random_() % 2 == 0) {
      copy_between(out, a, in, b);
      return;
    }
    Buffer wire(static_cast<std::size_t>(out.bytes()));
    strips(out.elements, [&](std::int64_t from, std::int64_t count) {
      pack(out, a, from, count, wire.data() + from * out.wire_bytes);
    });
    strips(out.elements, [&](std::int64_t from, std::int64_t count) {
      unpack(in, b, from, count, wire.data() + from * in.wire_bytes);
    });
  }

  template <class Do>
  void strips(std::int64_t elements, Do perform) {
    const std::int64_t largest =
        random_() % 3 == 0 ? elements : 1 + static_cast<std::int64_t>(random_() % 64);
    for (std::int64_t from = 0; from < elements;) {
      const std::int64_t count =
          std::min<std::int64_t>(elements - from, 1 + static_cast<std::int64_t>(random_()) % largest);
      perform(from, std::max<std::int64_t>(1, count));
      from += std::max<std::int64_t>(1, count);
    }
  }

  void expect() {
    const Section from = filled(case_.from, case_.source), to = filled(case_.to, case_.destination);
    std::vector<std::int64_t> counts;
    for (const auto& d : to.dimensions) counts.push_back(d.count);
    for (std::size_t r = 0; r < destinations_.size(); ++r) {
      const OwnerMap map(case_.destination, static_cast<int>(r), case_.destination_lists);
      each_index(counts, [&](const std::vector<std::int64_t>& index) {
        std::vector<std::int64_t> there(index.size()), here(from.dimensions.size());
        for (std::size_t s = 0; s < here.size(); ++s) here[s] = from.dimensions[s].first;
        for (std::size_t d = 0; d < index.size(); ++d) {
          there[d] = to.dimensions[d].first + index[d] * to.dimensions[d].stride;
          const int s = to.permutation.empty() ? static_cast<int>(d) : to.permutation[d];
          if (s >= 0)
            here[static_cast<std::size_t>(s)] +=
                index[d] * from.dimensions[static_cast<std::size_t>(s)].stride;
        }
        const std::int64_t offset = map.offset(there);
        if (offset >= 0) put(expected_[r], case_.destination, offset, value_at(here));
      });
    }
  }

  const Case& case_;
  std::mt19937_64 random_;
  std::int64_t bound_;
  std::vector<Buffer> sources_, destinations_, expected_;
  std::vector<Schedule> sends_, receives_;
  std::vector<KnownSets> sent_, received_;
};

}  // namespace

TEST(Transfers, EveryElementArrivesAndNothingElseIsTouched) {
  const std::int64_t cases = from_environment("LAPWING_CASES", random_cases(1000));
  const std::int64_t seed = from_environment("LAPWING_SEED", 1);
  for (std::int64_t k = 0; k < cases; ++k) {
    const auto number = static_cast<std::uint64_t>(seed + k);
    std::mt19937_64 random(number);
    const Case c = random_case(random);
    Simulation(c, number).run();
    if (HasFatalFailure()) FAIL() << "LAPWING_SEED=" << number << " LAPWING_CASES=1: " << c.describe();
  }
}

TEST(Transfers, IndexListsAmongTheDistributions) {
  const std::int64_t cases = from_environment("LAPWING_CASES", random_cases(600));
  const std::int64_t seed = from_environment("LAPWING_SEED", 1);
  for (std::int64_t k = 0; k < cases; ++k) {
    const auto number = static_cast<std::uint64_t>(seed + k);
    std::mt19937_64 random(number);
    Case c = random_case(random);
    add_lists(random, c);
    Simulation(c, number).run();
    if (HasFatalFailure()) FAIL() << "LAPWING_SEED=" << number << " LAPWING_CASES=1: " << c.describe();
  }
}

}  // namespace lapwing::arrays::testing
