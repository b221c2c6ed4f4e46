// SPDX-License-Identifier: Apache-2.0
// The values of objects that C programs create.
#pragma once

#include <lapwing/tasks.h>
#include <lapwing/tasks/abi.hpp>

#include <cstddef>

namespace lapwing::tasks::c {

/// Bytes, or a value of a kind of the program's own.
struct Value {
  std::size_t size = 0;
  void* data = nullptr;
  const lapwing_object_kind* kind = nullptr;
};

extern const detail::Type bytes_type, kind_type, fixed_type;

detail::Handle handle_of(lapwing_object object);
lapwing_object object_of(detail::Handle handle);

}  // namespace lapwing::tasks::c
