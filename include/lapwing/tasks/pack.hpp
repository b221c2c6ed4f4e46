// SPDX-License-Identifier: Apache-2.0
// How values and closures travel to other ranks: what may be copied byte by
// byte is; strings, vectors, arrays, pairs and tuples of such go element by
// element, as the library's other containers do (pack_containers.hpp); a type of
// the program's own says it in
//   template <class Archive> void serialize(Archive& archive) { archive & a & b; }
// and has a default constructor. A value of any other type stays on the rank that made it.
#pragma once

#include <lapwing/tasks/abi.hpp>
#include <lapwing/tasks/bytes.hpp>

#include <array>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lapwing::tasks::detail {

template <class T>
struct Packing;

/// Bytes on their way out.
struct Out {
  Bytes data;
  bool closure = false;                  // look for addresses
  bool stays = false;                    // found one that means something on this rank only
  std::vector<std::uint32_t> addresses;  // where one was found that all ranks have

  void put(const void* bytes, std::size_t size) {
    if (closure) return put_closure(*this, bytes, size);
    data.append(bytes, size);
  }
  template <class T>
  Out& operator&(const T& value) {
    Packing<T>::pack(value, *this);
    return *this;
  }
  template <class... T>
  void operator()(const T&... values) {
    (*this & ... & values);
  }
};

/// Bytes that have come.
struct In {
  const char* next;
  const char* end;

  void get(void* bytes, std::size_t size) {
    if (size > static_cast<std::size_t>(end - next)) short_message();
    if (size > 0) std::memcpy(bytes, next, size);
    next += size;
  }
  template <class T>
  In& operator&(T& value) {
    Packing<T>::into(value, *this);
    return *this;
  }
  template <class... T>
  void operator()(T&... values) {
    (*this & ... & values);
  }
};

template <class T>
inline constexpr bool bytewise = (std::is_trivially_copyable_v<T> ||
                                  (std::is_trivially_copy_constructible_v<T> &&
                                   std::is_trivially_destructible_v<T>)) &&
                                 !std::is_reference_v<T>;

template <class T>
concept Serializes = std::is_default_constructible_v<T> && requires(T value, Out out) {
  value.serialize(out);
};

// Nothing: such a value stays where it is.
template <class T>
struct Packing {
  static constexpr bool possible = false;
};

template <class T>
requires(Serializes<T>) struct Packing<T> {
  static constexpr bool possible = true;
  static void pack(const T& value, Out& out) { const_cast<T&>(value).serialize(out); }
  static void into(T& value, In& in) { value.serialize(in); }
  static T make(In& in) {
    T value;
    value.serialize(in);
    return value;
  }
};

template <class T>
requires(bytewise<T> && !Serializes<T>) struct Packing<T> {
  static constexpr bool possible = true;
  static void pack(const T& value, Out& out) { out.put(&value, sizeof value); }
  static void into(T& value, In& in) { in.get(static_cast<void*>(&value), sizeof value); }
  static T make(In& in) {
    union Room {
      Room() {}
      ~Room() {}
      T value;
    } room;
    in.get(static_cast<void*>(&room.value), sizeof(T));
    return room.value;
  }
};

inline void pack_size(std::size_t size, Out& out) { out.put(&size, sizeof size); }
inline std::size_t unpack_size(In& in) {
  std::size_t size = 0;
  in.get(&size, sizeof size);
  return size;
}

// Containers whose elements are in one piece, and others.
template <class C>
struct PackingOfContainer {
  using E = typename C::value_type;
  static constexpr bool possible = Packing<E>::possible;
  static constexpr bool whole = bytewise<E> && !Serializes<E> && std::is_default_constructible_v<E>;
  static void pack(const C& value, Out& out) {
    pack_size(value.size(), out);
    if constexpr (whole) {
      out.put(value.data(), value.size() * sizeof(E));
    } else {
      for (const E& each : value) Packing<E>::pack(each, out);
    }
  }
  static void into(C& value, In& in) {
    const std::size_t size = unpack_size(in);
    if constexpr (whole) {
      if (size > static_cast<std::size_t>(in.end - in.next) / sizeof(E)) short_message();
      value.resize(size);
      in.get(value.data(), size * sizeof(E));
    } else {
      value.clear();
      for (std::size_t i = 0; i < size; ++i) value.push_back(Packing<E>::make(in));
    }
  }
  static C make(In& in) {
    C value;
    into(value, in);
    return value;
  }
};
template <>
struct Packing<Bytes> {  // read as a vector
  static void pack(const Bytes& value, Out& out) {
    pack_size(value.size(), out);
    out.put(value.data(), value.size());
  }
};
template <class E, class A>
requires(!std::is_same_v<E, bool>) struct Packing<std::vector<E, A>> : PackingOfContainer<std::vector<E, A>> {
};
template <class E, class Tr, class A>
struct Packing<std::basic_string<E, Tr, A>> : PackingOfContainer<std::basic_string<E, Tr, A>> {};

