// SPDX-License-Identifier: Apache-2.0
#include "tasks/queue_parts.hpp"

#include "tasks/extent.hpp"
#include "tasks/planted.hpp"
#include "tasks/queue_list.hpp"

namespace lapwing::tasks::parts {

namespace {

bool go_together(const Record& a, const Record& b) {
  return a.kind == b.kind && a.kind != Class::exclusive && company(a) == company(b);
}

// They have something in common, and are not one task's.
bool meet(const Record& a, const Record& b) {
  if (!a.partial || !b.partial) return !fault(Fault::narrow_parts) || a.partial == b.partial;
  return a.task != b.task && overlap(section_of(a).extent, section_of(b).extent);
}

bool in_the_way(const Record& before, const Record& after) {
  return !go_together(before, after) && meet(before, after);
}

// Counts its blockers; true if there are none.
bool judge(const Object& object, Record& record) {
  std::uint32_t blockers = 0;
  for (const Record* r = object.head; r != &record; r = r->next) {
    if (!in_the_way(*r, record)) continue;
    ++blockers;
    if (!record.partial) break;
  }
  if (record.partial) section_of(record).blockers = blockers;
  return blockers == 0;
}

// The records behind `from` lose a blocker where `was` says that it was one, and `is` not that it still is.
template <class Was, class Is>
void relieve(Object& object, Record* from, ReadyList& ready, Was was, Is is) {
  // A record of the whole object goes in if all before it go together with it and each other.
  const Record* like = nullptr;
  bool alike = true;
  const auto passed = [&](const Record& r) {
    if (like == nullptr) like = &r;
    alike = alike && (like == &r || go_together(*like, r));
  };
  for (const Record* r = object.head; r != from; r = r->next) passed(*r);
  for (Record* r = from; r != nullptr; r = r->next) {
    if (r->partial && was(*r) && !is(*r)) {
      if (--section_of(*r).blockers == 0) let_in(*r, ready);
    } else if (!r->partial && !r->enabled && (like == nullptr || (alike && go_together(*like, *r)))) {
      let_in(*r, ready);
    }
    passed(*r);
  }
}

// The rules of queue.hpp hold again, and the enabled records are a beginning of the queue.
void end(Object& object) {
  object.enabled = 0;
  Record* r = object.head;
  if (r != nullptr) {
    object.kind = r->kind;
    object.company = company(*r);
  }
  for (; r != nullptr && r->enabled; r = r->next) ++object.enabled;
  object.frontier = r;
}

}  // namespace

void append(Object& object, Record& record, ReadyList& ready) {
  if (record.partial) ++object.partial;
  link_before(object, record, nullptr);
  if (judge(object, record)) let_in(record, ready);
}

void insert_before(Object& object, Record& record, Record& parent, ReadyList& ready) {
  if (record.partial) ++object.partial;
  link_before(object, record, &parent);
  if (judge(object, record)) let_in(record, ready);
  // Those behind it that it is in the way of are its parent's; they wait for it now.
  for (Record* r = &parent; r != nullptr; r = r->next) {
    if (!in_the_way(record, *r)) continue;
    if (r->partial) ++section_of(*r).blockers;
    r->enabled = false;
  }
}

void remove(Object& object, Record& record, ReadyList& ready) {
  Record* const behind = record.next;
  unlink(object, record);
  record.enabled = false;
  relieve(
      object, behind, ready, [&](const Record& r) { return in_the_way(record, r); },
      [](const Record&) { return false; });
  if (record.partial && --object.partial == 0) end(object);
}

void only_reads(Object& object, Record& record, ReadyList& ready) {
  const Record was = record;
  record.kind = Class::shared;
  if (!record.enabled && judge(object, record)) let_in(record, ready);
  relieve(
      object, record.next, ready, [&](const Record& r) { return in_the_way(was, r); },
      [&](const Record& r) { return in_the_way(record, r); });
}

void judge_all(Object& object, ReadyList& ready) {
  for (Record* r = object.head; r != nullptr; r = r->next) {
    const bool was = r->enabled;
    r->enabled = judge(object, *r);
    if (r->enabled && !was) let_in(*r, ready);
  }
}

bool behind_readers(const Object& object, const Record& record) {
  for (const Record* r = object.head; r != &record; r = r->next) {
    if (r->kind != Class::shared && meet(*r, record)) return false;
  }
  return true;
}

}  // namespace lapwing::tasks::parts
