// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ostream>
#include <pugixml.hpp>

#include "analyzer/writers/junit/junit.hpp"

namespace waitdiag {
namespace {

using JunitVerdict = CheckResult::Verdict;

// XML 1.0 has no way to write most control characters; function names come from other people's binaries.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
  return text;
}

class Suite {
 public:
  explicit Suite(const CheckResult& result) : result_(result) {
    suites_ = document_.append_child("testsuites");
    suite_ = suites_.append_child("testsuite");
    suite_.append_attribute("name") = printable("waitdiag check " + result.case_name).c_str();
    suite_.append_attribute("timestamp") = printable(result.time).c_str();
  }

  void add(const std::string& what, JunitVerdict verdict, const std::string& body) {
    pugi::xml_node test = suite_.append_child("testcase");
    test.append_attribute("classname") = printable("waitdiag." + result_.case_name).c_str();
    // GitLab lists only names: the verdict is part of the name only where it matters, so that names of
    // passing tests stay the same from night to night.
    test.append_attribute("name") = printable(what).c_str();
    test.append_attribute("time") = "0";
    ++tests_;
    const char* kind = nullptr;
    if (verdict == JunitVerdict::Failed) kind = "error";
    if (verdict == JunitVerdict::Regression || verdict == JunitVerdict::Changed) kind = "failure";
    if (verdict == JunitVerdict::Inconclusive) kind = "skipped";
    errors_ += verdict == JunitVerdict::Failed;
    failures_ += verdict == JunitVerdict::Regression || verdict == JunitVerdict::Changed;
    skipped_ += verdict == JunitVerdict::Inconclusive;
    if (kind != nullptr) {
      pugi::xml_node node = test.append_child(kind);
      node.append_attribute("message") = printable(body).c_str();
      if (verdict != JunitVerdict::Inconclusive)
        node.append_attribute("type") = std::string(word_of(verdict)).c_str();
      node.append_child(pugi::node_pcdata).set_value(printable(body).c_str());
    } else {
      test.append_child("system-out").append_child(pugi::node_pcdata).set_value(printable(body).c_str());
    }
  }

  void save(std::ostream& out) {
    for (pugi::xml_node node : {suites_, suite_}) {
      node.append_attribute("tests") = tests_;
      node.append_attribute("failures") = failures_;
      node.append_attribute("errors") = errors_;
      node.append_attribute("time") = "0";
    }
    suite_.append_attribute("skipped") = skipped_;  // Jenkins' schema lacks it for all suites together
    document_.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  }

 private:
  const CheckResult& result_;
  pugi::xml_document document_{};
  pugi::xml_node suites_{}, suite_{};
  int tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
};

}  // namespace

void write_check_junit(const CheckResult& result, std::ostream& out) {
  Suite suite(result);
  suite.add(result.case_name, result.verdict == JunitVerdict::Improved ? JunitVerdict::Pass : result.verdict,
            std::string(word_of(result.verdict)) + ": " + result.sentence);
  for (const CheckResult::Metric& one : result.metrics)
    suite.add(result.case_name + " " + one.title, one.verdict,
              std::string(word_of(one.verdict)) + ": " + one.sentence);
  if (result.structure_compared > 0) {
    std::string body = std::to_string(result.structure_compared) + " counts compared";
    for (const CheckResult::Structure& one : result.structure)
      body += "\n" + one.id + ": " + std::to_string(static_cast<std::uint64_t>(one.before)) + " -> " +
              std::to_string(static_cast<std::uint64_t>(one.after));
    suite.add(result.case_name + " MPI calls, messages and bytes",
              result.structure.empty() ? JunitVerdict::Pass : JunitVerdict::Changed, body);
  }
  suite.save(out);
}

}  // namespace waitdiag
