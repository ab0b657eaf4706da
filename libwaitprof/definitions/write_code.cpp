// Regions (MPI functions, user regions, functions of call paths) and call paths.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "libwaitprof/definitions/unify.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitprof::archive {
namespace {

// By RegionRole.
constexpr OTF2_RegionRole kRoles[] = {
    OTF2_REGION_ROLE_BARRIER,          OTF2_REGION_ROLE_COLL_ONE2ALL,
    OTF2_REGION_ROLE_COLL_ALL2ONE,     OTF2_REGION_ROLE_COLL_ALL2ALL,
    OTF2_REGION_ROLE_COLL_OTHER,       OTF2_REGION_ROLE_POINT2POINT,
    OTF2_REGION_ROLE_FUNCTION,         OTF2_REGION_ROLE_RMA,
    OTF2_REGION_ROLE_ATOMIC,           OTF2_REGION_ROLE_FILE_IO,
    OTF2_REGION_ROLE_FILE_IO_METADATA, OTF2_REGION_ROLE_ALLOCATE,
};
static_assert(std::size(kRoles) == static_cast<std::size_t>(RegionRole::Allocate) + 1);

std::string hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? plain.get() : name;
}

class CodeWriter {
 public:
  CodeWriter(GlobalWriter& writer, const Definitions& definitions)
      : writer_(writer), definitions_(definitions) {
    region("MEASUREMENT OFF", "", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_USER, "");
    region("TRACE BUFFER FLUSH", "", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM, "");
  }

  OTF2_RegionRef write(const Region& definition) {
    switch (definition.kind) {
      case RegionKind::Mpi:
        return region(definition.name, "", kRoles[static_cast<std::size_t>(definition.role)],
                      OTF2_PARADIGM_MPI, "MPI");
      case RegionKind::Named:
        return region(definition.name, "", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "");
      case RegionKind::Library:
        return region(definition.name, "", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_UNKNOWN, "");
      default:
        return function(definition.place, OTF2_PARADIGM_COMPILER);
    }
  }

  // Where instrumented regions and call paths meet in the same function, they share its definition.
  OTF2_RegionRef function(const CodePlace& place, OTF2_Paradigm paradigm) {
    const Module& module = definitions_.modules[place.module];
    if (module.path.empty()) {
      return region(schema::kNamelessCode, "", OTF2_REGION_ROLE_FUNCTION, paradigm, "");
    }
    const bool found = !place.function.empty() || place.function_start != 0;
    const std::uint64_t start = found ? place.function_start : place.offset;
    const std::string mangled = place.function.empty()
                                    ? module.path.substr(module.path.rfind('/') + 1) + "+" + hex(start)
                                    : place.function;
    const std::string key = std::to_string(place.module) + "+" + hex(start);
    return region(demangled(mangled), mangled, OTF2_REGION_ROLE_FUNCTION, paradigm, "", key);
  }

 private:
  OTF2_RegionRef region(const std::string& name, const std::string& canonical, OTF2_RegionRole role,
                        OTF2_Paradigm paradigm, const char* file, const std::string& place = "") {
    const std::string key = place.empty() ? std::to_string(paradigm) + ":" + name : place;
    const auto [entry, is_new] = regions_.try_emplace(key, static_cast<OTF2_RegionRef>(regions_.size()));
    if (is_new) {
      writer_.check(OTF2_GlobalDefWriter_WriteRegion(
          writer_.otf2, entry->second, writer_.string(name),
          writer_.string(canonical.empty() ? name : canonical), writer_.string(""), role, paradigm,
          OTF2_REGION_FLAG_NONE, *file == '\0' ? OTF2_UNDEFINED_STRING : writer_.string(file), 0, 0));
    }
    return entry->second;
  }

  GlobalWriter& writer_;
  const Definitions& definitions_;
  std::unordered_map<std::string, OTF2_RegionRef> regions_;
};

void write_property(GlobalWriter& writer, OTF2_CallingContextRef context, const char* name,
                    OTF2_StringRef text) {
  OTF2_AttributeValue value;
  value.stringRef = text;
  writer.check(OTF2_GlobalDefWriter_WriteCallingContextProperty(writer.otf2, context, writer.string(name),
                                                                OTF2_TYPE_STRING, value));
}

void write_property(GlobalWriter& writer, OTF2_CallingContextRef context, const char* name,
                    const std::string& value) {
  if (!value.empty()) {
    write_property(writer, context, name, writer.string(value));
  }
}

}  // namespace

std::vector<std::uint32_t> write_code(GlobalWriter& writer, const Definitions& definitions) {
  CodeWriter code(writer, definitions);
  std::vector<std::uint32_t> region_ids;
  for (const Region& region : definitions.regions) {
    region_ids.push_back(code.write(region));
  }
  const std::vector<std::uint64_t> stable = stable_ids(definitions);
  for (OTF2_CallingContextRef context = 0; context < definitions.call_paths.size(); ++context) {
    const CallPath& path = definitions.call_paths[context];
    const CodePlace& place = definitions.places[path.place];
    const Module& module = definitions.modules[place.module];
    writer.check(OTF2_GlobalDefWriter_WriteCallingContext(
        writer.otf2, context, code.function(place, OTF2_PARADIGM_SAMPLING),
        OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
        path.parent == kNoId ? OTF2_UNDEFINED_CALLING_CONTEXT : path.parent));
    write_property(writer, context, schema::kModule, module.path);
    write_property(writer, context, schema::kBuildId, module.build_id);
    write_property(writer, context, schema::kInstructionOffset, module.path.empty() ? "" : hex(place.offset));
    write_property(writer, context, schema::kStableId, writer.new_string(hex(stable[context]).substr(2)));
  }
  return region_ids;
}

}  // namespace waitprof::archive
