// Runs the built `weft` under mpirun as a user would, each rank on this machine.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace weft::test {

struct RanksOutcome {
  int exit_status = -1;  // of mpirun; 128 + the signal that ended it
  std::string out;
  std::string err;
};

/// An empty folder for one test, that is gone at the end.
class TestFolder {
 public:
  TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder();
  [[nodiscard]] std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file into it; its name.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

/// `mpirun <options> weft <arguments>` under way. It is killed if it takes longer than two minutes.
class Ranks {
 public:
  struct Start {
    std::string options = "-n 3";  // of mpirun
    std::string arguments;         // of weft, shell words; a ":" and what follows are further programs of mpirun
    std::string environment{};     // "WEFT_MPI_TIMEOUT=2"
  };
  explicit Ranks(const Start& start);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  /// The process of a rank, or one of its children; waits for it.
  enum class Which { kRank, kTask };
  [[nodiscard]] std::optional<pid_t> find(int rank, Which which) const;
  /// Of mpirun itself.
  void signal(int number) const;
  [[nodiscard]] RanksOutcome wait();

 private:
  TestFolder folder_;
  pid_t mpirun_ = -1;
};

[[nodiscard]] RanksOutcome run_ranks(const Ranks::Start& start);

}  // namespace weft::test
