// SPDX-License-Identifier: Apache-2.0
// Shared objects: what tasks declare accesses to.
#pragma once

#include <lapwing/tasks/abi.hpp>
#include <lapwing/tasks/pack.hpp>
#include <lapwing/tasks/pack_containers.hpp>

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

namespace lapwing::tasks {

/// A handle of a shared object of type T: trivially copyable, like a pointer,
/// so that task bodies capture it. The object lives until destroy(), or until
/// run() ends. Its value is reached through read(), write(), ... (access.hpp).
template <class T>
class shared {
 public:
  using value_type = T;
  shared() = default;
  explicit shared(detail::Handle handle) : handle_(handle) {}
  detail::Handle handle() const { return handle_; }
  explicit operator bool() const { return handle_.object != nullptr; }
  friend bool operator==(const shared& a, const shared& b) {
    return a.handle_.object == b.handle_.object && a.handle_.generation == b.handle_.generation;
  }

 private:
  detail::Handle handle_;
};

namespace detail {
template <class T>
inline const Type type_of{typeid(T).name(), sizeof(T),     [](void* value) { delete static_cast<T*>(value); },
                          packer<T>(),      unpacker<T>(), runner<T>(),
                          roomer<T>()};
}  // namespace detail

/// A new object whose value is T(args...), known by `name` in messages.
template <class T, class... Args>
shared<T> create_named(std::string name, Args&&... args) {
  auto value = std::make_unique<T>(std::forward<Args>(args)...);
  const auto handle = detail::create(&detail::type_of<T>, value.get(), std::move(name), {});
  value.release();
  return shared<T>(handle);
}

/// A new object whose value is T(args...).
template <class T, class... Args>
shared<T> create(Args&&... args) {
  return create_named<T>({}, std::forward<Args>(args)...);
}

/// Ends an object's life at this place of the program: tasks before it still
/// have it. Using it afterwards is an error.
template <class T>
void destroy(shared<T> object) {
  detail::destroy(object.handle(), &detail::type_of<T>);
}

template <class T>
void rename(shared<T> object, std::string name) {
  detail::rename(object.handle(), &detail::type_of<T>, std::move(name));
}

}  // namespace lapwing::tasks
