// SPDX-License-Identifier: Apache-2.0
// Who may do what with an object, and the words for those who may not.
#pragma once

#include <lapwing/tasks/errors.hpp>

#include <string>

#include "tasks/object.hpp"

namespace lapwing::tasks {

/// The object of a handle; Error if there is none, or not any more.
Object& valid(const detail::Handle& handle, const detail::Type* type, const Task& task, const char* doing);
Error destroyed(const Task& task, const Object& object, const char* doing);

/// The task's record of the object, or of a part of it, or null: the first that it has not given up.
Record* find_record(const Task& task, const Object& object);
/// The record of exactly this part, or null.
Record* find_record(const Task& task, const Object& object, const detail::Extent& part);

/// Error if the parent's rights do not include those of the child's record.
void require_covered(const Record& child, const Task& parent);
/// Error if the task may not do this with the record's object.
void require_right(const Record* record, const Object& object, const Task& task, std::uint8_t rights,
                   const detail::Reduction* reduction);

/// Error if the record is for a part only.
void require_whole(const Record* record, const Object& object, const Task& task, std::uint8_t rights);
/// The same for a part of the object: by the parts that the task has declared, together.
void require_part(const Task& task, const Object& object, std::uint8_t rights, const detail::Extent& part);

/// "read and write".
std::string words(std::uint8_t rights);

}  // namespace lapwing::tasks
