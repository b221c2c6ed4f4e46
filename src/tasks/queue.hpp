// SPDX-License-Identifier: Apache-2.0
// The synchroniser: one queue of records for each object, in the order of the
// serial program. A task of the main program's comes last; a child's record
// comes before its parent's, for what remains of the parent follows the child.
// A record is enabled when no record before it is in its way.
#pragma once

#include "tasks/object.hpp"

namespace lapwing::tasks {

Class class_of(std::uint8_t rights);

/// Puts a new record into its object's queue, before the parent's or at the
/// end. True if it is enabled; else, if it has immediate rights, its task's
/// `pending` counts it.
bool enter(Record& record, Record* parent);

/// Ends a record, whose part of a reduction is combined in its turn. Tasks that
/// may go on are put into `ready`.
void leave(Record& record, ReadyList& ready);
/// Gives up some of the rights of a record.
void weaken(Record& record, std::uint8_t lost, ReadyList& ready);

/// True if the record's task may use the object so now; else its `pending` has
/// been made 2: the record, and the suspending itself.
bool usable(Record& record, std::uint8_t rights);
/// The same for the main program, which has every right and no record; `place`
/// is in the queue if the answer is false, and for leave() afterwards.
bool usable_by_main(Object& object, std::uint8_t rights, Record& place);

/// No worker combines parts into the object between these two.
void hold_combining(Object& object);
void go_on_combining(Object& object, ReadyList& ready);
/// Ends an object of this rank's whose value is gone, unless a task that declared it in vain is still in its
/// queue.
void end_if_unused(Object& object);
/// The same for another rank's object, before its last record leaves: behind that the maker's next object in
/// the same place may come at any moment.
void forget_if_last(Record& record);

/// Takes the turns of a task's commuting updates, in an order that is the same
/// for all tasks; puts it into `ready` when it has all of them.
void take_turns(Task* task, ReadyList& ready);

}  // namespace lapwing::tasks
