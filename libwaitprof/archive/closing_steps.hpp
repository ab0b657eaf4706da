// The steps at the end of a recording that need no word from other ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <span>
#include <string>
#include <vector>

#include "libwaitprof/archive/definitions.hpp"

namespace waitprof::archive {

// Writes what is still buffered on this rank, and completes its event files. False: not all could be written;
// what lies in DIR/unfinished, if anything does, can still be recovered.
bool complete_event_files();

// Then, if an archive is to be made of what could be written: makes the files readable and counts what is
// missing. DIR/unfinished has no more than they have afterwards.
void cut_event_files() noexcept;

// That have an event file.
std::vector<OTF2_LocationRef> own_locations();

// By the primary: all that readers need but local definitions and the anchor. Merged ids -> global ids.
IdMaps finish_definitions(Definitions& unified);

// What the files of these locations and, of the primary, the definitions are (schema/file_checks.hpp), all
// complete by now; "" if there is no memory for it.
std::string file_checks(std::span<const OTF2_LocationRef> locations) noexcept;

// Properties and, by the primary, the anchor. False: the archive is not what it should be, and nobody has
// said so yet.
bool finish_session(const Definitions& unified, bool local_written, bool all_written);

void say_incomplete();

}  // namespace waitprof::archive
