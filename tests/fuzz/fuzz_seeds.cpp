// The seed corpus: the traces of all .case files, and the files of two sound archives.
//
//   fuzz_seeds CASES              runs all seeds and some mutations of each, always the same ones
//   fuzz_seeds CASES --write DIR  writes them to DIR/text and DIR/archive
//   fuzz_seeds CASES --more N     runs N mutations of each: fuzzing without coverage, where there is no Clang
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace waitdiag::fuzz {
namespace {

namespace fs = std::filesystem;

// The text between "== trace" and the next section.
std::string trace_of(const fs::path& case_file) {
  std::ifstream file(case_file);
  std::string trace;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      inside = line == "== trace";
    } else if (inside) {
      trace += line + "\n";
    }
  }
  return trace;
}

std::vector<std::string> text_seeds(const fs::path& cases) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(cases)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) seeds.push_back(trace_of(file));
  return seeds;
}

std::string mutated(std::string seed, unsigned number, std::size_t first) {
  std::mt19937 random(number);
  const auto place = [&] { return first + random() % std::max<std::size_t>(seed.size() - first, 1); };
  for (unsigned i = 0; i <= number % 4 && seed.size() > first; ++i) {
    switch (random() % 4) {
      case 0:
        seed[place()] = static_cast<char>(random());
        break;
      case 1:
        seed[place()] ^= static_cast<char>(1 << random() % 8);
        break;
      case 2:
        seed.erase(place(), 1 + random() % 8);
        break;
      default:
        seed.insert(place(), seed.substr(place(), 1 + random() % 16));
    }
  }
  return seed;
}

void write(const std::vector<std::string>& seeds, const fs::path& directory) {
  fs::create_directories(directory);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream(directory / std::to_string(i), std::ios::binary) << seeds[i];
  }
}

template <typename Read>
void run(const std::vector<std::string>& seeds, unsigned mutations, std::size_t first, Read read) {
  for (const std::string& seed : seeds) {
    read(seed);
    for (unsigned i = 0; i < mutations; ++i) read(mutated(seed, i, first));
  }
}

}  // namespace
}  // namespace waitdiag::fuzz

int main(int argc, char** argv) {
  using namespace waitdiag::fuzz;
  namespace fs = std::filesystem;
  if (argc < 2) {
    std::fputs("usage: fuzz_seeds CASES [--write DIR | --more N]\n", stderr);
    return 2;
  }
  const std::vector<std::string> texts = text_seeds(argv[1]);
  const ArchiveTarget archive;
  if (argc == 4 && std::string_view(argv[2]) == "--write") {
    write(texts, fs::path(argv[3]) / "text");
    write(archive.seeds(), fs::path(argv[3]) / "archive");
    return 0;
  }
  const bool more = argc == 4 && std::string_view(argv[2]) == "--more";
  const auto mutations = more ? static_cast<unsigned>(std::stoul(argv[3])) : 0;
  run(texts, more ? mutations : 8, 0, [](const std::string& input) { read_as_text(input); });
  run(archive.seeds(), more ? mutations : 30, 1, [&](const std::string& input) { archive.read(input); });
  std::printf("%zu texts, %zu files of archives\n", texts.size(), archive.seeds().size());
}
