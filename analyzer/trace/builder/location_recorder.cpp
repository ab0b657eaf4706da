// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/location_recorder.hpp"

#include <algorithm>

#include "analyzer/trace/model/counts.hpp"

namespace waitdiag {

namespace {

// Copying a column costs more than a few unused places at its end.
template <typename Item>
void trim(std::vector<Item>& column) {
  if (column.capacity() - column.size() > column.size() / 16) column.shrink_to_fit();
}

}  // namespace

// Advances the location's time; the stretch since the last record belongs to the innermost open region.
Time TraceBuilder::LocationRecorder::advance(Time time) {
  if (time > kLatest || time < kEarliest) {
    oddities_.add(Oddity::TimeImplausible, timeline_.end_);
    time = time > kLatest ? kLatest : kEarliest;
  }
  if (!seen_) {
    seen_ = true;
    timeline_.begin_ = timeline_.end_ = time;
    if (next_mark_time_ <= time) pass_marks(time, time);
    return time;
  }
  if (time < timeline_.end_) {
    oddities_.add(Oddity::TimeBackwards, timeline_.end_);
    return timeline_.end_;
  }
  if (!in_operation_) {
    if (next_mark_time_ <= time) pass_marks(time, time);
    measure_until(time);
  }
  timeline_.end_ = time;
  return time;
}

void TraceBuilder::LocationRecorder::expect(const RecordCounts& counts) {
  has_calls_ = counts.enters > 0;
  timeline_.enter_.reserve(counts.enters);
  timeline_.leave_.reserve(counts.enters);
  timeline_.call_path_.reserve(counts.enters);
  timeline_.piece_offset_.reserve(counts.enters + 2);
  timeline_.sample_offset_.reserve(counts.enters + 2);
  timeline_.sends_.reserve(counts.sends);
  timeline_.receives_.reserve(counts.receives);
  timeline_.collectives_.reserve(counts.collectives);
}

bool TraceBuilder::LocationRecorder::inside_mpi(Time time) {
  if (!in_operation_) oddities_.add(Oddity::OutsideMpi, time);
  return in_operation_;
}

// A slot may hold a stale index from an earlier part: the caller checks that it points into the current one
// and back to the same call path, so nothing has to be cleared between gaps.
std::uint32_t& TraceBuilder::LocationRecorder::slot(std::vector<std::uint32_t>& slots, CallPathId path) {
  const std::size_t place = LocalCallTree::slot(path);
  if (place >= slots.size()) slots.resize(std::max(place + 1, tree_.slots()), 0);
  return slots[place];
}

// The current part's piece of a call path, made where it is missing.
ComputationPiece& TraceBuilder::LocationRecorder::piece(CallPathId path) {
  auto& pieces = timeline_.pieces_;
  std::uint32_t& entry = slot(piece_slots_, path);
  if (entry < first_piece_ || entry >= pieces.size() || pieces[entry].call_path != path) {
    entry = static_cast<std::uint32_t>(pieces.size());
    pieces.push_back({.call_path = path});
  }
  return pieces[entry];
}

void TraceBuilder::LocationRecorder::add_sample(CallPathId path, std::uint32_t weight) {
  auto& samples = timeline_.samples_;
  std::uint32_t& entry = slot(sample_slots_, path);
  if (entry >= first_sample_ && entry < samples.size() && samples[entry].call_path == path) {
    samples[entry].weight += weight;
    return;
  }
  entry = static_cast<std::uint32_t>(samples.size());
  samples.push_back({path, weight});
}

void TraceBuilder::LocationRecorder::close_gap(CallPathId closing) {
  if (next_mark_ < timeline_.step_marks_.size()) pass_marks(Time::max(), timeline_.end_);
  if (blocked_somewhere_ != kNoCallPath || waiting_for_pages_ != kNoCallPath) place_blocked(closing);
  blocked_in_ = kNoCallPath;
  timeline_.piece_offset_.end_row(timeline_.pieces_.size());
  timeline_.sample_offset_.end_row(timeline_.samples_.size());
  begin_part();
}

void TraceBuilder::LocationRecorder::open_operation(Time time, CallPathId path) {
  close_gap(path);
  // In a pause, only a call that was never left is recorded.
  if (auto& switches = timeline_.switches_; !switches.empty() && !switches.back().on)
    switches.push_back({time, true});
  timeline_.enter_.push_back(time);
  timeline_.leave_.push_back(time);
  timeline_.call_path_.push_back(path);
  operation_depth_ = stack_.size();
  in_operation_ = true;
}

// A thread that executes a task in a barrier is not in the barrier during that time.
bool TraceBuilder::LocationRecorder::suspend_barrier(Time time) {
  if (region(stack_[operation_depth_].region).kind != CallKind::ThreadBarrier) return false;
  timeline_.leave_.back() = time;
  in_operation_ = false;
  ++suspended_barriers_;
  return true;
}

void TraceBuilder::LocationRecorder::resume_barrier(Time time) {
  if (stack_.empty() || region(stack_.back().region).kind != CallKind::ThreadBarrier) return;
  --suspended_barriers_;
  open_operation(time, stack_.back().path);
  --operation_depth_;
}

void TraceBuilder::LocationRecorder::enter(Time time, RegionId entered, CallPathId caller) {
  time = advance(time);
  end_absence(time);
  if (in_operation_ && !suspend_barrier(time)) {
    stack_.push_back({entered, kNoCallPath, time});
    return;
  }
  if (caller == kNoCallPath && !stack_.empty()) caller = stack_.back().path;
  const CallPathId path = tree_.node(caller, entered);
  if (region(entered).operation()) {
    open_operation(time, path);
  } else {
    ++piece(path).visits;
    if (nested_ && region(entered).divisible) open_user_region(time, entered);
  }
  stack_.push_back({entered, path, time});
}

void TraceBuilder::LocationRecorder::open_user_region(Time time, RegionId region) {
  if (open_user_regions_++ == 0) timeline_.user_regions_.push_back({time, time, region});
}

void TraceBuilder::LocationRecorder::close_user_region(Time time, const Frame& frame) {
  if (open_user_regions_ == 0 || frame.path == kNoCallPath || !region(frame.region).divisible) return;
  if (--open_user_regions_ == 0) timeline_.user_regions_.back().end = time;
}

void TraceBuilder::LocationRecorder::visits(std::uint32_t count) {
  if (!in_operation_ && !stack_.empty()) piece(stack_.back().path).visits += count - 1;
}

// Does not advance the location's time: the mark lies somewhere in the gap that is being measured.
void TraceBuilder::LocationRecorder::step(Time time, std::optional<std::uint64_t> number) {
  next_mark_time_ = std::min(next_mark_time_, time);
  auto& marks = timeline_.step_marks_;
  const std::uint64_t next = marks.empty() ? 0 : marks.back().number + 1;
  const bool backwards = number && !marks.empty() && *number < marks.back().number;
  marks.push_back({.time = time,
                   .op = static_cast<std::uint32_t>(timeline_.size()),
                   .number = backwards ? next : number.value_or(next)});
}

void TraceBuilder::LocationRecorder::switched(Time time, bool on) {
  timeline_.switches_.push_back({advance(time), on});
}

void TraceBuilder::LocationRecorder::excerpt(std::uint64_t number) {
  timeline_.excerpts_.push_back({static_cast<std::uint32_t>(timeline_.size()), number});
}

void TraceBuilder::LocationRecorder::total(CallPathId caller, RegionId region, CallTotal total) {
  total.call_path = region == kNoRegion ? kNoCallPath : tree_.node(caller, region);
  timeline_.totals_.push_back(total);
}

void TraceBuilder::LocationRecorder::usage(UsageReading reading) {
  reading.time = advance(reading.time);
  reading.op = static_cast<std::uint32_t>(timeline_.size());
  timeline_.usage_.push_back(reading);
}

void TraceBuilder::LocationRecorder::file_bytes(Time time, std::uint64_t bytes) {
  const bool of_library = !in_operation_ && !stack_.empty() && region(stack_.back().region).library;
  if (!of_library) {
    if (inside_mpi(advance(time))) timeline_.file_accesses_.push_back({.bytes = bytes, .op = current_op()});
    return;
  }
  auto& all = timeline_.library_bytes_;
  const auto known = std::ranges::find(all, stack_.back().path, &LibraryBytes::call_path);
  LibraryBytes& moved = known != all.end() ? *known : all.emplace_back(LibraryBytes{stack_.back().path});
  moved.bytes += bytes;
}

void TraceBuilder::LocationRecorder::polls(Time time, std::uint64_t in_vain) {
  if (inside_mpi(advance(time))) timeline_.polls_.push_back({.in_vain = in_vain, .op = current_op()});
}

void TraceBuilder::LocationRecorder::pop(Time time) {
  const Frame frame = stack_.back();
  stack_.pop_back();
  close_user_region(time, frame);
  if (!in_operation_ && region(frame.region).library) leave_library(frame, time);
  if (region(frame.region).kind == CallKind::Artificial) artificial_time_[frame.region] += time - frame.enter;
  if (in_operation_ && stack_.size() > operation_depth_) return;
  if (in_operation_) close_operation(time);
  if (suspended_barriers_ > 0) resume_barrier(time);
}

void TraceBuilder::LocationRecorder::close_operation(Time time) {
  timeline_.leave_.back() = time;
  in_operation_ = false;
  if (!collective_begins_.empty())
    oddities_.add(Oddity::CollectiveWithoutEnd, time, collective_begins_.size());
  collective_begins_.clear();
}

void TraceBuilder::LocationRecorder::leave(Time time, RegionId left) {
  time = advance(time);
  const auto frame =
      std::find_if(stack_.rbegin(), stack_.rend(), [&](const Frame& open) { return open.region == left; });
  if (frame == stack_.rend()) {
    oddities_.add(Oddity::LeaveWithoutEnter, time);
    return;
  }
  const auto depth = static_cast<std::size_t>(stack_.rend() - frame);
  if (depth < stack_.size()) oddities_.add(Oddity::MissingLeave, time, stack_.size() - depth);
  while (stack_.size() >= depth) pop(time);
}

void TraceBuilder::LocationRecorder::collective_begin(Time time) {
  time = advance(time);
  if (inside_mpi(time)) collective_begins_.push_back(time);
}

void TraceBuilder::LocationRecorder::collective_end(Time time, CollectivePart part) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  part.begin = timeline_.enter_.back();
  if (collective_begins_.empty()) {
    oddities_.add(Oddity::CollectiveWithoutBegin, time);
  } else {
    part.begin = collective_begins_.back();
    collective_begins_.pop_back();
  }
  part.end = time;
  part.op = part.completed = current_op();
  // OTF2 has no operations for these: the first two make and destroy MPI_COMM_WORLD.
  const CallKind call = region(tree_.region(timeline_.call_path_.back())).kind;
  if (call == CallKind::Init && part.kind == CollectiveKind::CreateHandle) part.kind = CollectiveKind::Init;
  if (call == CallKind::Finalize && part.kind == CollectiveKind::DestroyHandle)
    part.kind = CollectiveKind::Finalize;
  if (call == CallKind::FileCall) part.kind = CollectiveKind::FileCall;
  timeline_.collectives_.push_back(part);
}

