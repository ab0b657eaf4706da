// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/nightly/compare/sentence.hpp"
#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

std::string before_and_after(const CheckResult::Metric& metric) {
  const std::string after = format_figure(metric.after, metric.unit);
  if (!std::isfinite(metric.before)) return metric.title + " " + after;
  return fmt::format("{} {} -> {}", metric.title, format_figure(metric.before, metric.unit), after);
}

std::string change_of(const CheckResult::Metric& metric) {
  return change_cell({metric.id, metric.title, metric.unit, metric.before, metric.after});
}

// What is judged is the median of all differences between two runs; that of the medians, which stands in all tables, may
// lie on the other side of the limit.
std::string judged_change(const CheckResult::Metric& metric, const Evidence& evidence) {
  std::string medians = change_of(metric);
  const bool shown = std::abs(evidence.after - evidence.before) > evidence.limit;
  if (shown == evidence.practical) return medians;
  const std::string judged =
      change_cell({metric.id, metric.title, metric.unit, evidence.before, evidence.before + evidence.shift});
  return fmt::format("{}{} between single runs, the limit is {}", medians.empty() ? "" : medians + ", ",
                     judged, format_figure(evidence.limit, metric.unit));
}

// The probability of an equally large difference in this direction.
std::string by_chance(double p) {
  constexpr double kOften = 0.2, kNever = 1e-6;
  if (p > kOften) return "chance makes as much";
  if (p < kNever) return "by chance less than once in a million";
  return fmt::format("by chance once in {}", format_count(static_cast<std::uint64_t>(1 / p + 0.5)));
}

std::string missing_words(const CheckResult::Metric& metric, const Evidence& evidence,
                          std::size_t known_nights) {
  if (evidence.runs < kRunsThatPersist && evidence.one_night_can_tell)
    return fmt::format(
        "one night of {} proves nothing: {} more tonight, or two of three nights that agree, could tell",
        plural(evidence.runs, "run"),
        plural(std::max<std::uint64_t>(metric.runs_missing, kRunsThatPersist - evidence.runs), "run"));
  if (!evidence.persistent && evidence.reference_nights < known_nights)
    return fmt::format("with {} of {} nights known before it, one night is not enough: the next one decides",
                       evidence.reference_nights, known_nights);
  if (!evidence.persistent) return "nights differ from each other by themselves, too: the next one decides";
  if (metric.runs_missing > 0)
    return fmt::format("that may be noise: {} more tonight could tell", plural(metric.runs_missing, "run"));
  return "that may be noise, and no number of runs of one night could tell: more nights of reference could";
}

// "main/solve/MPI_Allreduce 400 -> 800 calls"
std::string structure_words(const CheckResult::Structure& one) {
  const char* what = one.id.find("MPI_") == std::string::npos ? "" : " calls";
  if (one.before == 0) return fmt::format("{} is new ({:.0f}{})", one.id, one.after, what);
  if (one.after == 0) return fmt::format("{} is gone ({:.0f}{} before)", one.id, one.before, what);
  return fmt::format("{} {:.0f} -> {:.0f}{}", one.id, one.before, one.after, what);
}

std::string structure_sentence(const CheckResult& result) {
  if (result.structure.empty()) return "";
  std::string text = "The program does not do the same: " + structure_words(result.structure.front());
  if (result.structure.size() > 1) text += fmt::format(" and {} more", result.structure.size() - 1);
  return text + ".";
}

const CheckResult::Metric* metric_named(const CheckResult& result, const std::string& id) {
  const auto found = std::find_if(result.metrics.begin(), result.metrics.end(),
                                  [&](const CheckResult::Metric& one) { return one.id == id; });
  return found == result.metrics.end() ? nullptr : &*found;
}

// The first night of the level: the change point, or, where the history is too short or too noisy for one,
// the first of the nights up to tonight in which this figure was judged in this way.
std::string since(const CheckResult& result, const CheckResult::Metric& metric) {
  std::string time = result.time, commit = result.commit;
  for (auto night = result.nights.rbegin();
       night != result.nights.rend() && night->verdict_of(metric.id) == metric.verdict; ++night) {
    time = night->time;
    commit = night->commit;
  }
  if (!metric.changes.empty() && metric.spread) {
    const CheckResult::Metric::Change& last = metric.changes.back();
    if ((last.after - last.before) * metric.spread->shift > 0) {
      time = last.time;
      commit = last.commit;
    }
  }
  return ", first seen " + time + (commit.empty() ? "" : " (" + commit + ")");
}

