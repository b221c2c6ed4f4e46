// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/governor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "transfer/decisions/overlap.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

// Of a whole iteration, on both ranks together: less would not show.
constexpr double least_share = 0.03;
// A receive that waits for less is not worth a look.
constexpr std::uint64_t least_wait = 50'000;
constexpr std::uint64_t first_looks = 2, between_looks = 256;
// A stream is the messages of one size of all of a halo's faces, so the next few may come before the program
// has had time to touch this one. After so many it has not needed the parts that it has not touched.
constexpr std::uint64_t given_up = 32;
// Collectives whose sizes differ a little are one stream; no message's size is of this class.
constexpr unsigned any_size = ~0u;

unsigned size_class(std::size_t bytes) { return static_cast<unsigned>(std::bit_width(bytes)); }

// The first receive of a program may be unlike the others.
bool look_is_due(const Stream& stream) {
  if (stream.looks < first_looks) return stream.calls > 1;
  return stream.calls - stream.last_look >= between_looks;
}

}  // namespace

Governor::Governor(Engine& engine, bool always)
    : engine_(engine), always_(always), restless_(engine.settings().restless()) {
  judge_.permit(false, 0);
  engine_.set_expects_headers(expects());
  for (const int kind : {wish_kind, offer_kind, accept_kind, stop_kind}) {
    engine.control().on(
        kind, [this, kind](int s, const char* data, std::size_t size) { on_letter(kind, s, data, size); });
  }
}

bool Governor::leads(int rank) const { return engine_.world_rank() < rank; }

void Governor::arrive(const Site& site, int peer, std::size_t bytes, bool sends) {
  if (always_ || closed_) return;
  if (restless_) return stir(peer, sends);
  const std::uint64_t key = std::uint64_t{site.key} << 40 | std::uint64_t{size_class(bytes)} << 33 |
                            std::uint64_t{sends} << 32 | static_cast<std::uint32_t>(peer);
  judge_.begins(key, now_ns());
  const Trial* trial = judge_.trial();
  const bool tries = trial && trial->way() == Trial::Way::other;
  const bool ended = tries_ && !tries;
  if (tries && !tries_) pace_.trial_began();
  tries_ = tries;
  // A loop that has been left, or a way that does not pay, ends it for the partners too.
  if (ended || (expected_ > 0 && !trial)) stop_all(trial && trial->state() != Trial::State::refused);
  if (judge_.iterations() == iterations_) return;
  iterations_ = judge_.iterations();
  iteration_ended();
}

void Governor::stir(int peer, bool sends) {
  Engine::letter_may_have_come();
  if (sends) partner(peer);
  if (++arrivals_ % 3 != 0) return;
  for (auto& [rank, partner] : partners_) {
    if (partner.agreement == Agreement::agreed && arrivals_ % 2 == 0) {
      stop(rank, partner, true);
    } else if (partner.agreement == Agreement::none && leads(rank)) {
      enter(partner, Agreement::offered);
      tell(rank, offer_kind, 0);
    }
  }
}

// For LAPWING_VERBOSE=2.
void Governor::say() const {
  const Trial* trial = judge_.trial();
  fmt::print(stderr, "lapwing: rank {}: iteration {} of {:.3f} ms, {}:", engine_.world_rank(), iterations_,
             static_cast<double>(judge_.iteration_ns()) * 1e-6, trial ? trial->name() : "no loop");
  static constexpr const char* names[] = {"plain", "offered", "agreed", "stopping", "draining"};
  for (const auto& [rank, partner] : partners_)
    fmt::print(stderr, " rank {} {}, could save {:.1f} %, it says {:.1f} %", rank,
               names[static_cast<int>(partner.agreement)], 100 * partner.share, 100 * partner.wished);
  fmt::print(stderr, ".\n");
}

