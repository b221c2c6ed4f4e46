// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/matching.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::arrays {
namespace {

bool fits(int wanted, int tag) { return wanted == any || wanted == tag; }

}  // namespace

std::uint64_t Sends::post(int tag, Request* request) {
  sends_.push_back({next_, tag, request});
  return next_++;
}

void Sends::receive(std::optional<std::uint64_t> number, int tag, Side side) {
  receives_.push_back({number, tag, std::move(side)});
}

std::vector<Match> Sends::take(int task) {
  std::vector<Match> matches;
  auto reserved = [&](std::uint64_t number) {
    return std::any_of(receives_.begin(), receives_.end(),
                       [&](const Receive& r) { return r.number && *r.number == number; });
  };
  for (auto receive = receives_.begin(); receive != receives_.end();) {
    const auto send = std::find_if(sends_.begin(), sends_.end(), [&](const Send& s) {
      if (receive->number) return s.number == *receive->number;
      return fits(receive->tag, s.tag) && !reserved(s.number);
    });
    if (send == sends_.end()) {
      ++receive;
      continue;
    }
    matches.push_back({send->request, task, send->number, send->tag, std::move(receive->side)});
    sends_.erase(send);
    receive = receives_.erase(receive);
  }
  return matches;
}

bool Receives::post(int task, int tag, Request* request) {
  const bool announced =
      task != any && std::all_of(posted_.begin(), posted_.end(), [](const Posted& p) { return p.announced; });
  posted_.push_back({task, tag, request, announced});
  if (task == any) {
    Posted& here = posted_.back();
    here.wildcard = wildcards_++;
    for (auto known = early_.begin(); known != early_.end(); ++known) {
      if (known->wildcard != here.wildcard) continue;
      here.task = known->task;
      here.takes = known->number;
      early_.erase(known);
      break;
    }
  }
  return announced;
}

void Receives::offer(int task, std::uint64_t number, int tag, Side side) {
  offers_[static_cast<std::size_t>(task)].push_back({number, tag, std::move(side), arrivals_++});
}

void Receives::decision(std::uint64_t wildcard, int task, std::uint64_t number) {
  for (Posted& here : posted_) {
    if (here.task != any || here.wildcard != wildcard) continue;
    here.task = task;
    here.takes = number;
    return;
  }
  early_.push_back({wildcard, task, number});
}

// Whether a receive that was posted earlier takes this offer, or might.
bool Receives::claimed(std::size_t before, int task, const Offer& offer) const {
  for (std::size_t i = 0; i < before; ++i) {
    const Posted& earlier = posted_[i];
    if (earlier.task == any ? fits(earlier.tag, offer.tag)
                            : earlier.task == task && earlier.takes == offer.number)
      return true;
  }
  return false;
}

std::optional<std::size_t> Receives::find(std::size_t posted, int task) const {
  const Posted& here = posted_[posted];
  const auto& offers = offers_[static_cast<std::size_t>(task)];
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const bool wanted = here.takes ? offers[i].number == *here.takes
                                   : fits(here.tag, offers[i].tag) && !claimed(posted, task, offers[i]);
    if (wanted) return i;
  }
  return std::nullopt;
}

// On the process that decides: the offer that came first.
bool Receives::settle(std::size_t posted, std::vector<Decision>* decisions) {
  Posted& here = posted_[posted];
  const Offer* first = nullptr;
  int from = 0;
  for (std::size_t task = 0; task < offers_.size(); ++task) {
    const auto found = find(posted, static_cast<int>(task));
    if (!found) continue;
    const Offer& offer = offers_[task][*found];
    if (!first || offer.arrival < first->arrival) {
      first = &offer;
      from = static_cast<int>(task);
    }
  }
  if (!first) return false;
  here.task = from;
  here.takes = first->number;
  decisions->push_back({here.wildcard, from, first->number});
  return true;
}

std::vector<Receives::Taken> Receives::take(std::vector<Decision>* decisions) {
  std::vector<Taken> taken;
  for (std::size_t i = 0; i < posted_.size();) {
    if (posted_[i].task == any && !(decides_ && settle(i, decisions))) {
      ++i;
      continue;
    }
    Posted& here = posted_[i];
    const auto found = find(i, here.task);
    if (!found) {
      ++i;
      continue;
    }
    auto& offers = offers_[static_cast<std::size_t>(here.task)];
    Offer offer = std::move(offers[*found]);
    offers.erase(offers.begin() + static_cast<std::ptrdiff_t>(*found));
    taken.push_back(
        {{here.request, here.task, offer.number, offer.tag, std::move(offer.side)}, here.announced});
    posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return taken;
}

}  // namespace lapwing::arrays
