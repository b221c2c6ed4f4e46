// SPDX-License-Identifier: Apache-2.0
// The serial program, with Lapwing's calls stripped: LAPWING_SERIAL. A task is
// run where it is spawned, an access is the object itself, nothing is checked
// and nothing is linked. Reductions add up in the same order as elsewhere, so
// floating point has the same bits.
#pragma once

#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/label.hpp>
#include <lapwing/tasks/options.hpp>
#include <lapwing/tasks/part.hpp>
#include <lapwing/tasks/reduction.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace lapwing::tasks {

namespace detail {

/// The objects that run() has to end, and the parts of reductions of the tasks
/// that are under way.
struct SerialState {
  struct Part {
    const void* object;
    void* own;
  };
  std::map<void*, void (*)(void*)> objects;
  std::vector<Part> parts;
};
inline SerialState& serial_state() {
  static SerialState state;
  return state;
}

inline std::string serial_text(const Label& label, const std::source_location& where) {
  std::string file = where.file_name();
  file = "spawned at " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line());
  if (label.text == nullptr) return "the task " + file;
  std::string name = label.text;
  if (label.first >= 0) name += "(" + std::to_string(label.first);
  if (label.second >= 0) name += ", " + std::to_string(label.second);
  if (label.first >= 0) name += ")";
  return "task '" + name + "' (" + file + ")";
}

}  // namespace detail

template <class T>
class shared {
 public:
  using value_type = T;
  shared() = default;
  explicit shared(T* value) : value_(value) {}
  T* value() const { return value_; }
  explicit operator bool() const { return value_ != nullptr; }
  friend bool operator==(const shared&, const shared&) = default;

 private:
  T* value_ = nullptr;
};

template <class T, class... Args>
shared<T> create(Args&&... args) {
  T* const value = new T(std::forward<Args>(args)...);
  detail::serial_state().objects.emplace(value, [](void* dead) { delete static_cast<T*>(dead); });
  return shared<T>(value);
}
template <class T, class... Args>
shared<T> create_named(const std::string&, Args&&... args) {
  return create<T>(std::forward<Args>(args)...);
}
template <class T>
void rename(shared<T>, const std::string&) {}
template <class T>
void destroy(shared<T> x) {
  detail::serial_state().objects.erase(x.value());
  delete x.value();
}

namespace detail {

template <class T, class Op = void, bool deferred = false>
class Accessor {
 public:
  explicit Accessor(shared<std::remove_const_t<T>> x) : object_(x) {}
  T& operator*() const {
    if constexpr (!std::is_void_v<Op>) {
      const auto& parts = serial_state().parts;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->object == object_.value()) return *static_cast<T*>(part->own);
      }
    }
    return *object_.value();
  }
  T* operator->() const { return &**this; }
  operator T&() const { return **this; }
  template <class I>
  decltype(auto) operator[](I&& i) const {
    return (**this)[std::forward<I>(i)];
  }
  /// Elements of a vector or an array.
  auto part(std::size_t first, std::size_t count) const {
    using Element = std::remove_cvref_t<decltype(std::declval<T&>()[0])>;
    return std::span<const Element>(**this).subspan(first, count);
  }
  shared<std::remove_const_t<T>> object() const { return object_; }

 private:
  shared<std::remove_const_t<T>> object_;
};

/// A part of an object, as its view.
template <class Where, bool reader, bool deferred = false>
class PartAccessor : public ViewOperations<PartAccessor<Where, reader, deferred>> {
 public:
  using Value = std::conditional_t<reader, const typename Where::Value, typename Where::Value>;
  explicit PartAccessor(const PartOf<Where>& part) : part_(part) {}
  decltype(auto) operator*() const { return part_.where.view(static_cast<Value&>(*part_.object.value())); }

 private:
  PartOf<Where> part_;
};

/// A task's own part of a reduction, which is combined when the task ends.
template <class T, class Op>
class Part {
 public:
  explicit Part(shared<T> x) : object_(x.value()), own_(Op{}.identity(*object_)) {
    serial_state().parts.push_back({object_, &own_});
  }
  Part(const Part&) = delete;
  ~Part() {
    serial_state().parts.pop_back();
    Op{}.combine(*object_, own_);
  }

 private:
  T* object_;
  T own_;
};

/// The parts of one task, combined in the reverse of their order when it ends.
class Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  ~Parts() {
    while (!all_.empty()) all_.pop_back();
  }
  template <class T, class Op>
  void add(shared<T> x) {
    all_.push_back(std::make_shared<Part<T, Op>>(x));
  }
  template <class A>
  void take(const A&) {}
  template <class T, class Op, bool deferred>
  void take(const Accessor<T, Op, deferred>& accessor) {
    if constexpr (!std::is_void_v<Op>) add<T, Op>(accessor.object());
  }

 private:
  std::vector<std::shared_ptr<void>> all_;
};

// An argument as the body gets it.
template <class A>
std::tuple<A&&> give(A& kept) {
  return {std::move(kept)};
}
inline std::tuple<> give(Label&) { return {}; }
inline std::tuple<> give(Placement&) { return {}; }
inline std::tuple<> give(Priority&) { return {}; }
template <class T, class Op>
std::tuple<T&> give(Accessor<T, Op, false>& kept) {
  return {*kept};
}
template <class T>
std::tuple<Accessor<T, void, true>&> give(Accessor<T, void, true>& kept) {
  return {kept};
}

