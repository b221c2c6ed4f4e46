// SPDX-License-Identifier: Apache-2.0
#include "transfer/places.hpp"

#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace lapwing::transfer {
namespace {

void ignore_error(void*, const char*, int) {}

int take(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  auto* place = static_cast<Place*>(data);
  if (file && line > 0 && place->site.empty()) {
    const char* slash = std::strrchr(file, '/');
    place->site = fmt::format("{}:{}", slash ? slash + 1 : file, line);
  }
  if (function && place->function.empty()) place->function = function;
  return 0;
}

}  // namespace

Place place_of(const void* address) {
  Place place;
  const auto pc = reinterpret_cast<std::uintptr_t>(address) - 1;  // within the call
  static backtrace_state* state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  if (state) backtrace_pcinfo(state, pc, take, ignore_error, &place);
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(pc), &info) && info.dli_fname) {
    place.module = info.dli_fname;
    place.offset = fmt::format("{:#x}", pc - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    if (place.function.empty() && info.dli_sname) place.function = info.dli_sname;
  }
  if (place.site.empty()) {
    const auto slash = place.module.rfind('/');
    place.site = fmt::format(
        "{}+{}", slash == std::string::npos ? place.module : place.module.substr(slash + 1), place.offset);
  }
  int status = 0;
  if (char* plain = abi::__cxa_demangle(place.function.c_str(), nullptr, nullptr, &status)) {
    place.function = plain;
    std::free(plain);
  }
  return place;
}

}  // namespace lapwing::transfer