template <class E, std::size_t n>
requires(!bytewise<E>) struct Packing<std::array<E, n>> {
  using C = std::array<E, n>;
  static constexpr bool possible = Packing<E>::possible;
  static void pack(const C& value, Out& out) {
    for (const E& each : value) Packing<E>::pack(each, out);
  }
  static void into(C& value, In& in) {
    for (E& each : value) Packing<E>::into(each, in);
  }
  template <std::size_t... i>
  static C make_each(In& in, std::index_sequence<i...>) {
    return C{((void)i, Packing<E>::make(in))...};
  }
  static C make(In& in) { return make_each(in, std::make_index_sequence<n>()); }
};

template <class... T>
requires(!bytewise<std::tuple<T...>>) struct Packing<std::tuple<T...>> {
  using C = std::tuple<T...>;
  static constexpr bool possible = (Packing<T>::possible && ...);
  static void pack(const C& value, Out& out) {
    std::apply([&](const auto&... each) { (Packing<T>::pack(each, out), ...); }, value);
  }
  static void into(C& value, In& in) {
    std::apply([&](auto&... each) { (Packing<T>::into(each, in), ...); }, value);
  }
  static C make(In& in) { return C{Packing<T>::make(in)...}; }
};

template <class A, class B>
requires(!bytewise<std::pair<A, B>>) struct Packing<std::pair<A, B>> {
  using C = std::pair<A, B>;
  static constexpr bool possible = Packing<A>::possible && Packing<B>::possible;
  static void pack(const C& value, Out& out) {
    Packing<A>::pack(value.first, out);
    Packing<B>::pack(value.second, out);
  }
  static void into(C& value, In& in) {
    Packing<A>::into(value.first, in);
    Packing<B>::into(value.second, in);
  }
  static C make(In& in) { return C{Packing<A>::make(in), Packing<B>::make(in)}; }
};

template <class T>
constexpr auto packer() -> void (*)(const void*, Out&) {
  if constexpr (Packing<T>::possible && !std::is_pointer_v<T>) {
    return [](const void* value, Out& out) { Packing<T>::pack(*static_cast<const T*>(value), out); };
  } else {
    return nullptr;
  }
}
/// Into a value that is there, or into a new one.
template <class T>
constexpr auto unpacker() -> void* (*)(void*, In&) {
  if constexpr (Packing<T>::possible && !std::is_pointer_v<T>) {
    return [](void* value, In& in) -> void* {
      if (value == nullptr) return new T(Packing<T>::make(in));
      Packing<T>::into(*static_cast<T*>(value), in);
      return value;
    };
  } else {
    return nullptr;
  }
}
/// The run of bytes that a value is, or has.
template <class T>
constexpr bool one_run = false;
template <class T>
requires(bytewise<T> && !Serializes<T> && std::is_default_constructible_v<T> &&
         !std::is_pointer_v<T>) constexpr bool one_run<T> = true;
template <class E, class A>
requires(!std::is_same_v<E, bool>) constexpr bool one_run<std::vector<E, A>> =
    Packing<std::vector<E, A>>::whole;
template <class T>
constexpr auto runner() -> Run (*)(void*) {
  if constexpr (!one_run<T>) {
    return nullptr;
  } else if constexpr (bytewise<T>) {
    return [](void* value) { return Run{value, sizeof(T)}; };
  } else {
    return [](void* value) {
      T& its = *static_cast<T*>(value);
      return Run{its.data(), its.size() * sizeof(typename T::value_type)};
    };
  }
}
template <class T>
constexpr auto roomer() -> void* (*)(void*, std::size_t) {
  if constexpr (!one_run<T>) {
    return nullptr;
  } else {
    return [](void* value, std::size_t size) -> void* {
      if (value == nullptr) value = new T;
      if constexpr (!bytewise<T>) static_cast<T*>(value)->resize(size / sizeof(typename T::value_type));
      return value;
    };
  }
}

/// The same into raw memory, for closures.
template <class T>
constexpr auto builder() -> void (*)(void*, In&) {
  if constexpr (Packing<T>::possible) {
    return [](void* memory, In& in) { ::new (memory) T(Packing<T>::make(in)); };
  } else {
    return nullptr;
  }
}

}  // namespace lapwing::tasks::detail
