// What an MPI function does, by its name, as the tables of libwaitprof/spec say. OtherMpi is deliberate for
// some: a call that starts a nonblocking collective waits for no one, and I/O of one process is MPI time
// without a wait pattern.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analyzer/trace/model/call_class.hpp"
#include "libwaitprof/schema/blocking_calls.hpp"

namespace waitdiag {
namespace {

struct Meaning {
  CallKind kind = CallKind::OtherMpi;
  SendMode mode = SendMode::Standard;
  CallClass call_class = CallClass::Other;
};

const std::unordered_map<std::string_view, Meaning>& meanings() {
  static const std::unordered_map<std::string_view, Meaning> kMeanings{
#define WAITPROF_MPI_FUNCTION(name, call_class, kind, mode) \
  {name, {CallKind::kind, SendMode::mode, CallClass::call_class}},
#include "libwaitprof/schema/mpi_functions.inc"
#undef WAITPROF_MPI_FUNCTION
  };
  return kMeanings;
}

// A function that is not in the tables (a vendor's extension) gets the class of the tables' functions of its
// kind.
CallClass class_of(CallKind kind) {
  static const std::map<CallKind, CallClass> kClasses = [] {
    std::map<CallKind, CallClass> classes;
    for (const auto& [name, meaning] : meanings()) {
      const auto [known, fresh] = classes.try_emplace(meaning.kind, meaning.call_class);
      known->second = std::min(known->second, meaning.call_class);
    }
    classes[CallKind::OtherMpi] = CallClass::Other;
    return classes;
  }();
  const auto found = kClasses.find(kind);
  return found == kClasses.end() ? CallClass::Other : found->second;
}

}  // namespace

std::optional<OffReason> Region::off() const {
  if (name.empty() || name.front() != '(') return std::nullopt;
  if (name == kBlockedRegion || name == kBlockedBelowRegion) return OffReason::Blocked;
  if (name == kPreemptedRegion) return OffReason::Preempted;
  if (name == kPageFaultRegion || name == kPageFaultBelowRegion) return OffReason::PageFault;
  if (name == kPerhapsOffRegion) return OffReason::Unknown;
  return std::nullopt;
}

// "write (checkpoint.*.dat)"
std::optional<WaitedFor> Region::waits_for() const {
  static const std::unordered_map<std::string_view, WaitedFor> kKnown{
#define CALL(kind, result, name, ...) {waitprof::schema::shown_name(#name), WaitedFor::kind},
#define CALL_WITHOUT_RESULT(kind, name, ...) {#name, WaitedFor::kind},
#define CALL_WITH_LAST(kind, name, ...) {#name, WaitedFor::kind},
#define CALL_FORMATTED(kind, name, ...) {waitprof::schema::shown_name(#name), WaitedFor::kind},
#define CALL_BY_NUMBER(kind, name, shown) {#shown, WaitedFor::kind},
#define TEAM_WAIT(name, words) {words, WaitedFor::Threads},
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
  };
  const std::string_view text = name;
  const std::size_t object = text.find(" (");
  const auto known = library ? kKnown.find(text.substr(0, object)) : kKnown.end();
  if (known == kKnown.end()) return std::nullopt;
  const bool only_time = object != std::string_view::npos &&
                         text.substr(object + 2).starts_with(waitprof::schema::kWithoutDescriptors);
  return only_time ? WaitedFor::Sleep : known->second;
}

void classify_region(Region& region) {
  std::string_view name = region.name;
  if (name == kPauseRegion || name == kFlushRegion) {
    region.kind = CallKind::Artificial;
    return;
  }
  const auto is_about = [&](std::string_view object) {
    return name.ends_with(')') && name.substr(0, name.size() - 1).ends_with(object);
  };
  const bool by_thread =
      region.library && (name == "pthread_create" || is_about(waitprof::schema::kForCaller) ||
                         is_about(waitprof::schema::kWakes));
  if (by_thread || name == kNoThreadRegion) {
    region.kind = CallKind::ThreadSync;
    return;
  }
  name = waitprof::schema::listed_name(name);
  if (!name.starts_with("MPI_")) {
    region.kind = CallKind::Computation;
    return;
  }
  const auto found = meanings().find(name);
  const Meaning meaning = found == meanings().end() ? Meaning{} : found->second;
  region.kind = meaning.kind;
  region.mode = meaning.mode;
}

CallClass call_class(const Region& region) {
  const auto found = meanings().find(waitprof::schema::listed_name(region.name));
  return found != meanings().end() && found->second.kind == region.kind ? found->second.call_class
                                                                        : class_of(region.kind);
}

CallClassColumn::CallClassColumn(Word column) {
  for (const auto& names : waitprof::schema::kCallClasses) {
    const auto known = std::find(words_.begin(), words_.end(), names.*column);
    word_of_.push_back(static_cast<std::size_t>(known - words_.begin()));
    if (known == words_.end()) words_.push_back(names.*column);
  }
}

}  // namespace waitdiag
