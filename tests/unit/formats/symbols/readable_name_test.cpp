// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/symbols/readable_name.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

TEST(ReadableName, SymbolsAsAProgrammerWroteThem) {
  const std::pair<const char*, const char*> expected[] = {
      {"main", "main"},
      {"_ZN3eos5matchEi", "eos::match"},
      {"_Z5solveIdEvT_", "solve<double>"},
      {"_ZNK4Grid4haloERKSt6vectorIdSaIdEE", "Grid::halo"},
      {"_ZN12_GLOBAL__N_14stepEv", "(anonymous namespace)::step"},
      {"_Znotmangled", "_Znotmangled"},
      {"__grid_MOD_halo", "grid::halo"},
      {"solve_", "solve"},
      {"MAIN__", "main program"},
      {"solve.constprop.0", "solve"},
      {"work._omp_fn.1", "work"},
      {"twist.0", "twist"},
      {"Mixed_", "Mixed_"},
      {"dunder__", "dunder__"},
      {"_start", "_start"},
      {"_", "_"},
      {"", ""},
  };
  for (const auto& [symbol, name] : expected) EXPECT_EQ(readable_name(symbol), name) << symbol;
}

TEST(ReadableName, LeavesOutParametersAndReturnTypes) {
  const std::pair<const char*, const char*> expected[] = {
      {"int main(int, char**)", "main"},
      {"eos::match(std::function<void (int)>)", "eos::match"},
      {"void eos::solve<std::pair<int, long> >(std::pair<int, long>) const",
       "eos::solve<std::pair<int, long> >"},
      {"(anonymous namespace)::step()", "(anonymous namespace)::step"},
      {"run()::{lambda(int)#1}::operator()(int) const", "run()::{lambda(int)#1}::operator()(int) const"},
      {"f(int) [clone .cold]", "f"},
      {"plain", "plain"},
      {"broken)", "broken)"},
  };
  for (const auto& [demangled, name] : expected) EXPECT_EQ(without_signature(demangled), name) << demangled;
}

}  // namespace
}  // namespace waitdiag
