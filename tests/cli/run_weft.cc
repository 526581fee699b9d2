#include "tests/cli/run_weft.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace weft::test {
namespace {

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Nothing of the user's is read or written: a test that is about the cache names a folder of its own.
[[maybe_unused]] const int kNoCache = setenv("WEFT_CACHE", "", 1);

}  // namespace

Outcome run_weft(const std::string& arguments) {
  // ctest runs cases in parallel, one process each.
  const std::filesystem::path base = std::filesystem::path(testing::TempDir()) / fmt::format("weft_cli_{}", getpid());
  const std::string out = base.string() + ".out";
  const std::string err = base.string() + ".err";
  const int status = std::system(fmt::format("{{ {} {}; }} >{} 2>{}", WEFT_BINARY, arguments, out, err).c_str());
  Outcome outcome{
      .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = contents_of(out), .err = contents_of(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

}  // namespace weft::test
