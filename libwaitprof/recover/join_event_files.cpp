// Chunks are self-contained: a header with the numbers of the first and last record, then records up to a
// zero byte. So joining is copying and counting (layout: trace_files/event_file.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/join_event_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "libwaitprof/recover/read_journal.hpp"
#include "libwaitprof/trace_files/event_file.hpp"

namespace waitprof::archive {
namespace {

using Bytes = std::span<const std::byte>;

using event_chunk::kFirstAt, event_chunk::kLastAt, event_chunk::kRecordsAt;
using event_record::kAttributeList, event_record::kTimestamp;

constexpr auto kFirstEventType = static_cast<std::uint8_t>(EventRecord::BufferFlush);

std::uint64_t number_at(Bytes bytes, std::size_t place) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

std::uint8_t byte_at(Bytes bytes, std::size_t place) {
  return place < bytes.size() ? std::to_integer<std::uint8_t>(bytes[place]) : 0;
}

bool is_chunk(Bytes chunk) {
  return chunk.size() > kRecordsAt && chunk[0] == event_chunk::kMark;
}

std::size_t record_length(Bytes chunk, std::size_t place) {
  const std::uint8_t type = byte_at(chunk, place), size = byte_at(chunk, place + 1);
  if (type == kTimestamp) {
    return 9;
  }
  if (size != 0xff) {
    return 2U + size;
  }
  return is_bare(EventRecord{type}) ? 2 : 10 + (place + 10 <= chunk.size() ? number_at(chunk, place + 2) : 0);
}

// Where the first `count` records end; `found` is the number of records if the chunk has fewer.
std::size_t end_of_records(Bytes chunk, std::uint64_t count, std::uint64_t& found) {
  std::size_t end = kRecordsAt;
  found = 0;
  for (std::size_t place = kRecordsAt; found < count && place < chunk.size();) {
    const std::uint8_t type = byte_at(chunk, place);
    if (type != kTimestamp && type != kAttributeList && type < kFirstEventType) {
      break;
    }
    const std::size_t length = record_length(chunk, place);
    if (length >= chunk.size() - place) {
      break;
    }
    place += length;
    if (type >= kFirstEventType) {
      ++found;
      end = place;
    }
  }
  return end;
}

class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(path, std::ios::binary | std::ios::trunc) {}
  void write(Bytes bytes) {
    file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void close() {
    file_.close();
    if (!file_) {
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), path_);
    }
  }

 private:
  std::string path_;
  std::ofstream file_;
};

// Writes the first records of a chunk as a chunk of its own. Returns how many there are.
std::uint64_t write_first_records(Bytes chunk, std::uint64_t count, Output& output) {
  std::uint64_t found = 0;
  std::vector<std::byte> whole(kEventChunk);
  const std::size_t end = end_of_records(chunk, count, found);
  if (found == 0) {
    return 0;
  }
  std::copy_n(chunk.begin(), end, whole.begin());
  const std::uint64_t last = number_at(chunk, kFirstAt) + found - 1;
  std::memcpy(whole.data() + kLastAt, &last, sizeof last);
  output.write(whole);
  return found;
}

// All chunks, in order: those of the file, then the one in progress if it comes next.
std::vector<Bytes> chunks_of(Bytes file, Bytes in_progress) {
  std::vector<Bytes> chunks;
  for (; file.size() >= kEventChunk && is_chunk(file); file = file.subspan(kEventChunk)) {
    chunks.push_back(file.first(kEventChunk));
  }
  const std::uint64_t next = chunks.empty() ? 1 : number_at(chunks.back(), kLastAt) + 1;
  if (is_chunk(in_progress) && number_at(in_progress, kFirstAt) == next) {
    chunks.push_back(in_progress);
  }
  return chunks;
}

std::uint64_t write_converted(const ConvertedPart& before, Bytes file, Output& output) {
  const std::vector<Bytes> chunks = chunks_of(file, before.chunk);
  if (chunks.empty()) {
    return 0;
  }
  // The number of records is known modulo 2^32 only; the first record of the last chunk is close to it.
  const std::uint64_t last_first = number_at(chunks.back(), kFirstAt);
  const auto behind = static_cast<std::int32_t>(before.records - static_cast<std::uint32_t>(last_first));
  const std::uint64_t wanted = last_first + static_cast<std::uint64_t>(std::int64_t{behind});
  std::uint64_t written = 0;
  for (const Bytes chunk : chunks) {
    const std::uint64_t first = number_at(chunk, kFirstAt), last = number_at(chunk, kLastAt);
    if (first != written + 1 || first > wanted) {
      break;
    }
    if (chunk.data() != before.chunk.data() && last <= wanted) {
      output.write(chunk);
      written = last;
    } else {
      written += write_first_records(chunk, wanted - first + 1, output);
      break;
    }
  }
  return written;
}

void write_renumbered(Bytes file, std::uint64_t before, Output& output) {
  while (!file.empty()) {
    const Bytes chunk = file.first(std::min<std::size_t>(kEventChunk, file.size()));
    std::vector<std::byte> copy(chunk.begin(), chunk.end());
    for (const std::size_t place : {kFirstAt, kLastAt}) {
      if (copy.size() >= kRecordsAt) {
        const std::uint64_t number = number_at(chunk, place) + before;
        std::memcpy(copy.data() + place, &number, sizeof number);
      }
    }
    output.write(copy);
    file = file.subspan(chunk.size());
  }
}

}  // namespace

std::uint64_t put_before(const ConvertedPart& before, const std::string& file) {
  const FileView first(before.file), rest(file);
  const std::string joined = file + ".joined";
  Output output(joined);
  const std::uint64_t written = write_converted(before, first.bytes(), output);
  write_renumbered(rest.bytes(), written, output);
  output.close();
  std::filesystem::rename(joined, file);
  return written;
}

}  // namespace waitprof::archive
