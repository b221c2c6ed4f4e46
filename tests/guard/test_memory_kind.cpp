// SPDX-License-Identifier: Apache-2.0
// Which memory may be closed: as newer kernels answer, and as the text says that older ones give.
#include "guard/memory_kind.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace {

using lapwing::guard::memory_kind;
using lapwing::guard::MemoryKind;

constexpr std::size_t page = 4096, pages = 16;
char in_bss[pages * page];
char in_data[pages * page] = {1};

struct Case {
  std::string name;
  std::uintptr_t begin, end;
  bool guardable;
};

std::uintptr_t map(int access, int flags, int file = -1) {
  void* const p = mmap(nullptr, pages * page, access, flags | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  EXPECT_NE(p, MAP_FAILED);
  return reinterpret_cast<std::uintptr_t>(p);
}

std::vector<Case> cases(std::uintptr_t parted, std::uintptr_t holed, int file) {
  constexpr int both = PROT_READ | PROT_WRITE;
  const auto whole = [](const char* name, std::uintptr_t at, bool guardable) {
    return Case{name, at, at + pages * page, guardable};
  };
  return {
      whole("anonymous", map(both, MAP_PRIVATE), true),
      whole("read only", map(PROT_READ, MAP_PRIVATE), false),
      whole("executable", map(both | PROT_EXEC, MAP_PRIVATE), false),
      whole("shared", map(both, MAP_SHARED), false),
      whole("a private view of a file", map(both, MAP_PRIVATE, file), true),
      whole("a shared view of a file", map(both, MAP_SHARED, file), false),
      whole("variables", reinterpret_cast<std::uintptr_t>(in_bss), true),
      whole("variables with values", reinterpret_cast<std::uintptr_t>(in_data), true),
      whole("two mappings", parted, true),
      {"the first of them, but for its first page", parted + page, parted + 8 * page, true},
      whole("memory with a hole", holed, false),
      {"what lies before the hole", holed, holed + 7 * page, true},
      {"what lies behind the hole", holed + 8 * page, holed + pages * page, true},
  };
}

TEST(MemoryKind, TheTextSaysWhatTheKernelAnswers) {
  const std::uintptr_t parted = map(PROT_READ | PROT_WRITE, MAP_PRIVATE);
  // Advice that copies need not be made of the second half parts the mapping.
  ASSERT_EQ(madvise(reinterpret_cast<void*>(parted + 8 * page), 8 * page, MADV_DONTFORK), 0);
  const std::uintptr_t holed = map(PROT_READ | PROT_WRITE, MAP_PRIVATE);
  ASSERT_EQ(munmap(reinterpret_cast<void*>(holed + 7 * page), page), 0);
  char name[] = "/tmp/lapwing-memory-kind-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  ASSERT_EQ(ftruncate(file, pages * page), 0);
  const std::vector<Case> all = cases(parted, holed, file);

  ASSERT_TRUE(lapwing::guard::open_memory_map());
  std::vector<MemoryKind> answers;
  for (const Case& one : all) answers.push_back(memory_kind(one.begin, one.end));
  lapwing::guard::read_memory_map_as_text();
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name);
    const MemoryKind &answer = answers[i], text = memory_kind(all[i].begin, all[i].end);
    EXPECT_EQ(answer.guardable, all[i].guardable);
    EXPECT_EQ(text.guardable, all[i].guardable);
    if (!text.guardable || !answer.guardable) continue;
    EXPECT_EQ(text.file, answer.file);
    EXPECT_EQ(text.mappings, answer.mappings);
    EXPECT_EQ(text.begin, answer.begin);
    EXPECT_EQ(text.end, answer.end);
  }
  lapwing::guard::close_memory_map();
  close(file);
}

}  // namespace
