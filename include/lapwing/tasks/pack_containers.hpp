// SPDX-License-Identifier: Apache-2.0
// How the containers of the C++ library travel to other ranks (pack.hpp). A copy
// is walked through in the order of the original, hash tables included. Comparisons
// and hashes have no state, for they are made anew. Hash tables with equal keys
// stay where they are: nothing says in which order these come.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

namespace lapwing::tasks::detail {

// A byte for each element: they have no addresses.
template <class A>
struct Packing<std::vector<bool, A>> {
  using C = std::vector<bool, A>;
  static constexpr bool possible = true;
  static void pack(const C& value, Out& out) {
    pack_size(value.size(), out);
    for (const bool each : value) out.put(&each, 1);
  }
  static void into(C& value, In& in) {
    const std::size_t size = unpack_size(in);
    value.clear();
    for (std::size_t i = 0; i < size; ++i) value.push_back(Packing<bool>::make(in));
  }
  static C make(In& in) {
    C value;
    into(value, in);
    return value;
  }
};

/// Elements one after the other, which `put` adds at the end.
template <class C, class Put>
struct PackingOfSequence {
  using E = typename C::value_type;
  static constexpr bool possible = Packing<E>::possible;
  static void pack(const C& value, Out& out) {
    pack_size(static_cast<std::size_t>(std::distance(value.begin(), value.end())), out);
    for (const E& each : value) Packing<E>::pack(each, out);
  }
  static void into(C& value, In& in) {
    const std::size_t size = unpack_size(in);
    value.clear();
    Put put{value};
    for (std::size_t i = 0; i < size; ++i) put(Packing<E>::make(in));
  }
  static C make(In& in) {
    C value;
    into(value, in);
    return value;
  }
};
template <class C>
struct AtTheBack {
  C& to;
  void operator()(typename C::value_type&& value) { to.push_back(std::move(value)); }
};
template <class C>
struct BehindTheLast {
  C& to;
  typename C::iterator last = to.before_begin();
  void operator()(typename C::value_type&& value) { last = to.insert_after(last, std::move(value)); }
};
template <class E, class A>
struct Packing<std::deque<E, A>> : PackingOfSequence<std::deque<E, A>, AtTheBack<std::deque<E, A>>> {};
template <class E, class A>
struct Packing<std::list<E, A>> : PackingOfSequence<std::list<E, A>, AtTheBack<std::list<E, A>>> {};
template <class E, class A>
struct Packing<std::forward_list<E, A>>
    : PackingOfSequence<std::forward_list<E, A>, BehindTheLast<std::forward_list<E, A>>> {};

/// An element as it is inserted: the key of a map may change until then.
template <class C>
struct Inserted {
  using type = typename C::value_type;
};
template <class C>
requires(requires { typename C::mapped_type; }) struct Inserted<C> {
  using type = std::pair<typename C::key_type, typename C::mapped_type>;
};

template <class C, bool stateless>
struct PackingOfKeys {
  using E = typename Inserted<C>::type;
  static constexpr bool possible = Packing<E>::possible && stateless;
  static constexpr bool hashed = requires { typename C::hasher; };
  static void pack_one(const typename C::value_type& each, Out& out) {
    if constexpr (requires { typename C::mapped_type; }) {
      Packing<typename C::key_type>::pack(each.first, out);
      Packing<typename C::mapped_type>::pack(each.second, out);
    } else {
      Packing<E>::pack(each, out);
    }
  }
  static E make_one(In& in) {
    if constexpr (requires { typename C::mapped_type; }) {
      auto key = Packing<typename C::key_type>::make(in);
      return E(std::move(key), Packing<typename C::mapped_type>::make(in));
    } else {
      return Packing<E>::make(in);
    }
  }
  static void pack(const C& value, Out& out) {
    pack_size(value.size(), out);
    if constexpr (hashed) {
      pack_size(value.bucket_count(), out);
      const float load = value.max_load_factor();
      out.put(&load, sizeof load);
    }
    for (const auto& each : value) pack_one(each, out);
  }
  static void into(C& value, In& in) {
    const std::size_t size = unpack_size(in);
    value.clear();
    if constexpr (hashed) {
      const std::size_t buckets = unpack_size(in);
      value.max_load_factor(Packing<float>::make(in));
      value.rehash(0);
      if (value.bucket_count() != buckets) {
        C fresh = buckets > 1 ? C(buckets) : C();
        fresh.max_load_factor(value.max_load_factor());
        value = std::move(fresh);
      }
      std::vector<E> all;
      for (std::size_t i = 0; i < size; ++i) all.push_back(make_one(in));
      // A new element comes first of its bucket, and a new bucket first of all.
      for (std::size_t i = size; i-- > 0;) value.insert(std::move(all[i]));
    } else {
      for (std::size_t i = 0; i < size; ++i) value.insert(value.end(), make_one(in));
    }
  }
  static C make(In& in) {
    C value;
    into(value, in);
    return value;
  }
};
template <class K, class V, class L, class A>
struct Packing<std::map<K, V, L, A>> : PackingOfKeys<std::map<K, V, L, A>, std::is_empty_v<L>> {};
template <class K, class V, class L, class A>
struct Packing<std::multimap<K, V, L, A>> : PackingOfKeys<std::multimap<K, V, L, A>, std::is_empty_v<L>> {};
template <class K, class L, class A>
struct Packing<std::set<K, L, A>> : PackingOfKeys<std::set<K, L, A>, std::is_empty_v<L>> {};
template <class K, class L, class A>
struct Packing<std::multiset<K, L, A>> : PackingOfKeys<std::multiset<K, L, A>, std::is_empty_v<L>> {};
template <class K, class V, class H, class Q, class A>
struct Packing<std::unordered_map<K, V, H, Q, A>>
    : PackingOfKeys<std::unordered_map<K, V, H, Q, A>, std::is_empty_v<H> && std::is_empty_v<Q>> {};
template <class K, class H, class Q, class A>
struct Packing<std::unordered_set<K, H, Q, A>>
    : PackingOfKeys<std::unordered_set<K, H, Q, A>, std::is_empty_v<H> && std::is_empty_v<Q>> {};

template <class E>
struct Packing<std::valarray<E>> {
  using C = std::valarray<E>;
  static constexpr bool possible = Packing<E>::possible && std::is_default_constructible_v<E>;
  static void pack(const C& value, Out& out) {
    pack_size(value.size(), out);
    for (const E& each : value) Packing<E>::pack(each, out);
  }
  static void into(C& value, In& in) {
    value.resize(unpack_size(in));
    for (E& each : value) Packing<E>::into(each, in);
  }
  static C make(In& in) {
    C value;
    into(value, in);
    return value;
  }
};

template <class T>
requires(!bytewise<std::optional<T>>) struct Packing<std::optional<T>> {
  using C = std::optional<T>;
  static constexpr bool possible = Packing<T>::possible;
  static void pack(const C& value, Out& out) {
    const bool is = value.has_value();
    out.put(&is, 1);
    if (is) Packing<T>::pack(*value, out);
  }
  static C make(In& in) {
    if (!Packing<bool>::make(in)) return std::nullopt;
    return C(Packing<T>::make(in));
  }
  static void into(C& value, In& in) {
    if (Packing<bool>::make(in)) {
      value.emplace(Packing<T>::make(in));
    } else {
      value.reset();
    }
  }
};

template <class... T>
requires(!bytewise<std::variant<T...>>) struct Packing<std::variant<T...>> {
  using C = std::variant<T...>;
  static constexpr bool possible = (Packing<T>::possible && ...);
  static void pack(const C& value, Out& out) {
    pack_size(value.index(), out);
    if (value.valueless_by_exception()) return;
    std::visit([&](const auto& held) { Packing<std::decay_t<decltype(held)>>::pack(held, out); }, value);
  }
  template <std::size_t i>
  static C make_at(std::size_t index, In& in) {
    using Held = std::variant_alternative_t<i, C>;
    if (index == i) return C(std::in_place_index<i>, Packing<Held>::make(in));
    if constexpr (i + 1 < sizeof...(T)) {
      return make_at<i + 1>(index, in);
    } else {
      short_message();
      return C(std::in_place_index<i>, Packing<Held>::make(in));
    }
  }
  static C make(In& in) { return make_at<0>(unpack_size(in), in); }
  static void into(C& value, In& in) { value = make(in); }
};

// The value that it points to travels with it.
template <class T>
requires(!std::is_array_v<T> && !std::is_polymorphic_v<T>) struct Packing<std::unique_ptr<T>> {
  using C = std::unique_ptr<T>;
  static constexpr bool possible = Packing<T>::possible;
  static void pack(const C& value, Out& out) {
    const bool is = value != nullptr;
    out.put(&is, 1);
    if (is) Packing<T>::pack(*value, out);
  }
  static C make(In& in) { return Packing<bool>::make(in) ? C(new T(Packing<T>::make(in))) : C(); }
  static void into(C& value, In& in) { value = make(in); }
};

}  // namespace lapwing::tasks::detail
