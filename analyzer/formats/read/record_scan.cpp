// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/record_scan.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

namespace waitdiag {
namespace {

// Marks that are not records (OTF2 3.0).
constexpr std::uint8_t kEndOfChunk = 0, kEndOfFile = 2, kChunkHeader = 3, kTimestamp = 5, kAttributeList = 6;
constexpr std::size_t kHeader = 18;  // mark, byte order, numbers of the first and last event
constexpr std::uint8_t kFirstEventType = 10, kFirstDefinitionType = 5;
constexpr std::uint8_t kMappingTable = 5;   // of local definitions
constexpr std::uint8_t kProgramBegin = 83;  // event

// Event types whose data is a single compressed number without a length before it.
constexpr bool has_no_length(std::uint8_t type) {
  switch (type) {
    case 12:  // Enter
    case 13:  // Leave
    case 16:  // MpiIsendComplete
    case 17:  // MpiIrecvRequest
    case 20:  // MpiRequestTest
    case 21:  // MpiRequestCancelled
    case 24:  // OmpFork
    case 28:  // OmpTaskCreate
    case 29:  // OmpTaskSwitch
    case 30:  // OmpTaskComplete
      return true;
    default:
      return false;
  }
}

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      error_ = errno;
      return;
    }
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory == MAP_FAILED) {
        error_ = errno;
      } else {
        data_ = static_cast<const std::uint8_t*>(memory);
        ::madvise(memory, size_, MADV_SEQUENTIAL);
      }
    }
    ::close(file);
  }
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  int error() const { return error_; }
  std::span<const std::uint8_t> bytes() const { return {data_, data_ == nullptr ? 0 : size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
};

class Scanner {
 public:
  Scanner(std::span<const std::uint8_t> bytes, RecordFile kind, std::uint64_t chunk_size)
      : bytes_(bytes), kind_(kind), chunk_size_(chunk_size) {}

  RecordScan scan() {
    scan_.exists = true;
    bool more = !bytes_.empty();
    if (!more) stop("is empty");
    for (std::size_t begin = 0; more; begin += chunk_size_) more = scan_chunk(begin);
    return scan_;
  }

 private:
  bool stop(const char* what) {
    scan_.trouble = std::string(what) + " at byte " + std::to_string(position_);
    return false;
  }

  bool scan_chunk(std::size_t begin) {
    position_ = begin;
    chunk_end_ = std::min<std::size_t>(begin + chunk_size_, bytes_.size());
    if (begin >= bytes_.size() || chunk_end_ - begin < kHeader) return stop("ends early");
    if (bytes_[begin] != kChunkHeader || (bytes_[begin + 1] != '#' && bytes_[begin + 1] != 'B')) {
      return stop("has no valid chunk header");
    }
    big_endian_ = bytes_[begin + 1] == '#';
    position_ = begin + kHeader;
    while (position_ < chunk_end_) {
      const std::uint8_t type = bytes_[position_];
      if (type == kEndOfChunk) return true;
      if (type == kEndOfFile) {
        scan_.complete = true;
        return false;
      }
      if (!scan_record(type)) return false;
    }
    return stop("ends early");
  }

  bool scan_record(std::uint8_t type) {
    const bool events = kind_ == RecordFile::Events;
    if (events && type == kTimestamp) {
      return skip(1 + 8) || stop("ends in the middle of a time stamp");
    }
    if (type < (events ? kFirstEventType : kFirstDefinitionType) && !(events && type == kAttributeList)) {
      return stop("has an invalid record");
    }
    const std::size_t start = position_;
    if (!(events && has_no_length(type) ? skip_number() : skip_with_length())) {
      position_ = start;
      return stop("ends in the middle of a record");
    }
    if (!has_room_for_its_entries(start, type)) {
      position_ = start;
      return stop("has a record of more entries than it has room for");
    }
    if (!(events && type == kAttributeList)) {
      ++scan_.records;
      ++scan_.by_type[type];
    }
    return true;
  }

  // For some records, OTF2 allocates as much memory as a number in them says. Each entry has at least one
  // byte.
  bool has_room_for_its_entries(std::size_t start, std::uint8_t type) const {
    std::size_t place = start + (bytes_[start + 1] == 0xff ? 10 : 2);
    if (kind_ == RecordFile::LocalDefinitions && type == kMappingTable) {  // what | number | dense | ids
      constexpr std::size_t kWhat = 1, kDense = 1;
      place += kWhat;
      const auto number = take_number(place);
      return number && place + kDense <= position_ && *number <= position_ - place - kDense;
    }
    if (kind_ == RecordFile::Events && type == kProgramBegin) {  // name | number | arguments
      const auto name = take_number(place);
      const auto number = take_number(place);
      return name && number && *number <= position_ - place;
    }
    return true;
  }

  // A compressed number of the record that ends here: its width, or 255 for all ones, then its bytes.
  std::optional<std::uint64_t> take_number(std::size_t& place) const {
    if (place >= position_) return std::nullopt;
    const std::size_t width = bytes_[place++];
    if (width == 0xff) return ~std::uint64_t{0};
    if (width > 8 || place + width > position_) return std::nullopt;
    place += width;
    return number_at(place - width, width);
  }

  std::uint64_t number_at(std::size_t place, std::size_t width) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i)
      number |= std::uint64_t{bytes_[place + (big_endian_ ? width - 1 - i : i)]} << (8 * i);
    return number;
  }

  // One byte must be left after every record: the next one's type.
  bool skip(std::uint64_t length) {
    if (length >= chunk_end_ - position_) return false;
    position_ += length;
    return true;
  }

  bool skip_number() {
    if (chunk_end_ - position_ < 2) return false;
    const std::uint8_t size = bytes_[position_ + 1];
    return (size == 0xff && skip(2)) || (size <= 8 && skip(2u + size));
  }

  bool skip_with_length() {
    if (chunk_end_ - position_ < 2) return false;
    const std::uint8_t small = bytes_[position_ + 1];
    if (small != 0xff) return skip(2u + small);
    if (chunk_end_ - position_ < 10) return false;
    const std::uint64_t large = number_at(position_ + 2, 8);
    return large < bytes_.size() && skip(10 + large);
  }

  std::span<const std::uint8_t> bytes_;
  RecordFile kind_;
  std::uint64_t chunk_size_;
  std::size_t position_ = 0, chunk_end_ = 0;
  bool big_endian_ = false;
  RecordScan scan_;
};

}  // namespace

