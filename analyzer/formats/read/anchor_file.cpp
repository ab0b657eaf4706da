// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/otf2_session.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Reads numbers and strings one after another; returns false from the first missing one on.
class Fields {
 public:
  Fields(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  bool number(std::size_t size, std::uint64_t& value) {
    if (bytes_.size() < size) return false;
    value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[big_endian_ ? size - 1 - i : i]);
      value |= std::uint64_t{byte} << (8 * i);
    }
    bytes_.remove_prefix(size);
    return true;
  }

  bool string() {
    const std::size_t end = bytes_.find('\0');
    if (end == bytes_.npos) return false;
    bytes_.remove_prefix(end + 1);
    return true;
  }

  bool skip(std::size_t size) {
    if (bytes_.size() < size) return false;
    bytes_.remove_prefix(size);
    return true;
  }

  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

struct AnchorFacts {
  std::uint64_t substrate = 0, compression = 0;
};

// header, magic | format, trace format, version | chunk sizes | substrate, compression | counts | machine,
// creator, description | properties | trace id, snapshots, thumbnails | end marks
bool read_anchor(std::string_view bytes, AnchorFacts& facts) {
  constexpr std::size_t kMagicEnd = 7;
  Fields fields(bytes.substr(kMagicEnd), bytes[1] == '#');
  std::uint64_t format = 0, ignored = 0, properties = 0;
  if (!fields.number(1, format) || !fields.skip(4) || !fields.number(8, ignored) ||
      !fields.number(8, ignored) || !fields.number(1, facts.substrate) ||
      !fields.number(1, facts.compression) || !fields.number(8, ignored) || !fields.number(8, ignored) ||
      !fields.string() || !fields.string() || !fields.string()) {
    return false;
  }
  if (format <= 1) return true;  // before OTF2 1.0: ends here
  if (!fields.number(4, properties) || properties > fields.left() / 2) return false;
  for (std::uint64_t i = 0; i < 2 * properties; ++i) {
    if (!fields.string()) return false;
  }
  return fields.skip(8);
}

}  // namespace

void check_anchor(const std::filesystem::path& anchor) {
  std::ifstream file(anchor, std::ios::binary);
  if (!file) {
    throw TraceError("cannot open " + anchor.string() + ": " + std::strerror(errno) +
                     "; check its permissions");
  }
  constexpr std::size_t kMagicSize = 7,
                        kMost = std::size_t{1} << 24;  // an anchor file has a few hundred bytes
  std::string bytes(kMagicSize, '\0');
  file.read(bytes.data(), kMagicSize);
  if (file.gcount() == 0)
    throw TraceError(anchor.string() + " is empty: the recording was cut off; record it again");
  if (bytes[0] != 3 || (bytes[1] != 'B' && bytes[1] != '#') || bytes.substr(2) != std::string("OTF2", 5)) {
    throw TraceError(anchor.string() +
                     " is not an OTF2 anchor file: give the *.otf2 file of an archive, or its directory");
  }
  for (std::istreambuf_iterator<char> next(file), end; next != end && bytes.size() < kMost; ++next)
    bytes += *next;
  AnchorFacts facts;
  if (!read_anchor(bytes, facts)) {
    throw TraceError(anchor.string() + " is damaged or cut off; copy the archive again, or record it again");
  }
  constexpr std::uint64_t kPosix = 1, kNoCompression = 1;
  if (facts.substrate != kPosix || facts.compression != kNoCompression) {
    throw TraceError(anchor.string() +
                     " is of a kind that this OTF2 library cannot read (SIONlib or compressed, or " +
                     "damaged); convert it with the otf2 tools of the machine it comes from");
  }
}

}  // namespace waitdiag
