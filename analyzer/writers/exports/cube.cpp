// A .cubex file: a tar file of anchor.xml (metrics, call paths, threads) and, for every metric N that has
// values, N.index (the call paths that have values) and N.data (their values, thread by thread), in the byte
// order of the machine that wrote them, which the index states. The format: Cube 4.x (Knobloch et al.: doi
// 10.1016/j.procs.2015.05.320).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <bit>
#include <memory>
#include <ostream>
#include <pugixml.hpp>
#include <sstream>
#include <stdexcept>

#include "analyzer/writers/exports/cube_profile.hpp"

namespace waitdiag {
namespace {

pugi::xml_node text_node(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  node.append_child(pugi::node_pcdata).set_value(text.c_str());
  return node;
}

void write_metrics(const std::vector<CubeMetric>& metrics, pugi::xml_node cube) {
  pugi::xml_node all = cube.append_child("metrics");
  std::vector<pugi::xml_node> nodes;
  for (const CubeMetric& metric : metrics) {
    pugi::xml_node node =
        (metric.parent == CubeMetric::kTop ? all : nodes[metric.parent]).append_child("metric");
    node.append_attribute("id") = nodes.size();
    node.append_attribute("type") = "EXCLUSIVE";
    text_node(node, "disp_name", metric.title);
    text_node(node, "uniq_name", metric.id);
    text_node(node, "dtype", "DOUBLE");
    text_node(node, "uom", metric.unit);
    node.append_child("url");
    text_node(node, "descr", metric.text);
    nodes.push_back(node);
  }
}

void write_region(pugi::xml_node program, std::size_t id, const Region& region) {
  pugi::xml_node node = program.append_child("region");
  node.append_attribute("id") = id;
  node.append_attribute("mod") = region.file.c_str();
  node.append_attribute("begin") = region.line == 0 ? -1 : static_cast<int>(region.line);
  node.append_attribute("end") = -1;
  text_node(node, "name", region.name);
  text_node(node, "mangled_name", region.name);
  text_node(node, "paradigm", region.mpi() ? "mpi" : "compiler");
  text_node(node, "role", "function");
  node.append_child("url");
  node.append_child("descr");
}

void write_program(const Trace& trace, const std::string& name, const std::vector<CubeCallPath>& paths,
                   pugi::xml_node cube) {
  pugi::xml_node program = cube.append_child("program");
  const std::size_t whole_program = trace.regions().size();
  for (std::size_t region = 0; region < whole_program; ++region)
    write_region(program, region, trace.regions()[region]);
  write_region(program, whole_program, {.name = name});
  std::vector<pugi::xml_node> nodes;
  for (const CubeCallPath& path : paths) {
    pugi::xml_node node = (nodes.empty() ? program : nodes[path.parent]).append_child("cnode");
    node.append_attribute("id") = nodes.size();
    node.append_attribute("calleeId") =
        path.id == kNoCallPath ? whole_program : index(trace.call_paths()[index(path.id)].region);
    nodes.push_back(node);
  }
}

// Machine, nodes, ranks, threads. Threads are numbered as their lanes are; values come in that order.
void write_system(const ExportView& view, pugi::xml_node cube) {
  pugi::xml_node machine = cube.append_child("system").append_child("systemtreenode");
  std::size_t system_nodes = 0, groups = 0;
  const auto open = [&system_nodes](pugi::xml_node node, const std::string& name, const char* kind) {
    node.append_attribute("Id") = system_nodes++;
    text_node(node, "name", name);
    text_node(node, "class", kind);
  };
  open(machine, "machine", "machine");
  std::map<std::string, pugi::xml_node> nodes;
  std::map<Rank, pugi::xml_node> ranks;
  for (std::size_t lane = 0; lane < view.selection.lanes.size(); ++lane) {
    const LocationInfo& info = view.trace.locations()[index(view.selection.lanes[lane].location)];
    const auto [node, new_node] = nodes.try_emplace(info.node);
    if (new_node)
      open(node->second = machine.append_child("systemtreenode"), info.node.empty() ? "node" : info.node,
           "node");
    const auto [rank, new_rank] = ranks.try_emplace(info.rank);
    if (new_rank) {
      rank->second = node->second.append_child("locationgroup");
      rank->second.append_attribute("Id") = groups++;
      text_node(rank->second, "name", fmt::format("rank {}", index(info.rank)));
      text_node(rank->second, "rank", fmt::to_string(index(info.rank)));
      text_node(rank->second, "type", "process");
    }
    pugi::xml_node thread = rank->second.append_child("location");
    thread.append_attribute("Id") = lane;
    text_node(thread, "name", fmt::format("thread {}", info.thread));
    text_node(thread, "rank", fmt::to_string(info.thread));
    text_node(thread, "type", "thread");
  }
}

std::string anchor_xml(const ExportView& view, const std::string& name, const CubeProfile& profile) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node cube = document.append_child("cube");
  cube.append_attribute("version") = "4.4";
  pugi::xml_node creator = cube.append_child("attr");
  creator.append_attribute("key") = "Creator";
  creator.append_attribute("value") = "WaitProf";
  write_metrics(profile.metrics, cube);
  write_program(view.trace, name, profile.call_paths, cube);
  write_system(view, cube);
  std::ostringstream text;
  document.save(text, " ");
  return text.str();
}

class TarFile {
 public:
  explicit TarFile(std::ostream& out) : out_(out), archive_(archive_write_new(), archive_write_free) {
    check(archive_write_set_format_ustar(archive_.get()));
    check(archive_write_open(archive_.get(), this, nullptr, &TarFile::forward, nullptr));
  }

