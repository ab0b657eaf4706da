// A .cubex file, read back by a reader that is independent of the writer.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <pugixml.hpp>

#include "tests/unit/writers/exports/exports_support.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::size_t kBlock = 512;  // of a tar file

std::map<std::string, std::string> members_of(const std::string& tar) {
  constexpr std::size_t kSizeField = 124;
  std::map<std::string, std::string> members;
  for (std::size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
    const std::size_t size = std::stoull(tar.substr(at + kSizeField, 11), nullptr, 8);
    members[tar.c_str() + at] = tar.substr(at + kBlock, size);
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return members;
}

template <typename Number>
std::vector<Number> numbers(const std::string& bytes, std::size_t from) {
  std::vector<Number> found((bytes.size() - from) / sizeof(Number));
  std::memcpy(found.data(), bytes.data() + from, found.size() * sizeof(Number));
  return found;
}

class CubeFile {
 public:
  explicit CubeFile(const PageLimits& limits = {}) {
    members_ = members_of(
        test::exported([](const ExportView& view, std::ostream& out) { write_cube(view, "app", out); },
                       test::kLateSender, limits));
    EXPECT_TRUE(anchor_.load_string(members_["anchor.xml"].c_str()));
    for (const auto& region : anchor_.select_nodes("//region"))
      regions_[region.node().attribute("id").as_int()] = region.node().child_value("name");
    add_paths(anchor_.select_node("//program/cnode").node(), "");
  }

  // Call path -> nanoseconds (or visits) of every thread, for call paths that have any.
  std::map<std::string, std::vector<double>> values(const std::string& metric) {
    const auto node = anchor_.select_node(("//metric[uniq_name='" + metric + "']").c_str()).node();
    const std::string id = node.attribute("id").value();
    const double scale = std::string(node.child_value("uom")) == "sec" ? 1e9 : 1;
    const std::string &index = members_[id + ".index"], &data = members_[id + ".data"];
    EXPECT_EQ(index.substr(0, 11) + data.substr(0, 10), "CUBEX.INDEXCUBEX.DATA");
    const auto rows = numbers<std::uint32_t>(index, 22);
    const auto cells = numbers<double>(data, 10);
    EXPECT_EQ(cells.size(), rows.size() * threads());
    std::map<std::string, std::vector<double>> found;
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t thread = 0; thread < threads(); ++thread)
        found[paths_.at(rows[row])].push_back(std::round(scale * cells[row * threads() + thread]));
    return found;
  }
  std::size_t threads() const { return anchor_.select_nodes("//location").size(); }
  std::string parent(const std::string& metric) const {
    return anchor_.select_node(("//metric[uniq_name='" + metric + "']/..").c_str())
        .node()
        .child_value("uniq_name");
  }

 private:
  void add_paths(pugi::xml_node cnode, const std::string& above) {
    EXPECT_EQ(cnode.attribute("id").as_uint(), paths_.size());  // preorder
    const std::string path = above + regions_[cnode.attribute("calleeId").as_int()];
    paths_.push_back(path);
    for (const pugi::xml_node child : cnode.children("cnode")) add_paths(child, path + "/");
  }

  std::map<std::string, std::string> members_;
  pugi::xml_document anchor_;
  std::map<int, std::string> regions_;
  std::vector<std::string> paths_;
};

TEST(Cube, HoldsTimeAndWaitingOfEveryThread) {
  CubeFile file;
  EXPECT_THAT(file.values("computation"), ElementsAre(Pair("app/main/solve", ElementsAre(10, 40))));
  EXPECT_THAT(file.values("late_sender"), ElementsAre(Pair("app/main/MPI_Recv", ElementsAre(30, 0))));
  EXPECT_THAT(file.values("caused"), ElementsAre(Pair("app/main/solve", ElementsAre(0, 30))));
  EXPECT_THAT(file.values("excess"), ElementsAre(Pair("app/main/solve", ElementsAre(0, 30))));
}

TEST(Cube, MetricsIncludeTheirChildren) {
  CubeFile file;
  EXPECT_EQ(file.parent("late_sender") + file.parent("waiting") + file.parent("mpi"), "waitingmpitime");
  EXPECT_THAT(file.values("mpi"), ElementsAre(Pair("app/main/MPI_Recv", ElementsAre(42, 0)),
                                              Pair("app/main/MPI_Send", ElementsAre(0, 10))));
  EXPECT_THAT(file.values("time"), ElementsAre(Pair("app/main/MPI_Recv", ElementsAre(42, 0)),
                                               Pair("app/main/MPI_Send", ElementsAre(0, 10)),
                                               Pair("app/main/solve", ElementsAre(10, 40))));
}

TEST(Cube, HoldsOnlyTheRanksThatAreChosen) {
  CubeFile file({.first_rank = 1, .last_rank = 1});
  EXPECT_EQ(file.threads(), 1U);
  EXPECT_THAT(file.values("computation"), ElementsAre(Pair("app/main/solve", ElementsAre(40))));
}

}  // namespace
}  // namespace waitdiag