// Its place among the collectives is where it was started: MPI matches them in that order.
void TraceBuilder::LocationRecorder::collective_request(Time time, std::uint64_t request) {
  time = advance(time);
  if (!inside_mpi(time)) return;
  post(time, request, {static_cast<std::uint32_t>(timeline_.collectives_.size()), Request::What::Collective});
  timeline_.collectives_.push_back({.begin = time, .op = current_op()});
}

void TraceBuilder::LocationRecorder::collective_complete(Time time, const CollectivePart& part,
                                                         std::uint64_t request) {
  time = advance(time);
  Request posted{};
  if (!inside_mpi(time) || !take(time, request, Request::What::Collective, posted, &part)) return;
  CollectivePart& started = timeline_.collectives_[posted.end];
  const Time begin = started.begin;
  const std::uint32_t op = started.op;
  started = part;
  started.begin = begin;
  started.end = time;
  started.op = op;
  started.completed = current_op();
}

void TraceBuilder::LocationRecorder::rma(RmaRecord record) {
  record.time = advance(record.time);
  if (!inside_mpi(record.time)) return;
  record.op = current_op();
  timeline_.rma_.push_back(record);
}

void TraceBuilder::LocationRecorder::rma_group_sync(RmaRecord record) {
  if (!in_operation_) return rma(record);
  using enum RmaRecord::What;
  switch (region(tree_.region(timeline_.call_path_.back())).kind) {
    case CallKind::WinStart:
      record.what = Start;
      break;
    case CallKind::WinComplete:
      record.what = Complete;
      break;
    case CallKind::WinPost:
      record.what = Post;
      break;
    case CallKind::WinWait:
      record.what = Wait;
      break;
    default:
      return;
  }
  rma(record);
}

