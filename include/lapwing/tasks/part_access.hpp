// SPDX-License-Identifier: Apache-2.0
// Accesses of parts, with the words of access.hpp: read(part(x, first, count)). In a body, *read(...)
// is the view of the part: a span, a strided view, rows of a block, or the field itself. It is good
// until the task spawns, or changes its rights; the accessor itself always is.
#pragma once

#include <lapwing/tasks/access.hpp>
#include <lapwing/tasks/part.hpp>

#include <type_traits>
#include <utility>

namespace lapwing::tasks {

namespace detail {

/// The view, if the value has that many elements.
template <class Where, class V>
decltype(auto) checked_view(const Where& where, V& value, Handle object) {
  if constexpr (requires { where.end(); }) {
    if (where.end() > std::size(value)) beyond(object, where.end(), std::size(value));
  }
  return where.view(value);
}

template <class Where, bool reader, How how = How::plain>
class PartAccessor : public ViewOperations<PartAccessor<Where, reader, how>> {
 public:
  using Value = std::conditional_t<reader, const typename Where::Value, typename Where::Value>;

  PartAccessor(const PartOf<Where>& part, std::uint8_t rights)
      : object_(part.object.handle()), where_(part.where), extent_(part.where.extent()), rights_(rights) {}
  // A copy may be used by another task, which has rights of its own.
  PartAccessor(const PartAccessor& other)
      : ViewOperations<PartAccessor>(other),
        object_(other.object_),
        where_(other.where_),
        extent_(other.extent_),
        rights_(other.rights_) {}
  PartAccessor& operator=(const PartAccessor&) = delete;

  decltype(auto) operator*() const {
    if (grant_.mark == nullptr || *grant_.mark != grant_.epoch)
      grant_ = grant_extent(object_, rights_, extent_, &type_of<typename Where::Value>);
    return checked_view(where_, *static_cast<Value*>(grant_.value), object_);
  }

  const Where& where() const { return where_; }
  std::uint8_t rights() const { return rights_; }
  PartOf<Where> part() const { return {shared<typename Where::Value>(object_), where_}; }
  /// As long as the accessor lives.
  Declaration declaration() const {
    return {object_, rights_, how == How::deferred, nullptr, &type_of<typename Where::Value>, &extent_};
  }

 private:
  Handle object_;
  Where where_;
  Extent extent_;
  std::uint8_t rights_;
  mutable Grant grant_;
};

}  // namespace detail

template <class W>
detail::PartAccessor<W, true> read(const detail::PartOf<W>& part) {
  return {part, detail::reads};
}
template <class W>
detail::PartAccessor<W, false> write(const detail::PartOf<W>& part) {
  return {part, detail::writes};
}
template <class W>
detail::PartAccessor<W, false> read_write(const detail::PartOf<W>& part) {
  return {part, detail::reads | detail::writes};
}
/// Updates of parts keep their places in the program.
template <class W>
detail::PartAccessor<W, false> commute(const detail::PartOf<W>& part) {
  return {part, detail::commutes};
}
template <class W>
detail::PartAccessor<W, true, detail::How::deferred> deferred_read(const detail::PartOf<W>& part) {
  return {part, detail::reads};
}
template <class W>
detail::PartAccessor<W, false, detail::How::deferred> deferred_write(const detail::PartOf<W>& part) {
  return {part, detail::writes};
}
template <class W>
detail::PartAccessor<W, false, detail::How::deferred> deferred_read_write(const detail::PartOf<W>& part) {
  return {part, detail::reads | detail::writes};
}

}  // namespace lapwing::tasks
