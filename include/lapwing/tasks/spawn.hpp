// SPDX-License-Identifier: Apache-2.0
// Tasks:
//   spawn(update, read(panel[i]), read_write(panel[j]), k);
//   withonly([&](Access& a) { a.rd(x); for (auto& y : ys) a.wr(y); }, [=] { ... });
//   with_cont([&](Continue& c) { c.rd(later); c.no_wr(done); });
#pragma once

#include <lapwing/tasks/specification.hpp>

#include <array>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lapwing::tasks {

namespace detail {

template <class Body>
void start(Request& request, Body&& body) {
  using Closure = std::decay_t<Body>;
  request.size = sizeof(Closure);
  request.align = alignof(Closure);
  request.run = [](void* memory) {
    struct End {
      Closure* closure;
      ~End() { closure->~Closure(); }
    } end{static_cast<Closure*>(memory)};
    (*end.closure)();
  };
  request.drop = [](void* memory) { static_cast<Closure*>(memory)->~Closure(); };
  const Prepared prepared = prepare(request);
  if constexpr (std::is_nothrow_constructible_v<Closure, Body&&>) {
    ::new (prepared.closure) Closure(std::forward<Body>(body));
  } else {
    try {
      ::new (prepared.closure) Closure(std::forward<Body>(body));
    } catch (...) {
      abandon(prepared.task);
      throw;
    }
  }
  launch(prepared.task);
}

/// An argument as the closure keeps it, and what the body gets from it.
template <class A>
struct Kept {
  explicit Kept(A argument) : argument(std::move(argument)) {}
  A argument;
  std::tuple<A&&> give() { return {std::move(argument)}; }
};

// Settings are no parameters of the body.
template <>
struct Kept<Label> {
  explicit Kept(const Label&) {}
  std::tuple<> give() { return {}; }
};
template <>
struct Kept<Placement> {
  explicit Kept(const Placement&) {}
  std::tuple<> give() { return {}; }
};

// An access that the task waited for is the value.
template <class T>
struct Kept<Accessor<T, How::plain>> {
  explicit Kept(const Accessor<T, How::plain>& accessor) : object(accessor.declaration().what.object) {}
  ObjectHead* object;
  std::tuple<T&> give() { return {*static_cast<T*>(object->value)}; }
};
template <class T>
struct Kept<Accessor<T, How::reduction>> {
  explicit Kept(const Accessor<T, How::reduction>& accessor) : accessor(accessor) {}
  Accessor<T, How::reduction> accessor;
  std::tuple<T&> give() { return {*accessor}; }
};

// A deferred one is the accessor, good after with_cont().
template <class T>
struct Kept<Accessor<T, How::deferred>> {
  explicit Kept(const Accessor<T, How::deferred>& accessor) : accessor(accessor) {}
  Accessor<T, How::deferred> accessor;
  std::tuple<Accessor<T, How::deferred>&> give() { return {accessor}; }
};

template <class A>
inline constexpr bool is_accessor = false;
template <class T, How how>
inline constexpr bool is_accessor<Accessor<T, how>> = true;

struct Gathered {
  Declaration* next;
  Request& request;
  template <class A>
  void take(const A& argument) {
    if constexpr (is_accessor<A>) {
      *next++ = argument.declaration();
    } else if constexpr (std::is_same_v<A, Label>) {
      request.label = argument;
    } else if constexpr (std::is_same_v<A, Placement>) {
      request.placement = argument;
    }
  }
};

}  // namespace detail

/// A task that calls f with the values of the accesses among the arguments, and
/// with copies of the others. A class only so that the place of the call can
/// follow any number of arguments.
template <class F, class... Args>
struct spawn {
  spawn(F&& f, Args&&... args, std::source_location where = std::source_location::current()) {
    constexpr std::size_t count = (0 + ... + (detail::is_accessor<std::decay_t<Args>> ? 1 : 0));
    std::array<detail::Declaration, count == 0 ? 1 : count> declarations;
    detail::Request request{declarations.data(), count, 0, 0, nullptr, nullptr, {}, {}, where};
    detail::Gathered gathered{declarations.data(), request};
    (gathered.take(args), ...);
    detail::start(request, [f = std::decay_t<F>(std::forward<F>(f)),
                            kept = std::tuple<detail::Kept<std::decay_t<Args>>...>(
                                detail::Kept<std::decay_t<Args>>(std::forward<Args>(args))...)]() mutable {
      std::apply([&](auto&... each) { std::apply(f, std::tuple_cat(each.give()...)); }, kept);
    });
  }
};
template <class F, class... Args>
spawn(F&&, Args&&...) -> spawn<F, Args...>;

/// A task whose access specification is what `section` declares.
template <class Section, class Body>
void withonly(Section&& section, Body&& body, std::source_location where = std::source_location::current()) {
  Access access;
  section(access);
  detail::Request request{access.declarations.data(),
                          access.declarations.size(),
                          0,
                          0,
                          nullptr,
                          nullptr,
                          access.label,
                          access.placement,
                          where};
  detail::start(request, std::forward<Body>(body));
}

/// Changes the rights of the running task: deferred accesses become immediate,
/// which may wait; others are given up, so that later tasks need not wait for
/// the end of this one.
template <class Section>
void with_cont(Section&& section) {
  Continue changed;
  section(changed);
  detail::change(changed.changes.data(), changed.changes.size());
}

}  // namespace lapwing::tasks
