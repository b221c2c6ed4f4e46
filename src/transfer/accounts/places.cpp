// SPDX-License-Identifier: Apache-2.0
#include "transfer/accounts/places.hpp"

#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

using Visit = int(dl_phdr_info*, std::size_t, void*);

// The modules that libbacktrace is shown; null: all that are loaded. It reads the
// debug information of every module, Lapwing and MPI among them, before it says
// anything of one.
thread_local const ElfW(Phdr) * shown_module = nullptr;

struct Visitor {
  Visit* visit;
  void* data;
};

}  // namespace

// The linker turns calls of dl_iterate_phdr() within the library into the second of these.
extern "C" int __real_dl_iterate_phdr(Visit* visit, void* data);  // NOLINT
extern "C" __attribute__((visibility("hidden"))) int __wrap_dl_iterate_phdr(Visit* visit,
                                                                            void* data) {  // NOLINT
  Visitor visitor{visit, data};
  return __real_dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t size, void* its) {
        if (shown_module != nullptr && info->dlpi_phdr != shown_module) return 0;
        const auto* to = static_cast<Visitor*>(its);
        return to->visit(info, size, to->data);
      },
      &visitor);
}

namespace lapwing::transfer {
namespace {

struct Sought {
  std::uintptr_t pc;
  const ElfW(Phdr) * module;
};

const ElfW(Phdr) * module_of(std::uintptr_t pc) {
  Sought sought{pc, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* it = static_cast<Sought*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD && it->pc - info->dlpi_addr - part.p_vaddr < part.p_memsz)
            it->module = info->dlpi_phdr;
        }
        return it->module != nullptr ? 1 : 0;
      },
      &sought);
  return sought.module;
}

void ignore_error(void*, const char*, int) {}

// Compiled into programs, and yet not theirs.
bool is_lapwings(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return std::strstr(file, "/lapwing/array") || !std::strcmp(slash ? slash + 1 : file, "lapwing_arrays.f90");
}

int take(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  auto* place = static_cast<Place*>(data);
  if (file && line > 0 && place->site.empty() && !is_lapwings(file)) {
    const char* slash = std::strrchr(file, '/');
    place->site = fmt::format("{}:{}", slash ? slash + 1 : file, line);
  }
  if (function && place->function.empty()) place->function = function;
  return 0;
}

// A state for each module: what it has read it keeps for good.
void look_up(std::uintptr_t pc, Place* place) {
  static std::mutex mutex;
  static std::map<const ElfW(Phdr)*, backtrace_state*> states;
  const ElfW(Phdr)* const module = module_of(pc);
  if (module == nullptr) return;
  const std::lock_guard lock(mutex);
  backtrace_state*& state = states[module];
  if (state == nullptr) state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  if (state == nullptr) return;
  shown_module = module;
  backtrace_pcinfo(state, pc, take, ignore_error, place);
  shown_module = nullptr;
}

}  // namespace

Place place_of(const void* address) {
  Place place;
  const auto pc = reinterpret_cast<std::uintptr_t>(address) - 1;  // within the call
  look_up(pc, &place);
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
  if (place.function.compare(0, 2, "_Z") != 0) return place;  // "f" would be read as a type
  if (char* plain = abi::__cxa_demangle(place.function.c_str(), nullptr, nullptr, &status)) {
    place.function = plain;
    std::free(plain);
  }
  return place;
}

std::string program_line() {
  constexpr int most = 64;
  void* frames[most];
  const int count = backtrace(frames, most);
  for (int i = 1; i < count; ++i) {
    const std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(frames[i]) - 1;
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(pc), &info) || !info.dli_fname) continue;
    const char* slash = std::strrchr(info.dli_fname, '/');
    const std::string module = slash ? slash + 1 : info.dli_fname;
    if (module.starts_with("liblapwing") || module.starts_with("_core_")) continue;
    Place place;
    look_up(pc, &place);
    if (!place.site.empty()) return place.site;
  }
  return {};
}

}  // namespace lapwing::transfer
