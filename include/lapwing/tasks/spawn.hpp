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
#include <typeinfo>
#include <utility>

namespace lapwing::tasks {

namespace detail {

/// The closure takes the values of its accesses without asking for them.
template <class Closure>
inline constexpr bool takes_values = false;

template <class Closure>
inline const Body body_of{typeid(Closure).name(),
                          sizeof(Closure),
                          alignof(Closure),
                          [](void* memory) {
                            struct End {
                              Closure* closure;
                              ~End() { closure->~Closure(); }
                            } end{static_cast<Closure*>(memory)};
                            (*end.closure)();
                          },
                          [](void* memory) { static_cast<Closure*>(memory)->~Closure(); },
                          packer<Closure>(),
                          builder<Closure>(),
                          takes_values<Closure>};

template <class Callable>
void start(Request& request, Callable&& body) {
  using Closure = std::decay_t<Callable>;
  request.body = &body_of<Closure>;
  const Prepared prepared = prepare(request);
  if constexpr (std::is_nothrow_constructible_v<Closure, Callable&&>) {
    ::new (prepared.closure) Closure(std::forward<Callable>(body));
  } else {
    try {
      ::new (prepared.closure) Closure(std::forward<Callable>(body));
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
template <>
struct Kept<Priority> {
  explicit Kept(const Priority&) {}
  std::tuple<> give() { return {}; }
};

// An access that the task waited for is the value.
template <class T>
struct Kept<Accessor<T, How::plain>> {
  explicit Kept(const Accessor<T, How::plain>& accessor) : object(accessor.declaration().what.object) {}
  explicit Kept(ObjectHead* object) : object(object) {}
  ObjectHead* object;
  std::tuple<T&> give() {
    const bool plain = object->copies.load(std::memory_order_relaxed) == 0;
    return {*static_cast<T*>(plain ? object->value : value_here(object))};
  }
};
template <class T>
struct Kept<Accessor<T, How::reduction>> {
  explicit Kept(const Accessor<T, How::reduction>& accessor) : accessor(accessor) {}
  Accessor<T, How::reduction> accessor;
  std::tuple<T&> give() { return {*accessor}; }
};

// Of a part, its view.
template <class W, bool reader>
struct Kept<PartAccessor<W, reader>> {
  using Value = typename PartAccessor<W, reader>::Value;
  explicit Kept(const PartAccessor<W, reader>& accessor)
      : object(accessor.declaration().what), where(accessor.where()) {}
  Kept(Handle object, const W& where) : object(object), where(where) {}
  Handle object;
  W where;
  auto give() {
    Value& value = *static_cast<Value*>(value_here(object.object));
    using View = decltype(checked_view(where, value, object));
    return std::tuple<View>{checked_view(where, value, object)};
  }
};
template <class W, bool reader>
struct Kept<PartAccessor<W, reader, How::deferred>> {
  using A = PartAccessor<W, reader, How::deferred>;
  explicit Kept(const A& accessor) : accessor(accessor) {}
  A accessor;
  std::tuple<A&> give() { return {accessor}; }
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
template <class W, bool reader, How how>
inline constexpr bool is_accessor<PartAccessor<W, reader, how>> = true;

// A function and its arguments, as spawn() keeps them.
template <class F, class... A>
struct Spawned {
  F f;
  std::tuple<Kept<A>...> kept;
  void operator()() {
    std::apply([&](auto&... each) { std::apply(f, std::tuple_cat(each.give()...)); }, kept);
  }
};

template <class A>
struct Packing<Kept<A>> {
  static constexpr bool possible = Packing<A>::possible;
  static void pack(const Kept<A>& kept, Out& out) { Packing<A>::pack(kept.argument, out); }
  static Kept<A> make(In& in) { return Kept<A>(Packing<A>::make(in)); }
};
template <class Setting>
struct PackingOfSetting {
  static constexpr bool possible = true;
  static void pack(const Kept<Setting>&, Out&) {}
  static Kept<Setting> make(In&) { return Kept<Setting>(Setting{}); }
};
template <>
struct Packing<Kept<Label>> : PackingOfSetting<Label> {};
template <>
struct Packing<Kept<Placement>> : PackingOfSetting<Placement> {};
template <>
struct Packing<Kept<Priority>> : PackingOfSetting<Priority> {};
template <class T, How how>
struct Packing<Kept<Accessor<T, how>>> {
  using K = Kept<Accessor<T, how>>;
  static constexpr bool possible = true;
  static void pack(const K& kept, Out& out) {
    const Declaration d = kept.accessor.declaration();
    out& d.what& d.rights& d.reduction;
  }
  static K make(In& in) {
    Declaration d;
    in& d.what& d.rights& d.reduction;
    return K(Accessor<T, how>(d.what, d.rights, d.reduction));
  }
};
template <class T>
struct Packing<Kept<Accessor<T, How::plain>>> {
  using K = Kept<Accessor<T, How::plain>>;
  static constexpr bool possible = true;
  static void pack(const K& kept, Out& out) { out& kept.object; }
  static K make(In& in) { return K(Packing<ObjectHead*>::make(in)); }
};
template <class W, bool reader>
struct Packing<Kept<PartAccessor<W, reader>>> {
  using K = Kept<PartAccessor<W, reader>>;
  static constexpr bool possible = true;
  static void pack(const K& kept, Out& out) { out& kept.object& kept.where; }
  static K make(In& in) {
    const Handle object = Packing<Handle>::make(in);
    return K(object, Packing<W>::make(in));
  }
};
template <class W, bool reader>
struct Packing<Kept<PartAccessor<W, reader, How::deferred>>> {
  using K = Kept<PartAccessor<W, reader, How::deferred>>;
  static constexpr bool possible = true;
  static void pack(const K& kept, Out& out) {
    out& kept.accessor.part().object& kept.accessor.part().where& kept.accessor.rights();
  }
  static K make(In& in) {
    const auto object = Packing<shared<typename W::Value>>::make(in);
    const W where = Packing<W>::make(in);
    return K(PartAccessor<W, reader, How::deferred>({object, where}, Packing<std::uint8_t>::make(in)));
  }
};
template <class F, class... A>
inline constexpr bool takes_values<Spawned<F, A...>> = true;
template <class F, class... A>
struct Packing<Spawned<F, A...>> {
  using S = Spawned<F, A...>;
  static constexpr bool possible = Packing<F>::possible && (Packing<Kept<A>>::possible && ...);
  static void pack(const S& spawned, Out& out) {
    Packing<F>::pack(spawned.f, out);
    std::apply([&](const auto&... each) { (Packing<Kept<A>>::pack(each, out), ...); }, spawned.kept);
  }
  static S make(In& in) {
    F f = Packing<F>::make(in);
    return S{std::move(f), std::tuple<Kept<A>...>{Packing<Kept<A>>::make(in)...}};
  }
};

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
    } else if constexpr (std::is_same_v<A, Priority>) {
      request.priority = argument;
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
    detail::Request request{declarations.data(), count, nullptr, {}, {}, where};
    detail::Gathered gathered{declarations.data(), request};
    (gathered.take(args), ...);
    detail::start(request, detail::Spawned<std::decay_t<F>, std::decay_t<Args>...>{
                               std::decay_t<F>(std::forward<F>(f)),
                               std::tuple<detail::Kept<std::decay_t<Args>>...>(
                                   detail::Kept<std::decay_t<Args>>(std::forward<Args>(args))...)});
  }
};
template <class F, class... Args>
spawn(F&&, Args&&...) -> spawn<F, Args...>;

/// A task whose access specification is what `section` declares.
template <class Section, class Body>
void withonly(Section&& section, Body&& body, std::source_location where = std::source_location::current()) {
  Access access;
  section(access);
  detail::Request request{
      access.declarations.data(), access.declarations.size(), nullptr, access.label, access.placement, where,
      access.its_priority};
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
