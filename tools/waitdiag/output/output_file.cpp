// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/output/output_file.hpp"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {

bool takes_stdout(const std::vector<OutputFile>& files) {
  const OutputFile* taker = nullptr;
  for (const OutputFile& output : files) {
    if (output.file != "-") continue;
    if (taker != nullptr)
      throw UsageError(std::string(taker->option) + " and " + output.option +
                       " cannot both be written to stdout: name a file for one");
    taker = &output;
  }
  return taker != nullptr;
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") return write(std::cout);
  write_file(path, write, ", or write - for standard output");
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write,
                const std::string& advice) {
  std::ofstream file(path, std::ios::binary);
  write(file);
  if (!file.flush())
    throw std::runtime_error("cannot write " + path +
                             ": check that its directory exists, is writable and has space left" + advice);
}

}  // namespace waitdiag::tool
