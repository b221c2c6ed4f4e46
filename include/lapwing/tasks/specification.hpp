// SPDX-License-Identifier: Apache-2.0
// Access specifications: what the access section of withonly() fills, and what
// with_cont() changes. Sections are ordinary code and may loop over objects.
#pragma once

#include <lapwing/tasks/access.hpp>

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
  /// The task must run on this worker.
  void on(int worker) { placement.worker = worker; }
  void name(const char* text, std::int64_t first = -1, std::int64_t second = -1) {
    label = {text, first, second};
  }

  std::vector<detail::Declaration> declarations;
  Label label;
  Placement placement;

 private:
  template <class T>
  void add(detail::Declaration declaration) {
    declaration.type = &detail::type_of<T>;
    declarations.push_back(declaration);
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

  std::vector<detail::Change> changes;
};

}  // namespace lapwing::tasks
