// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern "C" double lapwing_fuzz_common_[520 * 1024 / sizeof(double)];

namespace lapwing::fuzz {
namespace {

// Begins off a page, as a compiler's static arrays do, with other data at both ends.
struct {
  char before[40];
  char array[600 * 1024];
  char after[24];
} statics;

void demand(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::abort();
}

char* map(size_t bytes, int flags, int fd) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  demand(at != MAP_FAILED, "fuzz: mmap");
  return static_cast<char*>(at);
}

size_t pages(size_t bytes) { return (bytes + 4096) & ~size_t{4095}; }

}  // namespace

int nameless_file(const std::string& directory) {
  std::string name = directory + "/fuzzXXXXXX";
  int fd = mkstemp(name.data());
  demand(fd >= 0, "fuzz: a temporary file in the directory given by --dir");
  unlink(name.c_str());
  return fd;
}

void Memory::begin(uint64_t key, const std::string& directory) {
  auto put = [&](Home home, char* at) { slots_[static_cast<int>(home)] = at; };
  put(Home::heap_small, static_cast<char*>(std::malloc(slot_size(Home::heap_small))));
  put(Home::heap, static_cast<char*>(std::malloc(slot_size(Home::heap))));
  put(Home::anonymous, map(slot_size(Home::anonymous), MAP_PRIVATE | MAP_ANONYMOUS, -1));
  put(Home::static_array, statics.array);
  put(Home::common, reinterpret_cast<char*>(lapwing_fuzz_common_));
  put(Home::shared, map(slot_size(Home::shared), MAP_SHARED | MAP_ANONYMOUS, -1));
  int fd = nameless_file(directory);
  demand(ftruncate(fd, static_cast<off_t>(slot_size(Home::file))) == 0, "fuzz: temporary file");
  put(Home::file, map(slot_size(Home::file), MAP_PRIVATE, fd));
  close(fd);
  for (int i = 0; i < kSlots; ++i) fill(slots_[i], slot_size(static_cast<Home>(i)), combine(key, i));
}

uint64_t Memory::digest_of(Home home) const { return digest(slot(home), slot_size(home)); }

void Memory::end() {
  std::free(slot(Home::heap_small));
  std::free(slot(Home::heap));
  for (Home home : {Home::anonymous, Home::shared, Home::file}) munmap(slot(home), slot_size(home));
}

Temporary allocate(const Region& region, uint64_t key) {
  Temporary made;
  made.home = region.home;
  made.bytes = region.offset + region.bytes + 200;
  if (made.home == Home::temp_heap) {
    made.base = static_cast<char*>(std::malloc(made.bytes));
    demand(made.base != nullptr, "fuzz: malloc");
  } else {
    made.bytes = pages(made.bytes);
    made.base = map(made.bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  }
  fill(made.base, made.bytes, key);
  return made;
}

uint64_t release(Temporary& t, Release how) {
  uint64_t seen = 0;
  if (t.home == Home::temp_heap) {
    if (how == Release::resize || how == Release::shrink) {
      size_t now = how == Release::resize ? t.bytes * 2 + 100000 : t.bytes / 2 + 1;
      auto* moved = static_cast<char*>(std::realloc(t.base, now));
      demand(moved != nullptr, "fuzz: realloc");
      t.base = moved;
      seen = digest(t.base, now < t.bytes ? now : t.bytes);
    } else if (how == Release::hold) {
      seen = digest(t.base, t.bytes);
    }
    std::free(t.base);
    t.base = nullptr;
    return seen;
  }
  size_t bytes = t.bytes;
  if (how == Release::move) {
    void* moved = mremap(t.base, bytes, bytes * 2 + 65536, MREMAP_MAYMOVE);
    demand(moved != MAP_FAILED, "fuzz: mremap");
    t.base = static_cast<char*>(moved);
    seen = digest(t.base, bytes);
    bytes = bytes * 2 + 65536;
  } else if (how == Release::over) {
    void* again = mmap(t.base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    demand(again == t.base, "fuzz: mmap over a region");
    seen = digest(t.base, bytes);
  } else if (how == Release::discard) {
    demand(madvise(t.base, bytes, MADV_DONTNEED) == 0, "fuzz: madvise");
    seen = digest(t.base, bytes);
  } else if (how == Release::shrink && bytes > 4096) {
    size_t half = bytes / 8192 * 4096;
    demand(munmap(t.base + half, bytes - half) == 0, "fuzz: munmap of a half");
    bytes = half;
    seen = digest(t.base, bytes);
  } else if (how == Release::hold) {
    seen = digest(t.base, bytes);
  }
  demand(munmap(t.base, bytes) == 0, "fuzz: munmap");
  t.base = nullptr;
  return seen;
}

}  // namespace lapwing::fuzz
