// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/columns.hpp"

#include <nlohmann/json.hpp>

namespace waitdiag {

std::string Columns::packed() const {
  nlohmann::json directory = nlohmann::json::array();
  for (const auto& [name, bytes] : columns_) directory.push_back({name, bytes.size()});
  const std::string words = directory.dump();
  std::string block;
  for (int byte = 0; byte < 4; ++byte) block.push_back(static_cast<char>(words.size() >> 8 * byte));
  block += words;
  for (const auto& [name, bytes] : columns_) block += bytes;
  return block;
}

}  // namespace waitdiag