void TraceBuilder::LocationRecorder::sample(Time time, CallPathId call_path, std::uint32_t weight) {
  time = advance(time);
  call_path = tree_.leaf(call_path);
  has_samples_ = true;
  if (in_operation_) {
    oddities_.add(Oddity::SampleInsideMpi, time);
  } else if (stack_.empty() || region(stack_.back().region).divisible) {
    if (!names_blocking(time, call_path)) add_sample(call_path, weight);
    sample_of_life(call_path, weight);
  }  // else: the region's time is exact, samples have nothing to divide
}

void TraceBuilder::LocationRecorder::finish() {
  if (finished_) return;
  finished_ = true;
  const Time end = timeline_.end_;
  end_absence(end);
  timeline_.ends_in_call_ = in_operation_;
  if (in_operation_) oddities_.add(Oddity::UnclosedCall, timeline_.enter_.back());
  if (!stack_.empty()) oddities_.add(Oddity::UnclosedRegion, end, stack_.size());
  while (!stack_.empty()) pop(end);
  finish_life(end);
  forget_absences();
  close_gap();
  // There are twice as many places as calls: each has a gap before it (Place).
  counted<std::uint32_t>(2 * timeline_.gaps(), "calls and stretches between them on one rank");
  counted<std::uint32_t>(timeline_.pieces_.size() + timeline_.samples_.size(),
                         "pieces of computation on one rank");
  if (has_samples_) divide_marks();
  std::vector<std::uint32_t>().swap(piece_slots_);
  std::vector<std::uint32_t>().swap(sample_slots_);
  tree_.close();
  trim(timeline_.enter_);
  trim(timeline_.leave_);
  trim(timeline_.call_path_);
  timeline_.piece_offset_.shrink_to_fit();
  timeline_.sample_offset_.shrink_to_fit();
  trim(timeline_.pieces_);
  trim(timeline_.samples_);
  timeline_.sends_.trim();
  timeline_.receives_.trim();
  trim(timeline_.collectives_);
  trim(timeline_.rma_);
  trim(timeline_.step_marks_);
  trim(timeline_.user_regions_);
  trim(timeline_.usage_);
  trim(timeline_.counted_work_);
  trim(timeline_.file_accesses_);
  trim(timeline_.polls_);
  trim(timeline_.preempted_calls_);
}

