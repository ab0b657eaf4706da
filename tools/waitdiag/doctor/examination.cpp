// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/doctor/examination.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "analyzer/wording/numbers.hpp"
#include "tools/waitdiag/command_line/environment.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/own_directory.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/doctor/machine_findings.hpp"
#include "tools/waitdiag/doctor/program_findings.hpp"
#include "tools/waitdiag/doctor/trial.hpp"
#include "tools/waitdiag/launching/recorder_library.hpp"
#include "tools/waitdiag/launching/recording.hpp"

namespace waitdiag::tool {
namespace {

class Sheet {
 public:
  explicit Sheet(const TextStyle& style) : style_(style) {}

  void add(const Finding& finding) {
    constexpr std::size_t kGradeWidth = 9, kSubjectWidth = 13;
    struct Look {
      const char* word;
      Ink ink;
    };
    const Look look = finding.grade == Grade::Ok     ? Look{"ok", Ink::Good}
                      : finding.grade == Grade::Note ? Look{"note", Ink::Fair}
                                                     : Look{"problem", Ink::Bad};
    problems_ += finding.grade == Grade::Problem ? 1U : 0U;
    std::cout << style_.paint(look.ink, pad_right(look.word, kGradeWidth))
              << pad_right(finding.subject, kSubjectWidth) << finding.text << std::endl;
  }
  void add(const Findings& findings) {
    for (const Finding& finding : findings) add(finding);
  }
  std::size_t problems() const { return problems_; }

 private:
  const TextStyle& style_;
  std::size_t problems_ = 0;
};

std::uint64_t ranks_of(const std::vector<std::string>& launch_line) {
  const std::string text = rank_count(launch_line);
  std::uint64_t ranks = 0;
  std::from_chars(text.data(), text.data() + text.size(), ranks);
  return ranks;
}

void look_at_program(const std::vector<std::string>& launch_line, Trial& trial, Sheet& sheet) {
  trial.launch_line = launch_line;
  trial.program = find_program(launch_line);
  trial.probe = probe_program(trial.program);
  const Launcher launcher = launcher_of(launch_line);
  const Findings misfit = launcher_findings(launcher, trial.program, trial.probe);
  if (misfit.empty()) sheet.add(launcher_finding(launch_line, launcher, environment("SLURM_EXPORT_ENV")));
  sheet.add(misfit);
  sheet.add(program_findings(trial.program, trial.probe));
}

}  // namespace

int examine(const DoctorOptions& command, const std::vector<std::string>& launch_line) {
  const TextStyle style = text_style(STDOUT_FILENO, command.color);
  Sheet sheet(style);
  const std::uint64_t ranks = ranks_of(launch_line);
  const std::string recorder = find_recorder_library();
  sheet.add(Finding{Grade::Ok, "recorder", recorder});
  sheet.add(backends_finding(recorder));
  sheet.add(clock_finding());
  sheet.add(processors_finding(ranks));
  sheet.add(presence_finding());
  sheet.add(environment_findings());
  int told = 0;
  {
    const OwnDirectory own(command.directory, "waitdiag-doctor");
    if (own.path().empty())
      sheet.add(Finding{Grade::Problem, "disk",
                        fmt::format("cannot write to {} ({}); name another directory with -o",
                                    command.directory, own.trouble())});
    else
      sheet.add(disk_findings(own.path(), ranks));
    Trial trial{.launch_line = {}, .program = {}, .seconds = command.seconds, .directory = own.path()};
    if (!launch_line.empty()) look_at_program(launch_line, trial, sheet);
    if (!launch_line.empty() && !own.path().empty()) {
      const TrialResult result = try_recording(trial);
      told = result.told;
      if (told == 0) sheet.add(trial_findings(trial, result));
    }
  }
  if (told != 0) raise(told);
  std::cout << '\n';
  if (sheet.problems() > 0) {
    std::cout << "Recording will not work: " << plural(sheet.problems(), "problem") << " above.\n";
    return kNotFit;
  }
  std::cout << (launch_line.empty()
                    ? "Nothing on this machine is against recording. `waitdiag doctor -- mpirun -n 2 "
                      "./app` tries a program.\n"
                    : "Recording works.\n");
  return kSuccess;
}

}  // namespace waitdiag::tool
