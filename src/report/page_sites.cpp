// SPDX-License-Identifier: Apache-2.0
// From watched receives to a line for each call site, and to what would pay there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/page_advice.hpp"
#include "report/statistics.hpp"
#include "transfer/decisions/saving.hpp"

namespace lapwing::report {

namespace {

using transfer::Arrival;
using transfer::Touches;

constexpr std::uint64_t least_part = 16 << 10;  // as of the engine's own looks

std::uint64_t ns_of_us(double us) { return static_cast<std::uint64_t>(std::max(0.0, us) * 1e3); }

// A part that was not touched before the watch ended so has not been needed.
bool shows_untouched(const PagedReceive& r) {
  return r.ended == "touched" || r.ended == "overwritten" || r.ended == "freed" || r.ended == "finalized";
}

/// First touches of up to eight equal parts, as the engine's looks give them.
Touches touches_of(const PagedReceive& r) {
  Touches touches;
  touches.parts =
      std::clamp<std::uint64_t>(r.bytes / least_part, 1, std::min(r.parts, std::uint64_t{Touches::most}));
  touches.after.fill(shows_untouched(r) ? Touches::never : ns_of_us(r.ended_us));
  for (const PageTouch& touch : r.touches) {
    const std::size_t part = touch.part * touches.parts / std::max<std::uint64_t>(r.parts, 1);
    touches.after[part] = std::min(touches.after[part], ns_of_us(touch.own_us));
  }
  return touches;
}

double first_own_us(const PagedReceive& r) {
  double first = shows_untouched(r) ? INFINITY : r.ended_us;
  for (const PageTouch& touch : r.touches) first = std::min(first, touch.own_us);
  return first;
}

double saved(const PagedReceive& r, const Touches& touches, Arrival arrival) {
  return 1e-9 * static_cast<double>(transfer::saving(ns_of_us(1e6 * r.waited_s), touches, arrival));
}

const char* order_of(const PagedReceive& r) {
  const std::size_t steps = r.touches.empty() ? 0 : r.touches.size() - 1;
  if (steps < 2) return "-";
  std::map<std::int64_t, std::size_t> by_step;
  std::size_t up = 0, down = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::int64_t step = std::int64_t{r.touches[i + 1].part} - r.touches[i].part;
    ++by_step[step];
    ++(step > 0 ? up : down);
  }
  const auto often = std::max_element(by_step.begin(), by_step.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool regular = often->second * 10 >= steps * 7;
  if (regular && often->first != 1 && often->first != -1) return "strided";
  if (up * 10 >= steps * 9) return "ascending";
  if (down * 10 >= steps * 9) return "descending";
  return "random";
}

template <class F>
double median_of(const std::vector<const PagedReceive*>& receives, F f) {
  std::vector<double> values;
  for (const PagedReceive* r : receives) values.push_back(f(*r));
  return median(values);
}

template <class F>
double mean_of(const std::vector<const PagedReceive*>& receives, F f) {
  double sum = 0;
  for (const PagedReceive* r : receives) sum += f(*r);
  return receives.empty() ? 0 : sum / static_cast<double>(receives.size());
}

// Of those whose watch was not broken off, if there are any, those that tell times, or the order; else
// others.
std::vector<const PagedReceive*> best(const std::vector<const PagedReceive*>& all, bool coarse) {
  std::vector<const PagedReceive*> wanted, whole;
  for (const PagedReceive* r : all) {
    if (r->ended == "threads" || r->ended == "room") continue;
    whole.push_back(r);
    if (r->coarse == coarse) wanted.push_back(r);
  }
  return !wanted.empty() ? wanted : !whole.empty() ? whole : all;
}

template <class Counted>
const std::string& most(const Counted& counted) {
  return std::max_element(counted.begin(), counted.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void sum_up_order(PagedSite& site, const std::vector<const PagedReceive*>& seen) {
  std::map<std::string, int> orders;
  double pages = 0, untouched = 0;
  for (const PagedReceive* r : seen) {
    ++orders[order_of(*r)];
    if (!shows_untouched(*r)) continue;
    pages += static_cast<double>(r->parts);
    untouched += static_cast<double>(r->parts - r->touches.size());
  }
  site.order = most(orders);
  if (pages > 0) site.untouched = untouched / pages;
}

void sum_up_times(PagedSite& site, const std::vector<const PagedReceive*>& seen) {
  site.transfer_s = median_of(seen, [](const PagedReceive& r) {
    return r.landed_s - std::min(r.landed_s, r.started_s.value_or(r.wait_began_s));
  });
  site.first_touch_s = median_of(seen, [](const PagedReceive& r) {
    return 1e-6 * (r.touches.empty() ? r.ended_us : r.touches.front().own_us);
  });
  site.used_over_s = median_of(seen, [](const PagedReceive& r) {
    return r.touches.empty() ? 0 : 1e-6 * (r.touches.back().own_us - r.touches.front().own_us);
  });
  site.waited_s = mean_of(seen, [](const PagedReceive& r) { return r.waited_s; });
  site.up_s = mean_of(seen, [](const PagedReceive& r) { return saved(r, touches_of(r), Arrival::up); });
  site.down_s = mean_of(seen, [](const PagedReceive& r) { return saved(r, touches_of(r), Arrival::down); });
  site.later_s =
      mean_of(seen, [](const PagedReceive& r) { return std::min(r.waited_s, 1e-6 * first_own_us(r)); });
}

void sum_up(PagedSite& site, const std::vector<const PagedReceive*>& all) {
  std::map<std::string, int> places;
  for (const PagedReceive* r : all)
    if (!r->first_use.empty()) ++places[r->first_use];
  if (!places.empty()) site.first_use = most(places);
  site.traced = all.size();
  site.bytes = static_cast<std::uint64_t>(
      median_of(all, [](const PagedReceive& r) { return static_cast<double>(r.bytes); }));
  sum_up_order(site, best(all, false));
  sum_up_times(site, best(all, true));
}

// Messages that one call waited for, in the order in which they were watched: each is a part of the whole.
void sum_up_trains(const PageTrace& trace, std::map<std::pair<std::string, std::string>, PagedSite>& sites) {
  std::map<std::tuple<int, std::string, double>, std::vector<const PagedReceive*>> waits;
  for (const PagedReceive& r : trace.receives)
    if (r.wait_call != r.call) waits[{r.rank, r.wait, r.wait_began_s}].push_back(&r);
  std::map<std::pair<std::string, std::string>, std::pair<double, std::size_t>> sums;
  for (const auto& [key, messages] : waits) {
    if (messages.size() < 2) continue;
    Touches touches;
    touches.parts = std::min(messages.size(), Touches::most);
    touches.after.fill(Touches::never);
    double waited_s = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      std::uint64_t& after = touches.after[i * touches.parts / messages.size()];
      const double first_us = first_own_us(*messages[i]);
      if (std::isfinite(first_us)) after = std::min(after, ns_of_us(first_us));
      waited_s += messages[i]->waited_s;
    }
    const double saved_s = 1e-9 * static_cast<double>(transfer::saving(ns_of_us(1e6 * waited_s), touches));
    for (const PagedReceive* r : messages) {
      auto& [sum, count] = sums[{r->site, r->call}];
      sum += saved_s / static_cast<double>(messages.size());
      ++count;
      PagedSite& site = sites[{r->site, r->call}];
      site.train = std::max(site.train, messages.size());
    }
  }
  for (const auto& [key, sum] : sums) sites[key].train_s = sum.first / static_cast<double>(sum.second);
}

}  // namespace

std::vector<PagedSite> sites_of(const PageTrace& trace) {
  std::map<std::pair<std::string, std::string>, std::vector<const PagedReceive*>> by_site;
  for (const PagedReceive& r : trace.receives) by_site[{r.site, r.call}].push_back(&r);
  std::map<std::pair<std::string, std::string>, PagedSite> sites;
  for (const auto& [key, count] : trace.counts) sites[key].receives = count;
  for (const auto& [key, receives] : by_site) {
    PagedSite& site = sites[key];
    const PagedReceive& first = *receives.front();
    site.function = first.function;
    site.wait = first.wait;
    site.wait_call = first.wait_call;
    sum_up(site, receives);
    // A job that ended early has not told how many there were.
    site.receives = std::max<std::uint64_t>(site.receives, receives.size());
  }
  sum_up_trains(trace, sites);
  std::vector<PagedSite> out;
  for (auto& [key, site] : sites) {
    site.site = key.first;
    site.call = key.second;
    advise(site);
    out.push_back(std::move(site));
  }
  std::stable_sort(out.begin(), out.end(), [](const PagedSite& a, const PagedSite& b) {
    return a.waited_s * static_cast<double>(a.receives) > b.waited_s * static_cast<double>(b.receives);
  });
  return out;
}

}  // namespace lapwing::report