  void begin(const std::string& name, std::size_t bytes) {
    constexpr int kReadable = 0644;
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), kReadable);
    check(archive_write_header(archive_.get(), entry.get()));
  }
  void append(const void* data, std::size_t bytes) {
    if (archive_write_data(archive_.get(), data, bytes) < 0) check(ARCHIVE_FATAL);
  }
  void close() { check(archive_write_close(archive_.get())); }

 private:
  static la_ssize_t forward(archive*, void* self, const void* data, std::size_t bytes) {
    static_cast<TarFile*>(self)->out_.write(static_cast<const char*>(data),
                                            static_cast<std::streamsize>(bytes));
    return static_cast<la_ssize_t>(bytes);  // the caller of write_cube checks the stream's state
  }
  void check(int status) {
    if (status != ARCHIVE_OK)
      throw std::runtime_error(
          fmt::format("cannot write the Cube file: {}", archive_error_string(archive_.get())));
  }

  std::ostream& out_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

template <typename Number>
void put(std::string& bytes, Number number) {
  const auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  bytes.append(raw.data(), raw.size());
}

std::string index_file(const std::vector<std::uint32_t>& rows) {
  constexpr std::uint32_t kByteOrderMark = 1;
  constexpr std::uint16_t kVersion = 0;
  constexpr char kSparse = 1;
  std::string bytes = "CUBEX.INDEX";
  put(bytes, kByteOrderMark);
  put(bytes, kVersion);
  put(bytes, kSparse);
  put(bytes, static_cast<std::uint32_t>(rows.size()));
  for (const std::uint32_t row : rows) put(bytes, row);
  return bytes;
}

void write_values(const std::vector<CubeValue>& values, std::size_t lanes, std::size_t metric,
                  TarFile& file) {
  constexpr std::string_view kMark = "CUBEX.DATA";
  std::vector<std::uint32_t> rows;
  for (const CubeValue& value : values)
    if (rows.empty() || rows.back() != value.call_path) rows.push_back(value.call_path);
  const std::string index_bytes = index_file(rows);
  file.begin(fmt::format("{}.index", metric), index_bytes.size());
  file.append(index_bytes.data(), index_bytes.size());
  file.begin(fmt::format("{}.data", metric), kMark.size() + rows.size() * lanes * sizeof(double));
  file.append(kMark.data(), kMark.size());
  std::vector<double> row(lanes);
  auto value = values.begin();
  for (const std::uint32_t call_path : rows) {
    std::fill(row.begin(), row.end(), 0.0);
    for (; value != values.end() && value->call_path == call_path; ++value) row[value->lane] = value->value;
    file.append(row.data(), row.size() * sizeof(double));
  }
}

}  // namespace

void write_cube(const ExportView& view, const std::string& name, std::ostream& out) {
  const CubeProfile profile = cube_profile(view);
  const std::string anchor = anchor_xml(view, name, profile);
  TarFile file(out);
  file.begin("anchor.xml", anchor.size());
  file.append(anchor.data(), anchor.size());
  for (std::size_t metric = 0; metric < profile.metrics.size(); ++metric)
    if (const auto& values = profile.metrics[metric].values; !values.empty())
      write_values(values, view.selection.lanes.size(), metric, file);
  file.close();
}

}  // namespace waitdiag
