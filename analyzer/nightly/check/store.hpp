// The store of earlier runs: a directory of JSON Lines, one file per case, one line per run, only ever
// appended to. Two stores are merged by putting the lines of both into one file, in any order.
//
//   {"kind":"structure","id":"9f..","figures":{..},"call_sites":{"main/solve/MPI_Allreduce":400,..}}
//   {"kind":"run","time":"2026-11-20T02:13:11Z","commit":"3f2a1c","series":"51..","fingerprint":{..},
//    "structure":"9f..","report":{..}}
//   {"kind":"verdict","time":"..","series":"..","verdict":"REGRESSION","metrics":{"runtime_s":"REGRESSION"}}
//   {"kind":"accept","time":"..","series":"..","metric":"runtime_s","reason":"new preconditioner"}
//
// The call sites of a run are written once and then referred to, because they hardly ever change; `report` is
// the part of waitdiag.report/1 that names causes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/results/check_result.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

using Fingerprint = std::map<std::string, std::string>;

struct StoredRun {
  std::string time, commit;
  Fingerprint fingerprint;
  Report report;  // leading causes and hotspots only
};

struct StoredVerdict {
  std::string time;
  CheckResult::Verdict verdict{};
  std::map<std::string, CheckResult::Verdict> metrics{};  // that did not pass; "structure" among them
};

struct Acceptance {
  std::string time, metric, reason;
};

// What is known about one case and one fingerprint, each list by time.
struct Store {
  std::vector<StoredRun> runs;
  std::vector<StoredVerdict> verdicts;
  std::vector<Acceptance> acceptances;
  std::uint64_t other_series = 0;       // runs of the case with another fingerprint
  Fingerprint latest_other{};           // that of the latest of them
  std::vector<std::string> oddities{};  // lines that cannot be used, and why: skipped
};

// What must be equal for runs to be compared: program, ranks, threads, nodes, processors of a node, MPI,
// rules and model of the diagnosis, and the labels of the user.
Fingerprint fingerprint_of(const Report& report, const std::map<std::string, std::string>& labels);

// The file of a case in the directory; characters that file systems may not allow become '_'.
std::string store_file(const std::string& directory, const std::string& case_name);

// A missing file is an empty store. Throws std::runtime_error when the file cannot be read.
Store read_store(const std::string& file, const Fingerprint& fingerprint);

// Everything of the case, one store per fingerprint.
std::vector<Store> read_all_series(const std::string& file);

// Appends, making directory and file where needed. Throws std::runtime_error when it cannot.
void append_night(const std::string& file, const std::vector<StoredRun>& runs, const StoredVerdict& verdict,
                  const std::vector<Acceptance>& acceptances);

}  // namespace waitdiag
