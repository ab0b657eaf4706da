// Words of the text notation for the enumerations of the model, shared by parser and writer.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

std::string_view word(CallKind kind);
std::string_view word(CollectiveKind kind);
std::string_view word(SendMode mode);
std::string_view word(RmaRecord::What what);
std::optional<RmaRecord::What> rma_word(std::string_view word);
bool at_enter(RmaRecord::What what);  // otherwise its record comes where the call is left
std::optional<CallKind> call_kind(std::string_view word);
std::optional<CollectiveKind> collective_kind(std::string_view word);
std::optional<SendMode> send_mode(std::string_view word);

// The collective that every call of this region is assumed to be (MPI_Bcast_c -> Bcast); none for Init,
// Finalize and communicator constructors, whose records are optional, nor for anything else.
std::optional<CollectiveKind> implied_collective(const Region& region);
std::optional<CollectiveKind> implied_nonblocking(const Region& region);  // what the call starts

CallKind class_by_name(CollectiveKind kind);  // of the blocking MPI function

// `name`, in quotes where the notation needs them.
std::string in_quotes(std::string_view name);

}  // namespace waitdiag
