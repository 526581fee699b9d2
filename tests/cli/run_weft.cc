#include "tests/cli/run_weft.h"
#include "base/test_paths.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
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
  const int status = std::system(fmt::format("{{ {} {}; }} >{} 2>{}", weft_binary(), arguments, out, err).c_str());
  Outcome outcome{
      .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = contents_of(out), .err = contents_of(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

Shown show_weft(const std::string& arguments, unsigned short columns, const std::string& environment) {
  const std::string command = fmt::format("TERM=xterm {} {} {}", environment, weft_binary(), arguments);
  winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  Shown shown;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof buffer)) > 0;) {  // ends with an error
    shown.text.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  shown.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  for (std::size_t at = 0; (at = shown.text.find("\r\n", at)) != std::string::npos;) {
    shown.text.erase(at, 1);
  }
  return shown;
}

}  // namespace weft::test
