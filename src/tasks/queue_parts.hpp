// SPDX-License-Identifier: Apache-2.0
// The rules of a queue in which there are records of parts. A record is enabled when no record before
// it is in its way: one of another task, of a part that overlaps its own, that may not go together
// with it. The enabled records are no beginning of the queue, then, and `frontier`, `enabled`, `kind`
// and `company` of the object mean nothing; a record of a part counts its blockers instead. Each step
// looks once at the records of the queue, which the window of unfinished tasks bounds.
// All under the object's lock.
#pragma once

#include "tasks/object.hpp"

namespace lapwing::tasks::parts {

void append(Object& object, Record& record, ReadyList& ready);
/// A child's record before its parent's.
void insert_before(Object& object, Record& record, Record& parent, ReadyList& ready);
void remove(Object& object, Record& record, ReadyList& ready);
/// The record's access is only a read from now on.
void only_reads(Object& object, Record& record, ReadyList& ready);
/// After the order of records has changed.
void judge_all(Object& object, ReadyList& ready);
/// All that is before the record, and in its way if it wrote, reads as well.
bool behind_readers(const Object& object, const Record& record);

}  // namespace lapwing::tasks::parts
