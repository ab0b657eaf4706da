// Classes of MPI functions, by which calls are counted, coloured and filtered: from one table that the
// recorder and the analyser share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analyzer/trace/model/definitions.hpp"
#include "libwaitprof/schema/mpi_functions.hpp"

namespace waitdiag {

using waitprof::schema::CallClass;

// Of the region of an MPI function.
CallClass call_class(const Region& region);

// The different words in a column of the table, in their order, and which of them each class has.
class CallClassColumn {
 public:
  using Word = std::string_view waitprof::schema::CallClassNames::*;
  explicit CallClassColumn(Word column);
  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t of(CallClass call_class) const { return word_of_[static_cast<std::size_t>(call_class)]; }

 private:
  std::vector<std::string_view> words_;
  std::vector<std::size_t> word_of_;
};

}  // namespace waitdiag
