// SPDX-License-Identifier: Apache-2.0
// A loop that the compiler has divided asks here which of its rounds run before the wait.
#include <memory>

#include "entry/compiled/verify.hpp"
#include "transfer/compiled/given_buffers.hpp"
#include "transfer/compiled/interior_range.hpp"
#include "transfer/compiled/look_pace.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/compiled/remembered_divisions.hpp"
#include "transfer/compiled/rounds_left.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/wire/datatype.hpp"
#include "transfer/wire/type_layout.hpp"

namespace transfer = lapwing::transfer;
using lapwing::entry::Verify;
using transfer::Proved;

namespace {

// One loop is described at a time: no call and no other loop stands between these calls.
struct Description {
  transfer::InteriorRange range;
  transfer::Box found;
  std::uintptr_t from = 0;  // where the next message begins
  transfer::LookPace looks;
};

// On the heap: an engine that a process loads late finds little room for variables of threads.
Description& description() {
  static thread_local std::unique_ptr<Description> one;
  if (!one) one = std::make_unique<Description>();
  return *one;
}

static_assert(sizeof(transfer::RoundsLeft) == sizeof(lapwing_left));

transfer::RoundsLeft& rounds_left(lapwing_left* left) {
  return *reinterpret_cast<transfer::RoundsLeft*>(left);
}

static_assert(sizeof(transfer::Addresses) == sizeof(lapwing_rounds));

transfer::RememberedDivisions& remembered() {
  static thread_local std::unique_ptr<transfer::RememberedDivisions> all;
  if (!all) all = std::make_unique<transfer::RememberedDivisions>();
  return *all;
}

}  // namespace

// Where nothing is put in flight the loop runs as it was written.
LAPWING_ENTRY int lapwing_interior_is_worth(unsigned long long bytes) {
  if (bytes < Proved::threshold() || Proved::way() == Proved::Way::blocking) return Verify::on();
  std::uint64_t flight = Proved::looks_briefly() ? 0 : transfer::LookPace::without_end;
  if (!transfer::Overlap::divides(&flight)) return 0;
  if (!transfer::Overlap::overlaps()) transfer::Overlap::carry();
  description().looks.begin(flight);
  return 1;
}

LAPWING_ENTRY void lapwing_interior_begin(long long back_edges) {
  description().range.begin(static_cast<std::uint64_t>(back_edges));
}

LAPWING_ENTRY void lapwing_interior_inside(long long back_edges) {
  description().range.inside(static_cast<std::uint64_t>(back_edges));
}

LAPWING_ENTRY void lapwing_interior_access(const void* first, long long bytes, int flags, long long by,
                                           long long by1, long long back_edges1, long long by2,
                                           long long back_edges2, long long by3, long long back_edges3) {
  Description& d = description();
  const auto place = reinterpret_cast<std::uintptr_t>(first);
  const bool writes = (flags & lapwing_interior_writes) != 0;
  if (flags & lapwing_interior_from) {
    d.from = place;
    return;
  }
  if (flags & lapwing_interior_message) {
    const std::uint64_t size = place > d.from ? place - d.from : 0;
    return d.range.keep({d.from, size, writes, 0, {}, (flags & lapwing_interior_met) != 0});
  }
  const transfer::AffineAccess access{place,
                                      static_cast<std::uint64_t>(bytes),
                                      writes,
                                      by,
                                      {{{by1, static_cast<std::uint64_t>(back_edges1)},
                                        {by2, static_cast<std::uint64_t>(back_edges2)},
                                        {by3, static_cast<std::uint64_t>(back_edges3)}}},
                                      (flags & lapwing_interior_met) != 0,
                                      (flags & lapwing_interior_alone) != 0};
  if (flags & lapwing_interior_number) return d.range.fit(access, bytes);
  flags& lapwing_interior_kept ? d.range.keep(access) : d.range.access(access);
}

static_assert(sizeof(transfer::GivenBuffers) == sizeof(lapwing_given));

LAPWING_ENTRY void lapwing_interior_give(lapwing_given* given, const void* first, long long bytes) {
  if (bytes > 0)
    reinterpret_cast<transfer::GivenBuffers*>(given)->add(reinterpret_cast<std::uintptr_t>(first),
                                                          static_cast<std::uint64_t>(bytes));
}

