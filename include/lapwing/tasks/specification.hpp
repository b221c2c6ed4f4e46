// SPDX-License-Identifier: Apache-2.0
// Access specifications: what the access section of withonly() fills, and what
// with_cont() changes. Sections are ordinary code and may loop over objects.
#pragma once

#include <lapwing/tasks/access.hpp>
#include <lapwing/tasks/part_access.hpp>

#include <forward_list>
#include <vector>

namespace lapwing::tasks {

/// The accesses that a task declares. The first object that is declared is its locality object.
class Access {
 public:
  template <class T>
  void rd(shared<T> x) {
    add<T>({x.handle(), detail::reads});
  }
  template <class T>
  void wr(shared<T> x) {
    add<T>({x.handle(), detail::writes});
  }
  template <class T>
  void rd_wr(shared<T> x) {
    add<T>({x.handle(), detail::reads | detail::writes});
  }
  /// A commuting update.
  template <class T>
  void cm(shared<T> x) {
    add<T>({x.handle(), detail::commutes});
  }
  template <class T, class... Order>
  void reduce(shared<T> x, Order... order) {
    add<T>(tasks::reduce(x, order...).declaration());
  }
  template <class T>
  void df_rd(shared<T> x) {
    add<T>({x.handle(), detail::reads, true});
  }
  template <class T>
  void df_wr(shared<T> x) {
    add<T>({x.handle(), detail::writes, true});
  }
  template <class T>
  void df_rd_wr(shared<T> x) {
    add<T>({x.handle(), detail::reads | detail::writes, true});
  }
  // The same for parts: rd(part(x, first, count)).
  template <class W>
  void rd(const detail::PartOf<W>& part) {
    add(part, detail::reads);
  }
  template <class W>
  void wr(const detail::PartOf<W>& part) {
    add(part, detail::writes);
  }
  template <class W>
  void rd_wr(const detail::PartOf<W>& part) {
    add(part, detail::reads | detail::writes);
  }
  template <class W>
  void cm(const detail::PartOf<W>& part) {
    add(part, detail::commutes);
  }
  template <class W>
  void df_rd(const detail::PartOf<W>& part) {
    add(part, detail::reads, true);
  }
  template <class W>
  void df_wr(const detail::PartOf<W>& part) {
    add(part, detail::writes, true);
  }
  template <class W>
  void df_rd_wr(const detail::PartOf<W>& part) {
    add(part, detail::reads | detail::writes, true);
  }
  /// The task must run on this worker.
  void on(int worker) { placement.worker = worker; }
  /// Of the tasks that a worker can run, those with the highest priority come first.
  void priority(int value) { its_priority.value = value; }
  void name(const char* text, std::int64_t first = -1, std::int64_t second = -1) {
    label = {text, first, second};
  }

  std::vector<detail::Declaration> declarations;
  std::forward_list<detail::Extent> extents;
  Label label;
  Placement placement;
  Priority its_priority;

 private:
  template <class T>
  void add(detail::Declaration declaration) {
    declaration.type = &detail::type_of<T>;
    declarations.push_back(declaration);
  }
  template <class W>
  void add(const detail::PartOf<W>& part, std::uint8_t rights, bool deferred = false) {
    extents.push_front(part.where.extent());
    declarations.push_back({part.object.handle(), rights, deferred, nullptr,
                            &detail::type_of<typename W::Value>, &extents.front()});
  }
};

/// How a running task changes its rights.
class Continue {
 public:
  template <class T>
  void rd(shared<T> x) {
    changes.push_back({x.handle(), detail::reads, 0});
  }
  template <class T>
  void wr(shared<T> x) {
    changes.push_back({x.handle(), detail::writes, 0});
  }
  template <class T>
  void rd_wr(shared<T> x) {
    changes.push_back({x.handle(), detail::reads | detail::writes, 0});
  }
  template <class T>
  void no_rd(shared<T> x) {
    changes.push_back({x.handle(), 0, detail::reads});
  }
  template <class T>
  void no_wr(shared<T> x) {
    changes.push_back({x.handle(), 0, detail::writes});
  }
  /// Gives up every right, also a commuting one or a part of a reduction.
  template <class T>
  void no_more(shared<T> x) {
    changes.push_back({x.handle(), 0, detail::reads | detail::writes | detail::commutes | detail::reduces});
  }

  // The same for parts that the task has declared by themselves.
  template <class W>
  void rd(const detail::PartOf<W>& part) {
    add(part, detail::reads, 0);
  }
  template <class W>
  void wr(const detail::PartOf<W>& part) {
    add(part, detail::writes, 0);
  }
  template <class W>
  void rd_wr(const detail::PartOf<W>& part) {
    add(part, detail::reads | detail::writes, 0);
  }
  template <class W>
  void no_rd(const detail::PartOf<W>& part) {
    add(part, 0, detail::reads);
  }
  template <class W>
  void no_wr(const detail::PartOf<W>& part) {
    add(part, 0, detail::writes);
  }
  template <class W>
  void no_more(const detail::PartOf<W>& part) {
    add(part, 0, detail::reads | detail::writes | detail::commutes);
  }

  std::vector<detail::Change> changes;
  std::forward_list<detail::Extent> extents;

 private:
  template <class W>
  void add(const detail::PartOf<W>& part, std::uint8_t acquired, std::uint8_t released) {
    extents.push_front(part.where.extent());
    changes.push_back({part.object.handle(), acquired, released, &extents.front()});
  }
};

}  // namespace lapwing::tasks
