// The steps at the end of a recording that need no communication with other ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <span>
#include <string>
#include <vector>

#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

// Writes what is still buffered on this rank, and completes its event files. False: not everything could be
// written; whatever is in DIR/unfinished can still be recovered.
bool complete_event_files();

// Called after that, if an archive is to be made of what could be written: makes the files readable and
// counts what is missing. Afterwards DIR/unfinished holds nothing that the files lack.
void cut_event_files() noexcept;

// The locations of this process that have an event file.
std::vector<OTF2_LocationRef> own_locations();

// Called by the primary: writes all that readers need except local definitions and the anchor. Merged ids ->
// global ids.
IdMaps finish_definitions(Definitions& unified);

// Checks (schema/file_checks.hpp) of the files of these locations and, on the primary, of the definitions,
// all of which are complete by now; "" if there is no memory for it.
std::string file_checks(std::span<const OTF2_LocationRef> locations) noexcept;

// Writes properties and, on the primary, the anchor. False: the archive is not what it should be, and no
// message has said so yet.
bool finish_session(const Definitions& unified, bool local_written, bool all_written);

void say_incomplete();

}  // namespace waitprof::archive
