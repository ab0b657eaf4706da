// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "analyzer/formats/symbols/readable_name.hpp"
#include "analyzer/formats/symbols/runtime_library.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

using Definitions = ArchiveDefinitions;

// Score-P writes "int main(int, char**)" as name and "main" as canonical name of a C function.
std::string region_name(const Definitions& definitions, const Definitions::Region& region) {
  const std::string& name = definitions.string(region.name);
  const std::string& canonical = definitions.string(region.canonical_name);
  if (region.paradigm != OTF2_PARADIGM_COMPILER && region.paradigm != OTF2_PARADIGM_SAMPLING && !name.empty())
    return name;
  return readable_name(canonical.empty() ? name : canonical);
}

// For an MPI function that cannot be classified by name (a vendor's extension), its role still tells what it
// does.
CallKind kind_by_role(OTF2_RegionRole role) {
  switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
      return CallKind::Barrier;
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
      return CallKind::OneToAll;
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
      return CallKind::AllToOne;
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
      return CallKind::AllToAll;
    default:
      return CallKind::OtherMpi;
  }
}

bool is_thread_barrier(const Definitions::Region& recorded) {
  const bool threads =
      recorded.paradigm == OTF2_PARADIGM_OPENMP || recorded.paradigm == OTF2_PARADIGM_PTHREAD;
  return threads &&
         (recorded.role == OTF2_REGION_ROLE_BARRIER || recorded.role == OTF2_REGION_ROLE_IMPLICIT_BARRIER);
}

Region to_region(const Definitions& definitions, const Definitions::Region& recorded) {
  Region region{.name = region_name(definitions, recorded),
                .file = definitions.string(recorded.file),
                .line = recorded.line};
  classify_region(region);
  const bool mpi = recorded.paradigm == OTF2_PARADIGM_MPI;
  if (mpi && region.file == "MPI") region.file.clear();  // Score-P's word for the library
  if (recorded.role == OTF2_REGION_ROLE_ARTIFICIAL) {
    // The measurement's own regions are Artificial by name. Others of this role (the program itself,
    // Score-P's "PARALLEL") enclose the application's time: computation.
    return region;
  }
  if (mpi && region.kind == CallKind::Computation) region.kind = kind_by_role(recorded.role);
  if (is_thread_barrier(recorded)) region.kind = CallKind::ThreadBarrier;
  region.library = recorded.role == OTF2_REGION_ROLE_WRAPPER && recorded.paradigm == OTF2_PARADIGM_UNKNOWN;
  region.divisible = recorded.paradigm == OTF2_PARADIGM_USER && region.kind == CallKind::Computation;
  return region;
}

// Frames of the C library around main() and thread functions: they are on every path and tell nothing.
bool is_start_code(std::string_view function) {
  static constexpr std::array<std::string_view, 8> kStartCode = {
      "_start",   "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "clone", "clone3",
      "__clone3", "start_thread"};
  return std::find(kStartCode.begin(), kStartCode.end(), function) != kStartCode.end();
}

// "0x11f3"
bool parse_offset(std::string_view text, std::uint64_t& offset) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

ArchiveCode::ArchiveCode(const Definitions& definitions, TraceBuilder& builder, Symbols* symbols)
    : definitions_(definitions), builder_(builder), symbols_(symbols) {
  define_regions();
  define_contexts();
  undefined_region_ = builder_.region({.name = "undefined region"});
}

RegionId ArchiveCode::define(const Region& region) {
  const auto [known, is_new] =
      functions_.try_emplace({region.name, region.file, region.line, region.library}, kNoRegion);
  if (is_new) known->second = builder_.region(region);
  return known->second;
}

// Instrumented functions have no address of their own in the archive; where one is also part of a call path,
// that frame tells where it is defined.
std::map<OTF2_RegionRef, CodeFrame> ArchiveCode::located_functions() {
  std::map<OTF2_RegionRef, CodeFrame> located;
  for (const Definitions::CallingContext& context : definitions_.calling_contexts) {
    if (located.contains(context.region)) continue;
    if (const std::vector<CodeFrame>& found = frames(context.id); !found.empty()) {
      located.emplace(context.region, found.front());
    }
  }
  return located;
}

