// SPDX-License-Identifier: Apache-2.0
// Parts of objects. They stand where objects do:
//   spawn(f, write(part(x, first, count)));             void f(std::span<double> mine)
//   spawn(g, read_write(part(x, first, count, 4)));     void g(strided<double> mine): every fourth element
//   spawn(h, read(block(x, first, width, rows, row)));  void h(rows<const double> mine): mine[i][j]
//   spawn(k, write(field(x, &Cell::pressure)));         void k(double& pressure)
// Tasks whose parts have no element in common run side by side.
#pragma once

#include <lapwing/tasks/extent.hpp>
#include <lapwing/tasks/part_views.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace lapwing::tasks {

template <class T>
class shared;

namespace detail {

template <class T>
concept Contiguous = requires(T& value) {
  std::data(value);
  std::size(value);
};
template <Contiguous T>
using ElementOf = std::remove_reference_t<decltype(*std::data(std::declval<T&>()))>;

/// Elements of a vector, an array, ..., as a part of it: how a value becomes the view that a body gets.
template <class T>
struct Run1 {
  using Value = T;
  using Element = ElementOf<T>;
  std::size_t first, count;
  Extent extent() const { return {first * sizeof(Element), count * sizeof(Element), 1, 0}; }
  std::size_t end() const { return first + count; }
  template <class V>
  auto view(V& value) const {
    return std::span(std::data(value), std::size(value)).subspan(first, count);
  }
};

template <class T>
struct Strided {
  using Value = T;
  using Element = ElementOf<T>;
  std::size_t first, count, stride;
  Extent extent() const {
    return {first * sizeof(Element), sizeof(Element), count, stride * sizeof(Element)};
  }
  std::size_t end() const { return count == 0 ? first : first + (count - 1) * stride + 1; }
  template <class V>
  auto view(V& value) const {
    return strided(std::data(value) + first, count, stride);
  }
};

template <class T>
struct Block {
  using Value = T;
  using Element = ElementOf<T>;
  std::size_t first, width, count, stride;
  Extent extent() const {
    return {first * sizeof(Element), width * sizeof(Element), count, stride * sizeof(Element)};
  }
  std::size_t end() const { return count == 0 ? first : first + (count - 1) * stride + width; }
  template <class V>
  auto view(V& value) const {
    return rows(std::data(value) + first, width, count, stride);
  }
};

template <class T, class M>
struct Field {
  using Value = T;
  M T::*member;
  Extent extent() const {
    alignas(T) static const char place[sizeof(T)]{};
    const auto* const at = &(reinterpret_cast<const T*>(place)->*member);
    return {static_cast<std::uint64_t>(reinterpret_cast<const char*>(at) - place), sizeof(M), 1, 0};
  }
  template <class V>
  auto& view(V& value) const {
    return value.*member;
  }
};

/// A part of an object: where it is, and of which.
template <class Where>
struct PartOf {
  shared<typename Where::Value> object;
  Where where;
};

/// An accessor of a part passes its view's operations on.
template <class Accessor>
class ViewOperations {
 public:
  auto* operator->() const requires(std::is_lvalue_reference_v<decltype(*std::declval<const Accessor&>())>) {
    return &*accessor();
  }
  template <class I>
  decltype(auto) operator[](I&& i) const {
    return (*accessor())[std::forward<I>(i)];
  }
  auto begin() const { return (*accessor()).begin(); }
  auto end() const { return (*accessor()).end(); }
  std::size_t size() const { return (*accessor()).size(); }

 private:
  const Accessor& accessor() const { return static_cast<const Accessor&>(*this); }
};

}  // namespace detail

/// `count` elements from `first` on.
template <detail::Contiguous T>
detail::PartOf<detail::Run1<T>> part(shared<T> x, std::size_t first, std::size_t count) {
  return {x, {first, count}};
}
/// `count` elements, each `stride` after the one before.
template <detail::Contiguous T>
detail::PartOf<detail::Strided<T>> part(shared<T> x, std::size_t first, std::size_t count,
                                        std::size_t stride) {
  return {x, {first, count, stride}};
}
/// `count` rows of `width` elements, the beginnings of which are `stride` elements apart.
template <detail::Contiguous T>
detail::PartOf<detail::Block<T>> block(shared<T> x, std::size_t first, std::size_t width, std::size_t count,
                                       std::size_t stride) {
  return {x, {first, width, count, stride}};
}
/// A member of the value's class.
template <class T, class M>
detail::PartOf<detail::Field<T, M>> field(shared<T> x, M T::*member) {
  return {x, {member}};
}

}  // namespace lapwing::tasks
