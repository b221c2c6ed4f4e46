// SPDX-License-Identifier: Apache-2.0
// Reductions: each task adds into a value of its own, which starts as the
// operation's identity; these are combined into the object in the order of the
// serial program, so that floating point keeps its bits.
//
// An operation is a type without state:
//   struct Sum {
//     T identity(const T& like) const;              // may look at the shape of like only
//     void combine(T& into, const T& from) const;
//   };
#pragma once

#include <cstddef>

namespace lapwing::tasks {

/// += for numbers.
struct plus {
  template <class T>
  T identity(const T&) const {
    return T{};
  }
  template <class T>
  void combine(T& into, const T& from) const {
    into += from;
  }
};

/// += for each element of a container with size(), []  and a constructor from a size.
struct plus_each {
  template <class T>
  T identity(const T& like) const {
    return T(like.size());
  }
  template <class T>
  void combine(T& into, const T& from) const {
    for (std::size_t i = 0; i < from.size(); ++i) into[i] += from[i];
  }
};

/// Says that the combining may be in any order.
struct any_order_t {};
inline constexpr any_order_t any_order{};

}  // namespace lapwing::tasks
