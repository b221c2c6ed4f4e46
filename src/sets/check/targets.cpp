// SPDX-License-Identifier: Apache-2.0
#include "sets/check/targets.hpp"

#include <dlfcn.h>

#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "progress/locks.hpp"

namespace lapwing::sets {
namespace {

// Filled by constructors of files, perhaps before those of this one.
struct Known {
  progress::OwnedMutex lock;
  std::vector<const lapwing_target*> taken LAPWING_GUARDED_BY(lock);
  std::unordered_set<const void*> reaching LAPWING_GUARDED_BY(lock);
  std::unordered_map<const void*, int> numbers LAPWING_GUARDED_BY(lock);
};

Known& known() {
  static Known& all = *new Known;
  return all;
}

bool takes(std::string_view function, std::string_view call) {
  if (!function.ends_with('*')) return function == call;
  return call.starts_with(function.substr(0, function.size() - 1));
}

}  // namespace

void Targets::add(const lapwing_target* targets, int count) {
  Known& all = known();
  const progress::Holding guard(all.lock);
  for (int i = 0; i < count; ++i) {
    if (targets[i].flags & LAPWING_TARGET_TAKEN) all.taken.push_back(&targets[i]);
    if (targets[i].flags & LAPWING_TARGET_REACHES) all.reaching.insert(targets[i].function);
  }
  ++version_;
}

void Targets::look_up(lapwing_pointer_site& site) {
  Known& all = known();
  const progress::Holding guard(all.lock);
  site.may_split = 0;
  for (const lapwing_target* target : all.taken) {
    if (all.reaching.count(target->function) == 0 || !takes(target->arguments, site.arguments)) continue;
    if (target->slot >= 0 && site.slot >= 0 && target->slot != site.slot) continue;
    site.may_split = 1;
    break;
  }
  site.looked_up = version_;
}

int Targets::number(const void* function) {
  constexpr std::size_t mask = (std::size_t{1} << 30) - 1;
  Known& all = known();
  const progress::Holding guard(all.lock);
  const auto [found, fresh] = all.numbers.emplace(function, 0);
  if (!fresh) return found->second;
  Dl_info module{};
  std::size_t number = 0;
  if (dladdr(function, &module) != 0 && module.dli_fname) {
    const char* slash = std::strrchr(module.dli_fname, '/');
    number = std::hash<std::string_view>()(slash ? slash + 1 : module.dli_fname) +
             static_cast<std::size_t>(static_cast<const char*>(function) -
                                      static_cast<const char*>(module.dli_fbase));
  }
  return found->second = static_cast<int>(number & mask);
}

const void* Targets::function(int number) {
  Known& all = known();
  const progress::Holding guard(all.lock);
  for (const auto& [function, own] : all.numbers) {
    if (own == number) return function;
  }
  return nullptr;
}

}  // namespace lapwing::sets
