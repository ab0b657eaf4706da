// One-sided communication in an archive: accesses to windows, and what completes them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

namespace waitdiag {

// Their user pointer is an EventContext.
void set_one_sided_callbacks(OTF2_EvtReaderCallbacks* callbacks);

}  // namespace waitdiag