LAPWING_ENTRY void lapwing_interior_keep(const lapwing_given* given, int flags) {
  for (const transfer::Addresses& range : *reinterpret_cast<const transfer::GivenBuffers*>(given))
    description().range.keep({static_cast<std::uintptr_t>(range.begin),
                              static_cast<std::uint64_t>(range.end - range.begin),
                              (flags & lapwing_interior_writes) != 0,
                              0,
                              {},
                              (flags & lapwing_interior_met) != 0});
}

LAPWING_ENTRY void lapwing_interior_lay_out(lapwing_layout* layout, const void* buffer, long long count,
                                            MPI_Datatype type) {
  if (Proved::way() == Proved::Way::blocking && !Verify::on()) {
    *layout = {
        {0, 0, -1, 0, 0, 0, 0, 0, 0}};  // all memory: no round runs early, should it be asked all the same
    return;
  }
  const transfer::AffineAccess lies = transfer::layout_of(buffer, count, type);
  long long* word = layout->words;
  *word++ = static_cast<long long>(transfer::payload_bytes(count, type));
  *word++ = static_cast<long long>(lies.first);
  *word++ = static_cast<long long>(lies.bytes);
  for (const auto& [by, back_edges] : lies.steps) {
    *word++ = by;
    *word++ = static_cast<long long>(back_edges);
  }
}

LAPWING_ENTRY void lapwing_interior_lay_out_(lapwing_layout* layout, const void* buffer, long long count,
                                             const MPI_Fint* type) {
  lapwing_interior_lay_out(layout, buffer, count, PMPI_Type_f2c(*type));
}

LAPWING_ENTRY void lapwing_interior_keep_layout(const lapwing_layout* layout, int flags) {
  const long long* word = layout->words;
  lapwing_interior_access(reinterpret_cast<const void*>(word[1]), word[2], flags, 0, word[3], word[4],
                          word[5], word[6], word[7], word[8]);
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_end(void) {
  description().found = description().range.find();
  return lapwing_interior_end_inside(0);
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_end_inside(int loop) {
  const transfer::Rounds found = description().found[static_cast<std::size_t>(loop)];
  return {found.begin, found.end};
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_avoided(int which) {
  const transfer::Addresses range = description().range.avoided()[static_cast<std::size_t>(which)];
  return {range.begin, range.end};
}

LAPWING_ENTRY void lapwing_interior_open(lapwing_left* left, long long begin, long long end,
                                         long long rounds) {
  transfer::RoundsLeft& opened = rounds_left(left);
  opened = {begin, end, rounds, 0, nullptr, 0, 0, 0, opened.remembered};
}

LAPWING_ENTRY int lapwing_interior_recall(lapwing_left* left, const long long* numbers, long long count) {
  return remembered().recall(rounds_left(left), numbers, static_cast<std::size_t>(count));
}

LAPWING_ENTRY void lapwing_interior_remember(lapwing_left* left, const long long* numbers, long long count,
                                             const lapwing_rounds* lists, long long list_count) {
  remembered().remember(rounds_left(left), numbers, static_cast<std::size_t>(count),
                        reinterpret_cast<const transfer::Addresses*>(lists),
                        static_cast<std::size_t>(list_count));
  transfer::Overlap::looked();
}

LAPWING_ENTRY void lapwing_interior_written(lapwing_left* left, const void* first, long long bytes) {
  remembered().written(rounds_left(left), reinterpret_cast<std::uintptr_t>(first),
                       static_cast<std::uint64_t>(bytes));
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_early(lapwing_left* left) {
  const transfer::Rounds run = transfer::next_early_run(rounds_left(left));
  return {run.begin, run.end};
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_look(lapwing_left* left) {
  const bool is_over = transfer::Overlap::overlaps() && !Proved::in_flight();
  const transfer::Rounds run = transfer::next_looked_run(
      rounds_left(left), is_over ? 0 : description().looks.next(transfer::now_ns()));
  return {run.begin, run.end};
}

LAPWING_ENTRY void lapwing_interior_put_aside(lapwing_left* left, long long round) {
  transfer::put_aside(rounds_left(left), round);
}

LAPWING_ENTRY void lapwing_interior_stop(lapwing_left* left, long long round) {
  transfer::stop(rounds_left(left), round);
}

LAPWING_ENTRY lapwing_rounds lapwing_interior_left(lapwing_left* left) {
  const transfer::Rounds run = transfer::next_run(rounds_left(left));
  return {run.begin, run.end};
}