template <class W, bool reader>
auto give(PartAccessor<W, reader>& kept) {
  return std::tuple<decltype(*kept)>{*kept};
}
template <class W, bool reader>
std::tuple<PartAccessor<W, reader, true>&> give(PartAccessor<W, reader, true>& kept) {
  return {kept};
}

template <class Body>
void serial_task(const Label& label, const std::source_location& where, Body&& body) {
  try {
    body();
  } catch (const TaskError&) {
    throw;  // of a task inside
  } catch (const std::exception& error) {
    const std::string task = serial_text(label, where);
    throw TaskError(task + " threw: " + error.what(), task, where, std::current_exception());
  } catch (...) {
    const std::string task = serial_text(label, where);
    throw TaskError(task + " threw: an exception of an unknown type", task, where, std::current_exception());
  }
}

}  // namespace detail

template <class T>
detail::Accessor<const T> read(shared<T> x) {
  return detail::Accessor<const T>(x);
}
template <class T>
detail::Accessor<T> write(shared<T> x) {
  return detail::Accessor<T>(x);
}
template <class T>
detail::Accessor<T> read_write(shared<T> x) {
  return detail::Accessor<T>(x);
}
template <class T>
detail::Accessor<T> commute(shared<T> x) {
  return detail::Accessor<T>(x);
}
template <class T, class Op = plus>
detail::Accessor<T, Op> reduce(shared<T> x, Op = {}) {
  return detail::Accessor<T, Op>(x);
}
template <class T, class Op>
detail::Accessor<T, Op> reduce(shared<T> x, Op, any_order_t) {
  return detail::Accessor<T, Op>(x);
}
template <class T>
detail::Accessor<const T, void, true> deferred_read(shared<T> x) {
  return detail::Accessor<const T, void, true>(x);
}
template <class T>
detail::Accessor<T, void, true> deferred_write(shared<T> x) {
  return detail::Accessor<T, void, true>(x);
}
template <class T>
detail::Accessor<T, void, true> deferred_read_write(shared<T> x) {
  return detail::Accessor<T, void, true>(x);
}

template <class W>
detail::PartAccessor<W, true> read(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, true>(part);
}
template <class W>
detail::PartAccessor<W, false> write(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, false>(part);
}
template <class W>
detail::PartAccessor<W, false> read_write(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, false>(part);
}
template <class W>
detail::PartAccessor<W, false> commute(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, false>(part);
}
template <class W>
detail::PartAccessor<W, true, true> deferred_read(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, true, true>(part);
}
template <class W>
detail::PartAccessor<W, false, true> deferred_write(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, false, true>(part);
}
template <class W>
detail::PartAccessor<W, false, true> deferred_read_write(const detail::PartOf<W>& part) {
  return detail::PartAccessor<W, false, true>(part);
}

/// Of a specification only the reductions and the name mean something here.
class Access {
 public:
  template <class X>
  void rd(const X&) {}
  template <class X>
  void wr(const X&) {}
  template <class X>
  void rd_wr(const X&) {}
  template <class X>
  void cm(const X&) {}
  template <class X>
  void df_rd(const X&) {}
  template <class X>
  void df_wr(const X&) {}
  template <class X>
  void df_rd_wr(const X&) {}
  template <class T, class Op = plus, class... Order>
  void reduce(shared<T> x, Op = {}, Order...) {
    parts.add<T, Op>(x);
  }
  void on(int) {}
  void priority(int) {}
  void name(const char* text, std::int64_t first = -1, std::int64_t second = -1) {
    label = {text, first, second};
  }
  Label label;
  detail::Parts parts;
};

template <class F, class... Args>
struct spawn {
  spawn(F&& f, Args&&... args, std::source_location where = std::source_location::current()) {
    Label label;
    const auto look = [&](const auto& argument) {
      if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Label>) label = argument;
    };
    (look(args), ...);
    detail::serial_task(label, where, [&] {
      std::tuple<std::decay_t<Args>...> kept(std::forward<Args>(args)...);
      std::apply(
          [&](auto&... each) {
            detail::Parts parts;
            (parts.take(each), ...);
            std::apply(f, std::tuple_cat(detail::give(each)...));
          },
          kept);
    });
  }
};
template <class F, class... Args>
spawn(F&&, Args&&...) -> spawn<F, Args...>;

template <class Section, class Body>
void withonly(Section&& section, Body&& body, std::source_location where = std::source_location::current()) {
  Access access;
  section(access);
  detail::serial_task(access.label, where, body);
}

class Continue {
 public:
  template <class... X>
  void rd(const X&...) {}
  template <class... X>
  void wr(const X&...) {}
  template <class... X>
  void rd_wr(const X&...) {}
  template <class... X>
  void no_rd(const X&...) {}
  template <class... X>
  void no_wr(const X&...) {}
  template <class... X>
  void no_more(const X&...) {}
};

/// Nothing waits and nothing is given up.
template <class Section>
void with_cont(Section&&) {}

inline void run(const Options&, const std::function<void()>& program) {
  struct End {
    ~End() {
      auto& objects = detail::serial_state().objects;
      for (const auto& [value, drop] : objects) drop(value);
      objects.clear();
    }
  } end;
  program();
}
inline void run(const std::function<void()>& program) { run(Options{}, program); }
inline void finish() {}
template <class Wait>
decltype(auto) blocking(Wait&& wait) {
  return std::forward<Wait>(wait)();
}
inline int workers() { return 1; }
inline int worker() { return 0; }

}  // namespace lapwing::tasks
