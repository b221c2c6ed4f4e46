// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/modules.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/pack.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace lapwing::tasks::ranks {

namespace {

constexpr int module_shift = 48;

std::uint64_t hash(std::uint64_t seed, const void* bytes, std::size_t size) {
  const auto* each = static_cast<const unsigned char*>(bytes);
  for (; size >= 8; each += 8, size -= 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, each, 8);
    seed = (seed ^ word) * 0x100000001b3ULL;
    seed ^= seed >> 29;
  }
  for (; size > 0; ++each, --size) seed = (seed ^ *each) * 0x100000001b3ULL;
  return seed;
}

// The linker's build-id, or a hash of the code where there is none.
std::uint64_t identity_of(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const char* note = reinterpret_cast<const char*>(info.dlpi_addr + part.p_vaddr);
    const char* const end = note + part.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const auto& head = *reinterpret_cast<const ElfW(Nhdr)*>(note);
      const char* const name = note + sizeof head;
      const char* const content = name + (head.n_namesz + 3) / 4 * 4;
      if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::string_view(name, 3) == "GNU") {
        return hash(1, content, head.n_descsz);
      }
      note = content + (head.n_descsz + 3) / 4 * 4;
    }
  }
  std::uint64_t result = 2;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || (part.p_flags & PF_W) != 0) continue;
    result = hash(result, reinterpret_cast<const void*>(info.dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return result;
}

std::string own_name() {
  char path[4096];
  const auto length = readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? "the program" : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace

Modules& modules() {
  static Modules* const only = new Modules;  // outlives every static of the program
  return *only;
}

std::vector<char> Modules::scan() {
  loaded_.clear();
  program_ = nullptr;
  agreed_.clear();
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& loaded = *static_cast<std::vector<Module>*>(data);
        Module module{~std::uint64_t{0}, 0, info->dlpi_addr, 0, info->dlpi_name, -1};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          module.begin = std::min(module.begin, info->dlpi_addr + part.p_vaddr);
          module.end = std::max(module.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
        if (module.end == 0) return 0;
        if (loaded.empty()) module.name = own_name();
        module.identity = identity_of(*info);
        loaded.push_back(std::move(module));
        return 0;
      },
      &loaded_);
  const std::uint64_t begin_of_program = loaded_.front().begin;
  detail::Out out;
  out& loaded_.size();
  for (const Module& module : loaded_) out& module.identity& module.name;
  std::sort(loaded_.begin(), loaded_.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  program_ = &*std::find_if(loaded_.begin(), loaded_.end(),
                            [&](const Module& module) { return module.begin == begin_of_program; });
  lowest_ = loaded_.front().begin;
  if (std::FILE* const maps = std::fopen("/proc/self/maps", "r")) {
    unsigned long first = 0;
    if (std::fscanf(maps, "%lx", &first) == 1) lowest_ = std::min<std::uint64_t>(lowest_, first);
    std::fclose(maps);
  }
  return {out.data.begin(), out.data.end()};
}

void Modules::agree(const std::vector<std::vector<char>>& of_all) {
  struct Each {
    std::uint64_t identity;
    std::string name;
  };
  std::vector<std::vector<Each>> all;
  for (const auto& bytes : of_all) {
    detail::In in{bytes.data(), bytes.data() + bytes.size()};
    std::size_t count = 0;
    in& count;
    auto& list = all.emplace_back(count);
    for (Each& each : list) in& each.identity& each.name;
  }
  std::string different;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank][0].identity == all[0][0].identity) continue;
    different +=
        fmt::format(", rank {} runs {} (build {:x})", rank, all[rank][0].name, all[rank][0].identity);
  }
  if (!different.empty()) {
    throw Error(fmt::format(
        "the ranks of a program with tasks must run the same binary: rank 0 runs {} (build {:x}){}",
        all[0][0].name, all[0][0].identity, different));
  }
  for (const Each& each : all[0]) {
    const bool everywhere = std::all_of(all.begin(), all.end(), [&](const auto& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const Each& e) { return e.identity == each.identity; });
    });
    if (!everywhere) continue;
    for (Module& module : loaded_) {
      if (module.identity != each.identity || module.agreed >= 0) continue;
      module.agreed = static_cast<int>(agreed_.size());
      agreed_.push_back(module.base);
      break;
    }
  }
}

const Modules::Module* Modules::find(std::uint64_t address) const {
  // Mostly the program itself is meant.
  if (program_ != nullptr && address >= program_->begin && address < program_->end) return program_;
  const auto after = std::upper_bound(loaded_.begin(), loaded_.end(), address,
                                      [](std::uint64_t a, const Module& module) { return a < module.begin; });
  if (after == loaded_.begin()) return nullptr;
  const Module& module = *std::prev(after);
  return address < module.end ? &module : nullptr;
}

Modules::Kind Modules::kind(std::uint64_t word) const {
  if (word < lowest_ || word >> 47 != 0) return nothing;
  if (word >= shared_begin_ && word < shared_end_) return nothing;
  if (const Module* const module = find(word)) return module->agreed >= 0 ? everywhere : own;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(word / page * page), 1, &resident) == 0 ? own : nothing;
}

std::uint64_t Modules::encode(std::uint64_t address) const {
  const Module* const module = address == 0 ? nullptr : find(address);
  if (module == nullptr || module->agreed < 0) return 0;
  return (static_cast<std::uint64_t>(module->agreed) + 1) << module_shift | (address - module->base);
}

std::uint64_t Modules::decode(std::uint64_t code) const {
  if (code == 0) return 0;
  return agreed_.at((code >> module_shift) - 1) + (code & ((std::uint64_t{1} << module_shift) - 1));
}

std::string Modules::file_of(std::uint64_t address) const {
  const Module* const module = find(address);
  return module == nullptr ? "code that was loaded after run() began" : module->name;
}

}  // namespace lapwing::tasks::ranks