void TraceBuilder::LocationRecorder::join_call_paths(CallTree& common) {
  if (!tree_.has_own()) return;
  tree_.join(common);
  for (CallPathId& path : timeline_.call_path_) path = tree_.joined(path);
  for (ComputationPiece& piece : timeline_.pieces_) piece.call_path = tree_.joined(piece.call_path);
  for (LibraryBytes& moved : timeline_.library_bytes_) moved.call_path = tree_.joined(moved.call_path);
  for (ParallelTotal& total : timeline_.parallel_) total.call_path = tree_.joined(total.call_path);
  for (CallTotal& total : timeline_.totals_) total.call_path = tree_.joined(total.call_path);
  for (ComputationSample& sample : timeline_.samples_) sample.call_path = tree_.joined(sample.call_path);
  for (ThreadStart& start : timeline_.thread_starts_) start.caller = tree_.joined(start.caller);
  for (ThreadJoin& join : timeline_.thread_joins_) join.blocked = tree_.joined(join.blocked);
  for (auto* const lives : {&timeline_.lives_, &timeline_.wakes_})
    for (ThreadLife& life : *lives) {
      life.function = tree_.joined(life.function);
      for (ComputationPiece& piece : life.pieces) piece.call_path = tree_.joined(piece.call_path);
      for (ComputationSample& sample : life.samples) sample.call_path = tree_.joined(sample.call_path);
    }
}

}  // namespace waitdiag