void Governor::iteration_ended() {
  const auto iteration = static_cast<double>(std::max<std::uint64_t>(judge_.iteration_ns(), 1));
  const bool plain = !judge_.overlaps();
  for (auto& [rank, partner] : partners_) {
    // A wait that the engine drives shows nothing.
    if (plain) {
      if (!partner.watched) continue;
      const double share = std::min(1.0, static_cast<double>(partner.saved) / iteration);
      partner.share = partner.share == 0 ? share : (3 * partner.share + share) / 4;
    }
    partner.saved = 0;
    partner.watched = false;
  }
  if (engine_.settings().verbose > 1) say();
  Engine::letter_may_have_come();
  const Trial* trial = judge_.trial();
  if (!trial || trial->state() != Trial::State::watching) return;
  if (pace_.iteration(expected_ > 0)) stop_all(true);
  if (!pace_.may_agree() || Overlap::overlaps()) return;
  for (auto& [rank, partner] : partners_) seek_agreement(rank, partner);
}

void Governor::close() {
  closed_ = true;
  Engine::letters_were_read();
  post_letters();
}

void Governor::attend() {
  if (Engine::letters_due() == 0 && expected_ == 0) return;
  post_letters();
  engine_.control().progress();
  post_letters();  // the answers
  Engine::letters_were_read();
}

void Governor::post_letters() {
  for (const Unposted& out : to_post_)
    engine_.control().send(out.rank, out.kind, &out.letter, sizeof(Letter));
  to_post_.clear();
}

void Governor::seek_agreement(int rank, Partner& partner) {
  if (partner.agreement != Agreement::none) return;
  if (leads(rank)) {
    if (partner.wished < 0 || partner.share + partner.wished < least_share) return;
    enter(partner, Agreement::offered);
    tell(rank, offer_kind, partner.share);
    return;
  }
  const double news = partner.share - partner.told;
  if (partner.told != untold && std::max(news, -news) < least_share / 2) return;
  partner.told = partner.share;
  tell(rank, wish_kind, partner.share);
}

void Governor::tell(int rank, int kind, double share) {
  Engine::letter_may_have_come();  // so that a wait posts this one before long
  to_post_.push_back({rank, kind, {share, partners_[rank].sent}});
}

void Governor::enter(Partner& partner, Agreement agreement) {
  expected_ += (agreement != Agreement::none) - (partner.agreement != Agreement::none);
  partner.agreement = agreement;
  engine_.set_expects_headers(expects());
  if (expected_ > 0) engine_.wake_helper();
  permit();
}

// The trial may begin once a partner has agreed.
void Governor::permit() {
  double others = 0;
  bool agreed = false;
  for (const auto& [rank, partner] : partners_) {
    if (partner.agreement != Agreement::agreed) continue;
    agreed = true;
    others += std::max(0.0, partner.wished);
  }
  judge_.permit(agreed, others);
}

void Governor::stop(int rank, Partner& partner, bool would_try_again) {
  if (partner.agreement != Agreement::offered && partner.agreement != Agreement::agreed) return;
  enter(partner, Agreement::stopping);
  partner.told = untold;
  tell(rank, stop_kind, would_try_again ? partner.share : would_not_try);
}

void Governor::stop_all(bool would_try_again) {
  for (auto& [rank, partner] : partners_) stop(rank, partner, would_try_again);
}

void Governor::settle(Partner& partner) {
  if (partner.agreement == Agreement::draining && partner.came >= partner.due)
    enter(partner, Agreement::none);
}

void Governor::note_header(int peer) {
  Partner& from = partner(peer);
  ++from.came;
  settle(from);
}

void Governor::on_letter(int kind, int source, const char* data, std::size_t size) {
  Letter letter;
  if (closed_ || size != sizeof letter) return;
  std::memcpy(&letter, data, sizeof letter);
  Partner& from = partner(source);
  from.wished = letter.share;
  switch (kind) {
    case offer_kind: {
      const Trial* trial = judge_.trial();
      const bool ready =
          restless_ || (trial && trial->state() == Trial::State::watching && pace_.may_agree());
      enter(from, Agreement::agreed);
      if (ready) {
        from.told = from.share;
        tell(source, accept_kind, from.share);
      } else {
        stop(source, from, false);
      }
      break;
    }
    case accept_kind:
      if (from.agreement == Agreement::offered) enter(from, Agreement::agreed);
      break;
    case stop_kind:
      from.due = letter.sent;
      stop(source, from, true);
      enter(from, Agreement::draining);
      settle(from);
      if (std::none_of(partners_.begin(), partners_.end(),
                       [](const auto& entry) { return entry.second.agreement == Agreement::agreed; })) {
        judge_.release();
        tries_ = false;
      }
      break;
    default:
      break;
  }
}

