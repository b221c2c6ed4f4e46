// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/libraries.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "cli/launch/elf.hpp"
#include "cli/launch/paths.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

/// /etc/ld.so.cache in its current form: a header, entries, strings.
std::map<std::string, fs::path> read_loader_cache() {
  struct Header {
    char magic[20];
    std::uint32_t entries, string_bytes, unused[5];
  };
  struct Entry {
    std::int32_t flags;
    std::uint32_t key, value, os_version;
    std::uint64_t hardware;
  };
  constexpr char kMagic[] = "glibc-ld.so.cache1.1";
  constexpr std::int32_t kX86_64 = 0x0303;
  constexpr std::int32_t kAarch64 = 0x0a03;
  std::map<std::string, fs::path> cache;
  const auto content = read_file("/etc/ld.so.cache");
  if (!content) return cache;
  // Older systems put a cache of the older form before it.
  const std::size_t start = content->find(std::string(kMagic, sizeof kMagic - 1));
  Header header;
  if (start == std::string::npos || content->size() - start < sizeof header) return cache;
  std::memcpy(&header, content->data() + start, sizeof header);
  const auto text = [&](std::uint32_t offset) {
    const std::size_t at = start + offset;
    return at < content->size() ? std::string(content->c_str() + at) : std::string();
  };
  for (std::uint32_t i = 0; i < header.entries; ++i) {
    const std::size_t at = start + sizeof header + i * sizeof(Entry);
    Entry entry;
    if (at + sizeof entry > content->size()) break;
    std::memcpy(&entry, content->data() + at, sizeof entry);
    if ((entry.flags == kX86_64 || entry.flags == kAarch64) && entry.hardware == 0) {
      cache.emplace(text(entry.key), text(entry.value));
    }
  }
  return cache;
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> folders;
  std::istringstream stream(path);
  for (std::string folder; std::getline(stream, folder, ':');)
    folders.push_back(folder.empty() ? "." : folder);
  return folders;
}

std::string expand_origin(std::string folder, const fs::path& object) {
  std::error_code ignored;
  const std::string origin = fs::absolute(object, ignored).parent_path().string();
  for (const char* word : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at; (at = folder.find(word)) != std::string::npos;) {
      folder.replace(at, std::strlen(word), origin);
    }
  }
  return folder;
}

fs::path search(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const auto& folder : folders) {
    const fs::path candidate = fs::path(folder) / name;
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

fs::path locate(const std::string& name, const fs::path& object, const Elf& elf) {
  if (name.find('/') != std::string::npos) return name;
  const auto own = [&](const std::string& path) {
    std::vector<std::string> folders = split_path(path);
    for (auto& folder : folders) folder = expand_origin(folder, object);
    return search(name, folders);
  };
  if (elf.runpath.empty() && !elf.rpath.empty()) {
    if (const fs::path found = own(elf.rpath); !found.empty()) return found;
  }
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    if (const fs::path found = search(name, split_path(path)); !found.empty()) return found;
  }
  if (!elf.runpath.empty()) {
    if (const fs::path found = own(elf.runpath); !found.empty()) return found;
  }
  static const std::map<std::string, fs::path> cache = read_loader_cache();
  if (const auto entry = cache.find(name); entry != cache.end()) return entry->second;
  return search(name, {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                       "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"});
}

}  // namespace

std::vector<Library> libraries_of(const fs::path& program) {
  std::vector<Library> found;
  std::set<std::string> seen;
  std::vector<fs::path> objects{program};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const fs::path object = objects[i];
    const auto elf = read_elf(object);
    if (!elf) continue;
    for (const auto& name : elf->needed) {
      if (!seen.insert(name).second) continue;
      found.push_back({name, locate(name, object, *elf)});
      if (!found.back().path.empty()) objects.push_back(found.back().path);
    }
  }
  return found;
}

fs::path find_library(const std::string& name) { return locate(name, {}, Elf{}); }

}  // namespace lapwing::cli