RecordScan scan_records(const std::filesystem::path& path, RecordFile kind, std::uint64_t chunk_size) {
  const MappedFile file(path);
  if (file.error() != 0) {
    RecordScan scan;
    scan.exists = file.error() != ENOENT;
    scan.trouble = std::strerror(file.error());
    return scan;
  }
  return Scanner(file.bytes(), kind, chunk_size).scan();
}

const char* skipped_event_name(std::uint8_t type) {
  // Not in the list: event types that are read, and those that only repeat what definitions or regions say
  // (requests tested, communicators created, threads and programs that begin and end).
  static constexpr struct {
    std::uint8_t first, last;
    const char* name;
  } kSkipped[] = {
      {24, 30, "OpenMP"},
      {32, 33, "parameter"},
      // One-sided communication: attempted locks, SHMEM's waiting, tests.
      {42, 42, "one-sided (RMA)"},
      {44, 45, "one-sided (RMA)"},
      {51, 51, "one-sided (RMA)"},
      {59, 61, "thread task"},
      {69, 82, "I/O"},
      {89, 255, "unknown"},
  };
  for (const auto& skipped : kSkipped) {
    if (type >= skipped.first && type <= skipped.last) return skipped.name;
  }
  return nullptr;
}

}  // namespace waitdiag
