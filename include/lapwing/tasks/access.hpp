// SPDX-License-Identifier: Apache-2.0
// Accesses. The same words declare and use: as an argument of spawn(), read(x)
// declares that the task reads x; in a body, *read(x) is its value. Each use is
// checked: one that the task did not declare throws Error, and one for which an
// earlier part of the program must finish first waits for it.
//
// A reference that was taken from an accessor is good until the task spawns, or
// changes its rights; the accessor itself always is.
#pragma once

#include <lapwing/tasks/reduction.hpp>
#include <lapwing/tasks/shared.hpp>

#include <span>
#include <type_traits>

namespace lapwing::tasks {

namespace detail {

template <class T, class Op, bool AnyOrder>
inline const Reduction reduction_of{
    [](const void* like) -> void* { return new T(Op{}.identity(*static_cast<const T*>(like))); },
    [](void* into, const void* from) { Op{}.combine(*static_cast<T*>(into), *static_cast<const T*>(from)); },
    [](void* own) { delete static_cast<T*>(own); }, AnyOrder};

enum class How { plain, deferred, reduction };

/// T is the type of the value, const for readers.
template <class T, How how = How::plain>
class Accessor {
 public:
  Accessor(Handle object, std::uint8_t rights, const Reduction* reduction = nullptr)
      : object_(object), reduction_(reduction), rights_(rights) {}
  // A copy may be used by another task, which has rights of its own.
  Accessor(const Accessor& other) : Accessor(other.object_, other.rights_, other.reduction_) {}
  Accessor& operator=(const Accessor&) = delete;

  T& operator*() const {
    if (grant_.mark == nullptr || *grant_.mark != grant_.epoch)
      grant_ = grant(object_, rights_, reduction_, type);
    return *static_cast<T*>(grant_.value);
  }
  T* operator->() const { return &**this; }
  operator T&() const { return **this; }
  template <class I>
  decltype(auto) operator[](I&& i) const {
    return (**this)[std::forward<I>(i)];
  }

  /// `count` elements from `first` on, of a vector or an array: waits only until
  /// these have come, where the object is still on its way.
  auto part(std::size_t first, std::size_t count) const
      requires(std::is_const_v<T>&& one_run<std::remove_const_t<T>>) {
    using Element = std::remove_cvref_t<decltype(std::declval<T&>()[0])>;
    const Grant grant = grant_part(object_, (first + count) * sizeof(Element), type);
    return std::span<const Element>(*static_cast<T*>(grant.value)).subspan(first, count);
  }

  shared<std::remove_const_t<T>> object() const { return shared<std::remove_const_t<T>>(object_); }
  Declaration declaration() const { return {object_, rights_, how == How::deferred, reduction_, type}; }

 private:
  static constexpr const Type* type = &type_of<std::remove_const_t<T>>;
  Handle object_;
  const Reduction* reduction_;
  std::uint8_t rights_;
  mutable Grant grant_;
};

}  // namespace detail

template <class T>
detail::Accessor<const T> read(shared<T> x) {
  return {x.handle(), detail::reads};
}
template <class T>
detail::Accessor<T> write(shared<T> x) {
  return {x.handle(), detail::writes};
}
template <class T>
detail::Accessor<T> read_write(shared<T> x) {
  return {x.handle(), detail::reads | detail::writes};
}
/// Reads and writes, in whatever order among other tasks that say the same.
template <class T>
detail::Accessor<T> commute(shared<T> x) {
  return {x.handle(), detail::commutes};
}
/// The task's own part of a reduction of x.
template <class T, class Op = plus>
detail::Accessor<T, detail::How::reduction> reduce(shared<T> x, Op = {}) {
  return {x.handle(), detail::reduces, &detail::reduction_of<T, Op, false>};
}
template <class T, class Op>
detail::Accessor<T, detail::How::reduction> reduce(shared<T> x, Op, any_order_t) {
  return {x.handle(), detail::reduces, &detail::reduction_of<T, Op, true>};
}

/// Deferred: the task starts without waiting for x, keeps its place in the
/// order, and must say with_cont(...) before it uses x.
template <class T>
detail::Accessor<const T, detail::How::deferred> deferred_read(shared<T> x) {
  return {x.handle(), detail::reads};
}
template <class T>
detail::Accessor<T, detail::How::deferred> deferred_write(shared<T> x) {
  return {x.handle(), detail::writes};
}
template <class T>
detail::Accessor<T, detail::How::deferred> deferred_read_write(shared<T> x) {
  return {x.handle(), detail::reads | detail::writes};
}

}  // namespace lapwing::tasks
