// What the attributes of an OTF2 event say.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

namespace waitdiag {

// 0: there is no such attribute.
inline std::uint64_t number_in(OTF2_AttributeRef attribute, const OTF2_AttributeList* attributes) {
  std::uint64_t number = 0;
  const bool found = attribute != OTF2_UNDEFINED_ATTRIBUTE &&
                     OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
                     OTF2_AttributeList_GetUint64(attributes, attribute, &number) == OTF2_SUCCESS;
  return found ? number : 0;
}

// A mark is there and not 0.
inline bool is_marked(OTF2_AttributeRef attribute, const OTF2_AttributeList* attributes) {
  std::uint8_t mark = 0;
  return attribute != OTF2_UNDEFINED_ATTRIBUTE && OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
         OTF2_AttributeList_GetUint8(attributes, attribute, &mark) == OTF2_SUCCESS && mark != 0;
}

}  // namespace waitdiag
