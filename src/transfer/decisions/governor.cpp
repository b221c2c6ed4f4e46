// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/governor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "transfer/decisions/overlap.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

// Of a whole iteration, on both ranks together: less would not show.
constexpr double least_share = 0.03;
// Collectives whose sizes differ a little are one stream; no message's size is of this class.
constexpr unsigned any_size = ~0u;

unsigned size_class(std::size_t bytes) { return static_cast<unsigned>(std::bit_width(bytes)); }

}  // namespace

Governor::Governor(Engine& engine, bool always)
    : engine_(engine), always_(always), restless_(engine.settings().restless()), observer_(restless_) {
  judge_.permit(false);  // the turn of an agreement begins a trial
  engine_.set_expects_headers(expects());
  for (const int kind : {wish_kind, offer_kind, accept_kind, stop_kind, leave_kind}) {
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
  weighs_ |= bytes >= engine_.settings().guard_threshold;
  const Trial* trial = judge_.trial();
  const bool ended = tries_ && trial && trial->way() != Trial::Way::other;
  tries_ = tries_ && trial && !ended;
  const bool begins = judge_.iterations() != iterations_;
  // A loop that has been left ends it for the partners too; there is no iteration at whose end all could
  // change.
  if ((expected_ > 0 && !trial) || (ended && !begins)) stop_all(trial != nullptr);
  if (begins) {
    iterations_ = judge_.iterations();
    iteration_ended(ended);
  }
  if (sends) partner(peer).agreement.count_message();
}

void Governor::stir(int peer, bool sends) {
  Engine::letter_may_have_come();
  if (sends) partner(peer).agreement.count_message();
  for (auto& [rank, partner] : partners_) take_turn(rank, partner);
  if (++arrivals_ % 3 != 0) return;
  for (auto& [rank, partner] : partners_) {
    partner.agreement.iteration_ended();
    if (partner.agreement.state() == PairAgreement::State::stripped && arrivals_ % 2 == 0) {
      if (arrivals_ % 4 == 0) {
        stop(rank, partner, true);
      } else {
        tell(rank, leave_kind, 0, partner.agreement.leave());
      }
    } else if (partner.agreement.state() == PairAgreement::State::none && leads(rank)) {
      const bool later = partner.agreement.exchanges() && arrivals_ % 2 == 0;
      offer(rank, partner, later ? partner.agreement.place() : PairAgreement::Place{});
    }
  }
  agreements_changed();
}

// For LAPWING_VERBOSE=2. One write, so that the lines of several ranks stay whole.
void Governor::say() const {
  const Trial* trial = judge_.trial();
  std::string line =
      fmt::format("lapwing: rank {}: iteration {} of {:.3f} ms, {}:", engine_.world_rank(), iterations_,
                  static_cast<double>(judge_.iteration_ns()) * 1e-6, trial ? trial->name() : "no loop");
  for (const auto& [rank, partner] : partners_)
    line += fmt::format(" rank {} {}, could save {:.1f} %, it says {:.1f} %", rank, partner.agreement.name(),
                        100 * partner.share, 100 * partner.wished);
  fmt::print(stderr, "{}.\n", line);
}

void Governor::iteration_ended(bool trial_ended) {
  const auto iteration = static_cast<double>(std::max<std::uint64_t>(judge_.iteration_ns(), 1));
  const bool plain = !judge_.overlaps();
  for (auto& [rank, partner] : partners_) {
    partner.agreement.iteration_ended();
    // A wait that the engine drives shows nothing.
    if (plain) {
      if (!partner.watched) continue;
      const double share = std::min(1.0, static_cast<double>(partner.saved) / iteration);
      partner.share = partner.share == 0 ? share : (3 * partner.share + share) / 4;
    }
    partner.saved = 0;
    partner.watched = false;
  }
  if (trial_ended) leave_all();
  for (auto& [rank, partner] : partners_) take_turn(rank, partner);
  if (engine_.settings().verbose > 1) say();
  // A look is a system call in some MPIs: a loop of short messages only, about which there is nothing to
  // agree, makes none.
  if (std::exchange(weighs_, false)) Engine::letter_may_have_come();
  const Trial* trial = judge_.trial();
  if (!trial || trial->state() != Trial::State::watching) return;
  for (auto& [rank, partner] : partners_) {
    if (partner.pace.iteration(partner.agreement.expects())) stop(rank, partner, true);
    if (!engine_.never_strips(rank)) seek_agreement(rank, partner);
  }
}

// The partner's turn and this rank's are the same message.
void Governor::take_turn(int rank, Partner& partner) {
  PairAgreement& agreement = partner.agreement;
  if (!agreement.turn_has_come()) return;
  if (agreement.state() == PairAgreement::State::agreed && (restless_ || tries_ || begin_trial())) {
    agreement.strip();
    partner.pace.trial_began();
    agreements_changed();
    return;
  }
  if (agreement.state() == PairAgreement::State::offered) partner.pace.failed();
  // The partner has not answered the offer, this rank's plain way is not watched, or strips end as agreed.
  stop(rank, partner, would_try_again());
  release_if_alone();
  judge_.interrupted();
}

// With all partners whose turn has come.
bool Governor::begin_trial() {
  double planned = 0;
  for (const auto& [rank, partner] : partners_) {
    planned += partner.share;
    if (partner.agreement.state() == PairAgreement::State::agreed) planned += std::max(0.0, partner.wished);
  }
  return tries_ = judge_.begin_trial(planned);
}

// This rank's trial has ended. Its partners learn it in this iteration, in which messages still go in strips.
void Governor::leave_all() {
  for (auto& [rank, partner] : partners_) {
    if (partner.agreement.state() == PairAgreement::State::stripped) {
      tell(rank, leave_kind, would_not_try, partner.agreement.leave());
    } else if (!partner.agreement.strips()) {
      stop(rank, partner, would_try_again());
    }
  }
}

bool Governor::would_try_again() const {
  const Trial* trial = judge_.trial();
  return restless_ || (trial && trial->state() != Trial::State::refused);
}

// A trial that no partner takes part in any more has not failed here.
void Governor::release_if_alone() {
  if (stripping_ > 0) return;
  judge_.release();
  tries_ = false;
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

bool Governor::ready(const Partner& partner) const {
  const Trial* trial = judge_.trial();
  return restless_ || (trial && trial->ready() && partner.pace.may_agree() && !Overlap::overlaps());
}

void Governor::offer(int rank, Partner& partner, PairAgreement::Place place) {
  partner.agreement.offer(place);
  tell(rank, offer_kind, partner.share, place.messages, place.in_iteration);
  agreements_changed();
}

void Governor::seek_agreement(int rank, Partner& partner) {
  if (partner.agreement.state() != PairAgreement::State::none || !partner.agreement.exchanges() ||
      !ready(partner))
    return;
  if (leads(rank)) {
    if (partner.wished < 0 || partner.share + partner.wished < least_share) return;
    return offer(rank, partner, partner.agreement.place());
  }
  const double news = partner.share - partner.told;
  if (partner.told != untold && std::max(news, -news) < least_share / 2) return;
  partner.told = partner.share;
  tell(rank, wish_kind, partner.share);
}

void Governor::tell(int rank, int kind, double share, std::uint64_t number, std::uint64_t in_iteration) {
  Engine::letter_may_have_come();  // so that a wait posts this one before long
  to_post_.push_back({rank, kind, {share, number, in_iteration}});
  if (stripping_ > 0) post_letters();  // no message of weight waits for MPI to answer
}

void Governor::agreements_changed() {
  expected_ = stripping_ = 0;
  for (const auto& [rank, partner] : partners_) {
    expected_ += partner.agreement.expects();
    stripping_ += partner.agreement.strips();
  }
  engine_.set_expects_headers(expects());
  // While messages are plain it would answer the partner's before this rank has posted its own.
  if (stripping_ > 0) engine_.wake_helper();
}

void Governor::stop(int rank, Partner& partner, bool tries_again) {
  if (partner.agreement.ending()) return;
  const std::uint64_t headers = partner.agreement.stop();
  partner.told = untold;
  agreements_changed();
  tell(rank, stop_kind, tries_again ? partner.share : would_not_try, headers);
}

void Governor::stop_all(bool tries_again) {
  for (auto& [rank, partner] : partners_) stop(rank, partner, tries_again);
}

void Governor::note_header(int peer) {
  PairAgreement& agreement = partner(peer).agreement;
  const bool expected = agreement.expects();
  agreement.count_header();
  if (expected != agreement.expects()) agreements_changed();
}

void Governor::on_letter(int kind, int source, const char* data, std::size_t size) {
  Letter letter;
  if (closed_ || size != sizeof letter) return;
  std::memcpy(&letter, data, sizeof letter);
  Partner& from = partner(source);
  from.wished = letter.share;
  switch (kind) {
    case offer_kind:
      answer(source, from, {letter.number, letter.in_iteration});
      break;
    case accept_kind:
      from.agreement.accepted(letter.number);
      break;
    case leave_kind:
      if (!from.agreement.partner_leaves(letter.number)) stop(source, from, true);
      break;
    case stop_kind:
      stop(source, from, true);
      from.agreement.partner_stopped(letter.number);
      release_if_alone();
      break;
    default:
      break;
  }
  agreements_changed();
}

void Governor::answer(int rank, Partner& partner, PairAgreement::Place place) {
  const bool willing = ready(partner);
  const std::uint64_t turn = partner.agreement.offered(place);
  if (!willing) return stop(rank, partner, false);
  partner.told = partner.share;
  tell(rank, accept_kind, partner.share, turn);
}

void Governor::note_send(int peer, std::uint64_t began, std::uint64_t took) {
  observer_.note_in_mpi(took);
  if (!always_) sends_.note({peer, std::this_thread::get_id(), began, took});
}

std::uint64_t Governor::claim_send(int peer, std::uint64_t posted) {
  return posted == 0 ? 0 : sends_.claim(peer, posted, std::this_thread::get_id());
}

bool Governor::strips(int peer) const {
  if (always_) return true;
  if (stripping_ == 0) return false;
  const auto found = partners_.find(peer);
  if (found == partners_.end() || !found->second.agreement.strips()) return false;
  return restless_ || judge_.overlaps() || found->second.agreement.state() == PairAgreement::State::leaving;
}

bool Governor::received(Site& site, int peer, std::size_t bytes, std::uint64_t waited) {
  if (always_ || closed_) return false;
  bool look = false;
  const std::uint64_t saved = observer_.received(site.streams[size_class(bytes)], waited, &look);
  Partner& from = partner(peer);
  from.saved += saved;
  from.watched = true;
  return look;
}

std::uint64_t Governor::brought(Site& site, std::uint64_t waited, bool* look) {
  *look = false;
  return closed_ ? 0 : observer_.received(site.streams[any_size], waited, look);
}

void Governor::observe(Site& site, Site& started, char* base, std::size_t bytes, std::uint64_t waited) {
  observer_.observe(site.streams[size_class(bytes)], started, base, bytes, waited);
}

void Governor::observe_collective(Site& site, char* base, std::size_t bytes, std::uint64_t waited) {
  observer_.observe(site.streams[any_size], site, base, bytes, waited);
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
