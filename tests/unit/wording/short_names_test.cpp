// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/short_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waitdiag {
namespace {

using ::testing::ElementsAre;

// As GCC and Clang mangle, and libstdc++ demangles them.
TEST(ShortName, LeavesOutRedundantParts) {
  const std::pair<const char*, const char*> expected[] = {
      {"main", "main"},
      {"main program", "main program"},
      {"grid::sweep", "grid::sweep"},
      {"solve<double>", "solve<double>"},
      {"(anonymous namespace)::step", "step"},
      {"solve<std::vector<double, std::allocator<double> >, 3>", "solve<std::vector<...>, 3>"},
      {"std::vector<double, std::allocator<double> >::push_back", "std::vector<double>::push_back"},
      {"read<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >",
       "read<std::string>"},
      {"std::__1::vector<int, std::__1::allocator<int> >::resize", "std::vector<int>::resize"},
      {"apply<double ((anonymous namespace)::Hidden::*)(double) const>", "apply<double(...)>"},
      {"sweep<lattice::Descriptor<3, 19>, collision::Operator<double>, 12345>", "sweep<...>"},
      {"Field::operator()(int, int)", "Field::operator()"},
      {"Field::operator[](int) const", "Field::operator[]"},
      {"Field::operator<(Field const&) const", "Field::operator<"},
      {"Field::operator double() const", "Field::operator double"},
      {"Field::operator new(unsigned long)", "Field::operator new"},
      {"bool lin::operator<< <std::complex<double>, 4>(lin::Mat<std::complex<double>, 4>&, int)",
       "lin::operator<< <std::complex<...>, 4>"},
      {"double lin::operator/<double, 8>(lin::Mat<double, 8> const&, double)", "lin::operator/<double, 8>"},
      {"Field<3> lin::operator+<3>(Field<3> const&, Field<3> const&)", "lin::operator+<3>"},
      {"run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}"},
      {"run(int)::$_0::operator()(int) const", "run::{lambda#0}"},
      {"(unknown)", "(unknown)"},
      {"solve<int> (blocked)", "solve<int> (blocked)"},
      {"walk<int> (120 call paths)", "walk<int> (120 call paths)"},
      {"", ""},
  };
  for (const auto& [full, name] : expected) EXPECT_EQ(short_name(full), name) << full;
}

TEST(ShortName, GlueAroundALambdaHasItsName) {
  const std::string lambda = "run(int)::{lambda(double)#2}";
  const std::string glue[] = {
      "std::_Function_handler<double (double), " + lambda + ">::_M_invoke",
      "double std::__invoke_impl<double, " + lambda + "&, double>(std::__invoke_other, " + lambda +
          "&, double&&)",
      "std::thread::_State_impl<std::thread::_Invoker<std::tuple<" + lambda + "> > >::_M_run",
  };
  for (const std::string& name : glue) EXPECT_EQ(short_name(name), "run::{lambda#2}") << name;
  // As GCC names inlined functions.
  EXPECT_EQ(short_name("__invoke_impl<double, run(int)::<lambda(double)>&, double>"), "run::{lambda}");
  EXPECT_EQ(
      short_path("main/run/_M_invoke/__invoke_r<double, run(int)::<lambda(double)>&, double>/{lambda}/nap"),
      "main/run/{lambda}/nap");
}

TEST(ShortPath, HasNoGlueBetweenFunctions) {
  const std::string lambda = "run(int)::{lambda(double)#2}";
  const std::string path =
      "main/run/std::function<double (double)>::operator()(double) const/std::_Function_handler<double "
      "(double), " +
      lambda + ">::_M_invoke/std::__invoke_r<double, " + lambda + "&, double>/std::__invoke_impl<double, " +
      lambda + "&, double>/" + lambda + "::operator()(double) const/nap";
  EXPECT_EQ(short_path(path), "main/run/run::{lambda#2}/nap");
  EXPECT_EQ(short_path(path, 2), "run::{lambda#2}/nap");
  EXPECT_EQ(short_path("main", 5), "main");
  // std::async
  EXPECT_EQ(
      short_path("std::thread::_State_impl<" + lambda +
                 ">::_M_run/std::__future_base::_State_baseV2::_M_set_result(int)/std::call_once<int>(int)/"
                 "__gthread_once/"
                 "std::once_flag::_Prepare_execution::_Prepare_execution<int>(int&)::{lambda()#1}::_FUN()/"
                 "std::__future_base::_State_baseV2::_M_do_set/" +
                 lambda + "::operator()(double) const/nap"),
      "run::{lambda#2}/nap");
}

TEST(ShortPath, ASlashMayBePartOfAName) {
  const std::string_view divides = "double lin::operator/<double, 8>(lin::Mat<double, 8> const&, double)";
  const std::string path = "main/" + std::string(divides) + "/MPI_Send";
  EXPECT_THAT(frames_of(path), ElementsAre("main", divides, "MPI_Send"));
  EXPECT_THAT(frames_of("Field::operator/=(double)"), ElementsAre("Field::operator/=(double)"));
}

TEST(BriefPath, LeavesOutTheMiddleOfWhatIsLongerThanALine) {
  EXPECT_EQ(brief_path("main/solve/exchange/MPI_Send"), "main/solve/exchange/MPI_Send");
  const std::string frame = "twenty_characters_ab";
  const std::string path = "main/" + frame + "1/" + frame + "2/" + frame + "3/" + frame + "4/MPI_Send";
  EXPECT_EQ(brief_path(path), "main/.../" + frame + "3/" + frame + "4/MPI_Send");
}

TEST(BriefPath, KeepsTwoNamesAtTheEndHoweverLong) {
  const std::string name(80, 'n');
  EXPECT_EQ(brief_path("main/run/step/" + name + "/MPI_Recv"), "main/.../" + name + "/MPI_Recv");
  EXPECT_EQ(brief_path("main/run/" + name + "/MPI_Recv"), "main/run/" + name + "/MPI_Recv");
}

}  // namespace
}  // namespace waitdiag
