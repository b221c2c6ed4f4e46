// SPDX-License-Identifier: Apache-2.0
#include "tasks/c/values.hpp"

#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/pack.hpp>

#include <cstdlib>
#include <memory>
#include <new>

#include "tasks/ranks/modules.hpp"

namespace lapwing::tasks::c {

namespace {

Value& value_of(void* value) { return *static_cast<Value*>(value); }
const Value& value_of(const void* value) { return *static_cast<const Value*>(value); }

void* bytes_of(std::size_t size) {
  void* const got = std::malloc(size == 0 ? 1 : size);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

void drop_bytes(void* value) {
  std::free(value_of(value).data);
  delete &value_of(value);
}

void pack_bytes(const void* value, detail::Out& out) {
  detail::pack_size(value_of(value).size, out);
  out.put(value_of(value).data, value_of(value).size);
}

void* room_for_bytes(void* value, std::size_t size) {
  if (value == nullptr) value = new Value;
  Value& its = value_of(value);
  if (its.data != nullptr && its.size == size) return value;
  std::free(its.data);
  its.data = nullptr;
  its.data = bytes_of(size);
  its.size = size;
  return value;
}

void* unpack_bytes(void* value, detail::In& in) {
  value = room_for_bytes(value, detail::unpack_size(in));
  in.get(value_of(value).data, value_of(value).size);
  return value;
}

void drop_kind(void* value) {
  const Value& its = value_of(value);
  if (its.kind->drop != nullptr && its.data != nullptr) its.kind->drop(its.data);
  delete &its;
}

void pack_kind(const void* value, detail::Out& out) {
  const Value& its = value_of(value);
  const std::uint64_t kind = ranks::modules().encode(its.kind);
  if (kind == 0) throw Error("the kind of an object is not a static of the program that all ranks have");
  const std::size_t size = its.kind->packed_size(its.data);
  const std::unique_ptr<char[]> bytes(new char[size == 0 ? 1 : size]);
  its.kind->pack(its.data, bytes.get());
  out.put(&kind, sizeof kind);
  detail::pack_size(size, out);
  out.put(bytes.get(), size);
}

void* unpack_kind(void* value, detail::In& in) {
  std::uint64_t code = 0;
  in.get(&code, sizeof code);
  const std::size_t size = detail::unpack_size(in);
  if (size > static_cast<std::size_t>(in.end - in.next)) detail::short_message();
  auto its = std::make_unique<Value>();
  its->kind = ranks::modules().decode_as<lapwing_object_kind>(code);
  its->data = its->kind->unpack(in.next, size);
  in.next += size;
  if (its->data == nullptr) throw Error("the program's unpack() has given no value");
  if (value != nullptr) drop_kind(value);
  return its.release();
}

}  // namespace

const detail::Type bytes_type{"bytes of a C program",
                              sizeof(Value),
                              drop_bytes,
                              pack_bytes,
                              unpack_bytes,
                              [](void* value) {
                                return detail::Run{value_of(value).data, value_of(value).size};
                              },
                              room_for_bytes};
const detail::Type kind_type{
    "a value of a C program", sizeof(Value), drop_kind, pack_kind, unpack_kind, nullptr, nullptr};
const detail::Type fixed_type{
    "a value of a C program", sizeof(Value), drop_kind, nullptr, nullptr, nullptr, nullptr};

detail::Handle handle_of(lapwing_object object) {
  return {static_cast<detail::ObjectHead*>(object.object), object.generation, 0};
}

lapwing_object object_of(detail::Handle handle) { return {handle.object, handle.generation, 0}; }

}  // namespace lapwing::tasks::c

using namespace lapwing::tasks;

extern "C" {

LAPWING_TASKS_API size_t lapwing_task_size(lapwing_object object) {
  const auto* const value = static_cast<const c::Value*>(detail::value_here(c::handle_of(object).object));
  return value == nullptr ? 0 : value->size;
}
}
