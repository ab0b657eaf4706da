// What ran: the archive's regions and calling contexts as regions and call paths of the trace, with
// functions, files and lines looked up in the binaries where the recorder left addresses.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <tuple>

#include "analyzer/formats/read/archive_definitions.hpp"
#include "analyzer/formats/read/ref_table.hpp"
#include "analyzer/formats/symbols/symbols.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

class ArchiveCode {
 public:
  // Defines regions and call paths in the builder. `symbols` may be null: names as recorded.
  ArchiveCode(const ArchiveDefinitions& definitions, TraceBuilder& builder, Symbols* symbols);

  RegionId region(
      OTF2_RegionRef ref) const;  // an undefined reference is counted and gets a region of its own
  CallPathId call_path(OTF2_CallingContextRef ref) const;  // kNoCallPath if undefined
  // Of a CallingContextEnter: the region entered, and the path of its caller.
  RegionId context_region(OTF2_CallingContextRef ref) const;
  CallPathId context_caller(OTF2_CallingContextRef ref) const;
  // After all events: were there undefined references?
  void report_undefined() const;

 private:
  struct Context {
    CallPathId path = kNoCallPath, caller = kNoCallPath;
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
  };
  void define_regions();
  RegionId define(const Region& region);
  std::map<OTF2_RegionRef, CodeFrame> located_functions();
  void define_contexts();
  CallPathId extend(CallPathId caller, const ArchiveDefinitions::CallingContext& context);
  CallPathId extend_by_frames(CallPathId caller, const std::vector<CodeFrame>& frames);
  const std::vector<CodeFrame>& frames(OTF2_CallingContextRef context);
  bool in_runtime_library(OTF2_CallingContextRef context) const;
  bool is_more_nameless_code(const ArchiveDefinitions::CallingContext& context) const;

  const ArchiveDefinitions& definitions_;
  TraceBuilder& builder_;
  Symbols* symbols_;
  RefTable<RegionId> regions_;
  RefTable<Context> contexts_;
  // By name, file, line, Region::library.
  std::map<std::tuple<std::string, std::string, std::uint32_t, bool>, RegionId> functions_;
  OTF2_RegionRef nameless_code_ = OTF2_UNDEFINED_REGION;
  RegionId undefined_region_ = kNoRegion;
  mutable std::atomic<std::uint64_t> undefined_{0};
};

}  // namespace waitdiag
