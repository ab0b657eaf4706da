// Records of one-sided communication, and the windows they are about.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/formats/write/archive_ids.hpp"

namespace waitdiag {

// Which entries of the communicators are windows, and which groups their epochs name.
struct OneSidedUse {
  explicit OneSidedUse(const Trace& trace);
  // A window that lies over a communicator of its own members and is nothing else is written as a window
  // only.
  bool is_window_alone(const Trace& trace, CommId comm) const;

  std::vector<bool> window, plain;  // by communicator: used as a window; by messages and other collectives
  std::vector<bool> group;          // by peer list: the other side of an epoch
};

constexpr bool is_of_window(CollectiveKind kind) {
  return kind == CollectiveKind::Fence || kind == CollectiveKind::WinCreate ||
         kind == CollectiveKind::WinFree;
}

// `target`: place of the record's target in the window's communicator.
void write_one_sided(OTF2_EvtWriter* writer, OTF2_TimeStamp now, const RmaRecord& record,
                     std::uint32_t target, ArchiveIds& ids);
void write_window_collective(OTF2_EvtWriter* writer, OTF2_TimeStamp now, const CollectivePart& part,
                             ArchiveIds& ids);

}  // namespace waitdiag