std::string others_alike(const CheckResult& result, const CheckResult::Metric& lead) {
  std::string text;
  for (const CheckResult::Metric& one : result.metrics)
    if (one.id != lead.id && one.verdict == lead.verdict) text += ", " + before_and_after(one);
  return text;
}

std::string moved(const CheckResult& result, const Comparison& comparison, double sign) {
  const CheckResult::Metric* const lead = metric_named(result, leading_metric(result));
  const std::string change = change_of(*lead);
  std::string text = before_and_after(*lead) + (change.empty() ? "" : " (" + change + ")") +
                     others_alike(result, *lead) + since(result, *lead) + ". " +
                     reason_of_change(comparison, sign);
  const std::string structure = structure_sentence(result);
  return structure.empty() ? text : text + " " + structure;
}

std::string passed(const CheckResult& result) {
  if (result.metrics.empty()) return "Nothing could be judged.";
  std::string text = fmt::format("no figure differs from {} by more than matters or than noise: ",
                                 plural(result.reference_nights, "night"));
  const char* separator = "";
  for (const CheckResult::Metric& one : result.metrics) {
    text += separator + before_and_after(one) + (one.accepted ? " (accepted)" : "");
    separator = ", ";
  }
  return text + fmt::format("; {} of MPI calls, messages and bytes as before.",
                            plural(result.structure_compared, "count"));
}

}  // namespace

std::string metric_sentence(const CheckResult::Metric& metric, const Evidence& evidence,
                            std::size_t known_nights) {
  const std::string text = before_and_after(metric);
  if (evidence.reference_runs == 0) return text + ": nothing to compare with yet";
  const std::string change = judged_change(metric, evidence);
  const std::string compared =
      fmt::format("{} and {} before", plural(evidence.runs, "run"), plural(evidence.reference_runs, "run"));
  const std::string by = change.empty() ? "" : change + ", ";
  // The probability of chance is not the reason where something else is missing: then it is not mentioned.
  if (metric.verdict == CheckResult::Verdict::Inconclusive)
    return fmt::format("{} ({}{}): {}", text, by, compared, missing_words(metric, evidence, known_nights));
  return fmt::format("{} ({}{}; {})", text, by, compared, by_chance(evidence.p));
}

std::string leading_metric(const CheckResult& result) {
  const CheckResult::Metric* lead = nullptr;
  for (const CheckResult::Metric& one : result.metrics)
    if (lead == nullptr || one.verdict > lead->verdict) lead = &one;
  if (lead == nullptr || (lead->verdict == CheckResult::Verdict::Pass && !result.structure.empty()))
    return "structure";
  return lead->id;
}

std::string check_sentence(const CheckResult& result, const Comparison& comparison) {
  switch (result.verdict) {
    case CheckResult::Verdict::Regression:
      return moved(result, comparison, 1);
    case CheckResult::Verdict::Improved:
      return moved(result, comparison, -1);
    case CheckResult::Verdict::Changed:
      return structure_sentence(result) + " If that is wanted: --accept structure \"reason\".";
    case CheckResult::Verdict::Inconclusive: {
      if (result.reference_runs == 0)
        return "there are no runs of this kind to compare with yet; --update-baseline keeps these as the "
               "first.";
      const std::string structure = structure_sentence(result);
      const CheckResult::Metric* const lead = metric_named(result, leading_metric(result));
      return lead->sentence + "." + (structure.empty() ? "" : " " + structure);
    }
    case CheckResult::Verdict::Pass:
      return passed(result);
    case CheckResult::Verdict::Failed:
      break;
  }
  return result.sentence;
}

std::string new_series_note(const Fingerprint& tonight, const Fingerprint& other, std::uint64_t runs) {
  std::string text;
  for (const auto& [name, value] : tonight) {
    const auto found = other.find(name);
    const std::string there = found == other.end() ? "nothing" : found->second;
    if (there != value)
      text += fmt::format("{}{} is {} tonight, {} there", text.empty() ? "" : ", ", name, value, there);
  }
  for (const auto& [name, value] : other)
    if (tonight.count(name) == 0)
      text += fmt::format("{}{} is nothing tonight, {} there", text.empty() ? "" : ", ", name, value);
  return fmt::format("the store has {} of this case, but of another kind, which are not compared: {}",
                     plural(runs, "run"), text);
}

}  // namespace waitdiag