void ArchiveCode::define_regions() {
  const std::map<OTF2_RegionRef, CodeFrame> located = located_functions();
  for (const Definitions::Region& recorded : definitions_.regions) {
    Region region = to_region(definitions_, recorded);
    const auto place = located.find(recorded.id);
    if (place != located.end() && region.file.empty() && region.kind == CallKind::Computation) {
      region.name = place->second.function;
      region.file = place->second.file;
      region.line = place->second.function_line;
    }
    if (region.name == waitprof::schema::kNamelessCode) nameless_code_ = recorded.id;
    regions_.set(recorded.id, define(region));
  }
}

// Parents come before their children in a sound archive; a child that comes first becomes an outermost frame.
void ArchiveCode::define_contexts() {
  for (const Definitions::CallingContext& context : definitions_.calling_contexts) {
    const Context* const parent = contexts_.find(context.parent);
    Context made{.caller = parent == nullptr ? kNoCallPath : parent->path, .region = context.region};
    made.path = extend(made.caller, context);
    contexts_.set(context.id, made);
  }
}

CallPathId ArchiveCode::extend(CallPathId caller, const Definitions::CallingContext& context) {
  if (in_runtime_library(context.id) || is_more_nameless_code(context)) return caller;
  if (const std::vector<CodeFrame>& found = frames(context.id); !found.empty())
    return extend_by_frames(caller, found);
  if (regions_.find(context.region) == nullptr) return caller;
  const auto source = definitions_.source_lines.find(context.source);
  const std::uint32_t line = source == definitions_.source_lines.end() ? 0 : source->second.line;
  return builder_.call_path(caller, region(context.region), line);
}

CallPathId ArchiveCode::extend_by_frames(CallPathId caller, const std::vector<CodeFrame>& found) {
  for (const CodeFrame& frame : found) {
    if (caller == kNoCallPath ? is_start_code(frame.function) : is_runtime_header(frame.file)) continue;
    const RegionId function =
        define({.name = frame.function, .file = frame.file, .line = frame.function_line});
    caller = builder_.call_path(caller, function, frame.line);
  }
  return caller;
}

bool ArchiveCode::in_runtime_library(OTF2_CallingContextRef context) const {
  const auto place = definitions_.code_places.find(context);
  return place != definitions_.code_places.end() &&
         is_runtime_library(definitions_.string(place->second.module));
}

// Several such frames, one below the other, tell no more than one.
bool ArchiveCode::is_more_nameless_code(const Definitions::CallingContext& context) const {
  const Context* const parent = contexts_.find(context.parent);
  return parent != nullptr && parent->region == context.region && context.region == nameless_code_;
}

const std::vector<CodeFrame>& ArchiveCode::frames(OTF2_CallingContextRef context) {
  static const std::vector<CodeFrame> kNone;
  const auto place = definitions_.code_places.find(context);
  if (symbols_ == nullptr || place == definitions_.code_places.end()) return kNone;
  const std::string& module = definitions_.string(place->second.module);
  std::uint64_t address = 0;
  if (module.empty() || !parse_offset(definitions_.string(place->second.offset), address)) return kNone;
  return symbols_->frames(module, definitions_.string(place->second.build_id), address);
}

RegionId ArchiveCode::region(OTF2_RegionRef ref) const {
  if (const RegionId* const known = regions_.find(ref)) return *known;
  undefined_.fetch_add(1, std::memory_order_relaxed);
  return undefined_region_;
}

void ArchiveCode::report_undefined() const {
  if (undefined_ == 0) return;
  builder_.anomalies().add(
      "undefined_regions", Gravity::Serious,
      "events name regions that the archive does not define; its definitions are incomplete", undefined_);
}

CallPathId ArchiveCode::call_path(OTF2_CallingContextRef ref) const {
  const Context* const context = contexts_.find(ref);
  return context == nullptr ? kNoCallPath : context->path;
}

RegionId ArchiveCode::context_region(OTF2_CallingContextRef ref) const {
  const Context* const context = contexts_.find(ref);
  return region(context == nullptr ? OTF2_UNDEFINED_REGION : context->region);
}

CallPathId ArchiveCode::context_caller(OTF2_CallingContextRef ref) const {
  const Context* const context = contexts_.find(ref);
  return context == nullptr ? kNoCallPath : context->caller;
}

}  // namespace waitdiag
