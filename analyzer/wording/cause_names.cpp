// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/cause_names.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

constexpr double kNearlyNothing = 0.05;  // of the time in the function that it calls

// Where in a call path the code is that the cause is named after; the number of frames: nowhere.
std::size_t place_of_code(const std::vector<std::string_view>& frames, std::string_view function) {
  const auto found = std::ranges::find_if(frames.rbegin(), frames.rend(), [&](std::string_view frame) {
    return function == frame ||
           (function.starts_with(frame) && function.substr(frame.size()).starts_with(" (blocked"));
  });
  return found == frames.rend() ? frames.size() : static_cast<std::size_t>(frames.rend() - found) - 1;
}

// `path` up to the end of `last`, one of its frames.
std::string_view up_to(std::string_view path, std::string_view last) {
  return {path.data(), static_cast<std::size_t>(last.data() + last.size() - path.data())};
}

bool is_at_or_below(std::string_view path, std::string_view top) {
  return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

// Does the function at the end of `caller` spend its time in the one at the end of `called` only?
bool only_calls(const Report& report, std::string_view caller, std::string_view called) {
  double in_called = 0, elsewhere = 0;
  const auto add = [&](std::string_view path, double seconds) {
    if (is_at_or_below(path, caller)) (is_at_or_below(path, called) ? in_called : elsewhere) += seconds;
  };
  for (const Report::Hotspot& hotspot : report.hotspots) add(hotspot.call_path, hotspot.seconds);
  for (const Report::Wait& wait : report.waits)
    for (const Report::ByCallPath& place : wait.by_call_path) add(place.call_path, place.seconds);
  return in_called > 0 && elsewhere <= kNearlyNothing * in_called;
}

// The caller that does nothing else, but for the program's outermost function; "" if there is none.
std::string caller_for_it_only(const Report& report, const Report::Cause& cause) {
  if (cause.kind != "computation" && cause.kind != "blocked") return "";
  const std::vector<std::string_view> frames = frames_of(cause.call_path);
  const std::size_t code = place_of_code(frames, cause.function);
  if (code == frames.size() || code < 2) return "";
  const std::string caller = short_name(frames[code - 1]);
  const bool only =
      is_code(caller) && caller != short_name(frames[code]) &&
      only_calls(report, up_to(cause.call_path, frames[code - 1]), up_to(cause.call_path, frames[code]));
  return only ? caller : "";
}

}  // namespace

bool is_code(std::string_view caller) {
  constexpr std::string_view kCall = "operator()";
  if (caller.ends_with(kCall)) caller.remove_suffix(kCall.size());
  return caller.find('(') == std::string_view::npos && !caller.starts_with("std::") &&
         !caller.starts_with('{');
}

std::string cause_name(const Report& report, const Report::Cause& cause) {
  const std::string label = function_label(cause.function);
  std::vector<std::string> others;
  for (const Report::Hotspot& hotspot : report.hotspots)
    if (function_label(hotspot.function) == label) others.push_back(hotspot.call_path);
  for (const Report::Cause& other : report.causes)
    if (function_label(other.function) == label) others.push_back(other.call_path);
  std::string name = distinct_name(cause.call_path, cause.function, others);
  if (name != label) return name;
  const std::string caller = caller_for_it_only(report, cause);
  return caller.empty() ? name : caller + '/' + name;
}

bool is_of_team(const Report::Cause& cause) {
  return cause.late_thread && (cause.waited_for == "threads" || cause.call_path == cause.late_thread->team ||
                               !cause.late_thread->thread);
}

}  // namespace waitdiag
