// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/range.hpp"

#include <sys/mman.h>

#include <new>

#include "tasks/object.hpp"

namespace lapwing::tasks::ranks {

namespace {
// Far from where the system puts programs, heaps, libraries and stacks, and from
// the shadows of sanitizers.
#if defined(__SANITIZE_THREAD__)
// Elsewhere the thread sanitizer lets no program map anything.
constexpr std::uintptr_t first_place = 0x002000000000;
constexpr std::uintptr_t step = 0x000400000000;
#else
constexpr std::uintptr_t first_place = 0x200000000000;
constexpr std::uintptr_t step = 0x010000000000;
#endif
}  // namespace

Range& range() {
  static Range* const only = new Range;
  return *only;
}

bool Range::reserve(int attempt, int rank, int ranks) {
  const std::size_t bytes = slice * static_cast<std::size_t>(ranks);
  void* const wanted = reinterpret_cast<void*>(first_place + static_cast<std::uintptr_t>(attempt) * step);
  // Pages take memory when they are touched.
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  if (got != wanted) {  // an old kernel takes the address for a hint
    munmap(got, bytes);
    return false;
  }
  begin_ = static_cast<char*>(got);
  end_ = begin_ + bytes;
  rank_ = rank;
  next_ = begin_ + slice * static_cast<std::size_t>(rank);
  last_ = next_ + slice;
  return true;
}

void Range::release() {
  if (begin_ != nullptr) munmap(begin_, static_cast<std::size_t>(end_ - begin_));
  begin_ = end_ = next_ = last_ = nullptr;
}

Object* Range::make() {
  if (next_ + sizeof(Object) > last_) return nullptr;
  auto* const made = ::new (next_) Object;
  next_ += sizeof(Object);
  return made;
}

Object& Range::meet(void* address) {
  auto* const object = static_cast<Object*>(address);
  if (object->made) return *object;
  met_.push_back(::new (address) Object);
  return *object;
}

void Range::forget_met() {
  for (Object* const object : met_) {
    forget_object(*object);
    object->~Object();
    ::new (static_cast<void*>(object)) char[sizeof(Object)]();
  }
  met_.clear();
}

}  // namespace lapwing::tasks::ranks