void Governor::note_send(int peer, std::uint64_t began, std::uint64_t took) {
  note_in_mpi(took);
  if (!always_) sends_.note({peer, std::this_thread::get_id(), began, took});
}

std::uint64_t Governor::claim_send(int peer, std::uint64_t posted) {
  return posted == 0 ? 0 : sends_.claim(peer, posted, std::this_thread::get_id());
}

bool Governor::strips(int peer) const {
  if (always_) return true;
  if (!restless_ && !judge_.overlaps()) return false;
  const auto found = partners_.find(peer);
  return found != partners_.end() && found->second.agreement == Agreement::agreed;
}

bool Governor::received(Site& site, int peer, std::size_t bytes, std::uint64_t waited) {
  if (always_ || closed_) return false;
  bool look = false;
  const std::uint64_t saved = watch(site.streams[size_class(bytes)], waited, &look);
  Partner& from = partner(peer);
  from.saved += saved;
  from.watched = true;
  judge_.went_plainly(saved, saved);
  return look;
}

std::uint64_t Governor::brought(Site& site, std::uint64_t waited, bool* look) {
  *look = false;
  return closed_ ? 0 : watch(site.streams[any_size], waited, look);
}

std::uint64_t Governor::watch(Stream& stream, std::uint64_t waited, bool* look) {
  ++stream.calls;
  const std::uint64_t saved = saving(waited, stream.touches);
  if (stream.observed && stream.calls - stream.last_look >= given_up) {
    for (Observed& observed : observations_) {
      if (observed.stream == &stream) observed.observation->end(nullptr, nullptr, 0, 0);
    }
    advance();
  }
  *look = !stream.observed && (restless_ || (waited >= least_wait && look_is_due(stream)));
  if (*look) stream.looked(stream.calls);
  return saved;
}

void Governor::observe(Site& site, Site& started, char* base, std::size_t bytes, std::uint64_t waited) {
  observe(site.streams[size_class(bytes)], started, base, bytes, waited);
}

void Governor::observe_collective(Site& site, char* base, std::size_t bytes, std::uint64_t waited) {
  observe(site.streams[any_size], site, base, bytes, waited);
}

void Governor::observe(Stream& stream, Site& started, char* base, std::size_t bytes, std::uint64_t waited) {
  auto observation = Observation::begin(base, bytes, now_ns(), in_mpi_);
  if (!observation) return;
  stream.observed = true;
  observations_.push_back({std::move(observation), &stream, &started, waited});
}

bool Governor::advance() {
  bool moved = false;
  for (auto it = observations_.begin(); it != observations_.end();) {
    moved |= it->observation->advance(now_ns(), in_mpi_);
    if (!it->observation->ended()) {
      ++it;
      continue;
    }
    it->stream->touches = it->observation->touches();
    ++(saving(it->waited, it->stream->touches) > 0 ? it->started->looks_worth_it
                                                   : it->started->looks_in_vain);
    it->stream->observed = false;
    it = observations_.erase(it);
  }
  return moved;
}

void Governor::end_observations(const char* from, const char* to) {
  for (Observed& observed : observations_) {
    if (observed.observation->meets(from, to)) observed.observation->end(from, to, now_ns(), in_mpi_);
  }
  advance();
}

Verdict Governor::verdict() const {
  const Trial* trial = judge_.trial();
  if (always_) return Verdict::hides;
  if (!trial) return Verdict::watches;
  switch (trial->state()) {
    case Trial::State::kept:
      return Verdict::hides;
    case Trial::State::trying:
      return Verdict::tries;
    case Trial::State::refused:
      return Verdict::stands_aside;
    default:
      return Verdict::watches;
  }
}

}  // namespace lapwing::transfer
