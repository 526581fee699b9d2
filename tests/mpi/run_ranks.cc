#include "tests/mpi/run_ranks.h"
#include "base/test_paths.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace weft::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{10};
constexpr int kMostPauses = 12'000;

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Processes as /proc has them, in no particular order.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code ignored;
  for (fs::directory_iterator at("/proc", ignored); at != fs::directory_iterator(); at.increment(ignored)) {
    const bool is_process = std::atoi(at->path().filename().c_str()) > 0;
    const std::string stat = is_process ? contents_of(at->path() / "stat") : std::string();
    const std::size_t name_end = stat.rfind(')');  // "12 (weft) S 11 ..."
    if (name_end != std::string::npos && std::atoi(stat.c_str() + name_end + 4) == parent) {
      children.push_back(std::atoi(stat.c_str()));
    }
  }
  return children;
}

bool is_rank(pid_t process, int rank) {
  const std::string environment = '\0' + contents_of(fmt::format("/proc/{}/environ", process));
  return environment.find(fmt::format("{}OMPI_COMM_WORLD_RANK={}{}", '\0', rank, '\0')) != std::string::npos;
}

}  // namespace

TestFolder::TestFolder() {
  std::string name = (fs::temp_directory_path() / "weft_mpi_XXXXXX").string();
  folder_ = ::mkdtemp(name.data()) != nullptr ? name : std::string();
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string TestFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name) << text;
  return *this / name;
}

std::string TestFolder::read(const std::string& name) const { return contents_of(folder_ / name); }

Ranks::Ranks(const Start& start) {
  std::string programs = fmt::format("{} {}", weft_binary(), start.arguments);
  for (std::size_t at = 0; (at = programs.find(" weft ", at)) != std::string::npos;) {  // of further programs
    programs.replace(at + 1, 4, weft_binary());
  }
  // Root may be all that there is in a container.
  const std::string command = fmt::format(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 WEFT_CACHE= {} exec {} --oversubscribe {} {} >{} 2>{}",
      start.environment, mpirun_binary(), start.options, programs, folder_ / "out", folder_ / "err");
  mpirun_ = ::fork();
  if (mpirun_ == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
}

Ranks::~Ranks() {
  if (mpirun_ > 0) {
    (void)wait();
  }
}

std::optional<pid_t> Ranks::find(int rank, Which which) const {
  for (int i = 0; i < kMostPauses; ++i) {
    for (const pid_t process : children_of(mpirun_)) {
      if (!is_rank(process, rank)) {
        continue;
      }
      if (which == Which::kRank) {
        return process;
      }
      if (const std::vector<pid_t> tasks = children_of(process); !tasks.empty()) {
        return tasks.front();
      }
    }
    std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

void Ranks::signal(int number) const { ::kill(mpirun_, number); }

RanksOutcome Ranks::wait() {
  int status = 0;
  for (int i = 0; ::waitpid(mpirun_, &status, WNOHANG) == 0; ++i) {
    if (i == kMostPauses) {
      ::kill(mpirun_, SIGTERM);
    } else if (i > kMostPauses + 1'000) {
      ::kill(mpirun_, SIGKILL);
    }
    std::this_thread::sleep_for(kPause);
  }
  mpirun_ = -1;
  return {.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = contents_of(folder_ / "out"),
          .err = contents_of(folder_ / "err")};
}

RanksOutcome run_ranks(const Ranks::Start& start) { return Ranks(start).wait(); }

}  // namespace weft::test
