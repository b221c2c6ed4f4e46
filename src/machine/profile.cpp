// SPDX-License-Identifier: Apache-2.0
#include "machine/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lapwing::machine {
namespace {

struct Key {
  const char* name;
  double Profile::*value;
};
constexpr Key keys[] = {
    {"overhead_us", &Profile::overhead_us},
    {"round_trip_us", &Profile::round_trip_us},
    {"gap_ns_per_byte", &Profile::gap_ns_per_byte},
    {"fault_us", &Profile::fault_us},
    {"close_us", &Profile::close_us},
    {"close_ns_per_byte", &Profile::close_ns_per_byte},
    {"open_ns_per_byte", &Profile::open_ns_per_byte},
};

std::size_t page_multiple(double bytes) {
  const auto pages = static_cast<std::size_t>(std::max(bytes, 0.0)) / 4096 + 1;
  return pages * 4096;
}

}  // namespace

Thresholds thresholds_of(const Profile& p) {
  Thresholds t;
  if (p.gap_ns_per_byte <= 0 || p.close_us <= 0 || p.fault_us <= 0) return t;
  const double gap = p.gap_ns_per_byte * 1e-3, close = p.close_ns_per_byte * 1e-3,
               open = p.open_ns_per_byte * 1e-3;
  // First inequality, with M(size) of a transfer of eight first strips.
  const double fixed = p.overhead_us + 2 * p.close_us + p.fault_us / 2 - p.round_trip_us;
  const double per_byte = gap - 9 * close;
  double first = per_byte > 0 ? fixed / per_byte : 64 << 10;
  // Never beyond what transports send without a rendezvous.
  first = std::clamp(first, 4096.0, 16384.0);
  t.first = page_multiple(first - 1);
  // Deferring costs a closing, a touch and the opening; it can hide at most the
  // transfer itself, of which at least ten times that should be there.
  const double cost = p.overhead_us + p.close_us + p.fault_us;
  const double hides = gap - 10 * (close + open);
  const double guard = hides > 0 ? 10 * cost / hides : 1 << 20;
  t.guard = page_multiple(std::clamp(guard, 16384.0, 1048576.0));
  // Second inequality: N1's transfer must cover another touch and closing, too.
  t.strip = std::max(
      t.guard, page_multiple(std::clamp(8.0 * static_cast<double>(t.first) + guard, 65536.0, 4194304.0)));
  return t;
}

bool read_profile(const std::string& path, Profile* profile, std::string* why) {
  std::ifstream file(path);
  if (!file) {
    *why = fmt::format("the profile {} cannot be read: {}", path, std::strerror(errno));
    return false;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  bool any = false;
  for (const Key& key : keys) {
    const auto at = text.find(fmt::format("\"{}\"", key.name));
    const auto colon = at == std::string::npos ? at : text.find(':', at);
    if (colon == std::string::npos) continue;
    char* end = nullptr;
    const double value = std::strtod(text.c_str() + colon + 1, &end);
    if (end == text.c_str() + colon + 1 || !(value >= 0) || value > 1e9) continue;
    profile->*key.value = value;
    any = true;
  }
  if (!any)
    *why =
        fmt::format("the profile {} holds no parameter that is known; make it again with lapwing tune", path);
  return any;
}

std::string profile_as_json(const Profile& profile, const std::string& mpi, bool local) {
  std::string out = fmt::format("{{\n  \"mpi\": \"{}\",\n  \"transport\": \"{}\",\n", mpi,
                                local ? "within a node" : "between nodes");
  for (const Key& key : keys) out += fmt::format("  \"{}\": {:.4f},\n", key.name, profile.*key.value);
  const Thresholds t = thresholds_of(profile);
  out += fmt::format("  \"threshold_guard\": {},\n  \"threshold_strip\": {},\n  \"strip_first\": {}\n}}\n",
                     t.guard, t.strip, t.first);
  return out;
}

}  // namespace lapwing::machine
