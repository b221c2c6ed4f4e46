// SPDX-License-Identifier: Apache-2.0
#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/pack.hpp>

#include "tasks/ranks/modules.hpp"

namespace lapwing::tasks::detail {

void put_closure(Out& out, const void* bytes, std::size_t size) {
  const auto* const begin = static_cast<const char*>(bytes);
  const std::size_t at = out.data.size();
  out.data.append(begin, size);
  // Words as they are aligned here; on the way they are not.
  std::size_t offset = (8 - reinterpret_cast<std::uintptr_t>(bytes) % 8) % 8;
  for (; offset + 8 <= size; offset += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + offset, 8);
    switch (ranks::modules().kind(word)) {
      case ranks::Modules::nothing:
        break;
      case ranks::Modules::own:
        out.stays = true;
        return;
      case ranks::Modules::everywhere:
        word = ranks::modules().encode(word);
        std::memcpy(out.data.data() + at + offset, &word, 8);
        out.addresses.push_back(static_cast<std::uint32_t>(at + offset));
        break;
    }
  }
}

void short_message() {
  throw Error(
      "a message holds less than the type of its receiver reads: do pack and unpack of a type agree?");
}

}  // namespace lapwing::tasks::detail
