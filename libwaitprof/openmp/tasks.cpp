// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/tasks.hpp"

#include <cstring>
#include <new>

namespace waitprof {
namespace {

std::byte* data_of(void* block) noexcept {
  return static_cast<std::byte*>(block) + static_cast<TaskHead*>(block)->offset;
}

// A thread that has not yet left a barrier may be given a task that another one made behind it. It has not waited for that.
void pass_barrier_with(ThreadState& thread, const TaskHead& head) noexcept {
  if (thread.waits_for == WaitsFor::All && thread.team == head.team && thread.team_id == head.team_id &&
      thread.team_phase + 1 == head.phase) {
    pass_barrier(thread, *head.team);
    thread.waits_since = now();
  }
}

}  // namespace

void fill_task(void* block, const TaskLayout& layout, const TaskHead& head, std::size_t bytes) noexcept {
  auto* const own = new (block) TaskHead(head);
  own->offset = layout.offset;
  if (own->of_loop) {
    std::memcpy(own->words, head.data, bytes < sizeof own->words ? bytes : sizeof own->words);
  }
  if (head.copy == nullptr && bytes > 0) {
    std::memcpy(data_of(block), head.data, bytes);
  }
}

void copy_task(void* to, void* from) {
  const TaskHead& head = *static_cast<TaskHead*>(from);
  new (to) TaskHead(head);
  head.copy(data_of(to), head.data);
}

// Where a thread waits for others of its team it computes meanwhile; what it waited in has its own data.
void execute_task(void* block) {
  const TaskHead& head = *static_cast<TaskHead*>(block);
  if (head.of_loop) {
    std::memcpy(data_of(block), head.words, 2 * sizeof head.words[0]);
  }
  ThreadState& thread = this_thread;
  const bool waited = !computes_in_team(thread);
  if (waited) {
    pass_barrier_with(thread, head);
  }
  const WaitsFor waited_for = thread.waits_for;
  const WatchedCall watched = thread.watched;
  const bool was_watched = waited && waits_for_team(thread);
  if (was_watched) {
    interrupt_team_wait(thread);
  }
  if (waited) {
    thread.watched.frame = nullptr;
    go_on_in_team(thread, *head.team, head.team_id, WaitsFor::Tasks);
  }
  head.function(data_of(block));
  if (waited) {
    pause_in_team(thread, waited_for);
    thread.watched = watched;
    if (was_watched) {
      begin_team_wait(thread);
    }
  }
}

}  // namespace waitprof
