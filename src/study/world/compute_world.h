// Machines with clocks and GPUs and no network between them: where a program runs whose communication has costs.
//
// The same kernel and the same machines as in a World; ties are broken by f(seed, name) in the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/sim_machine.h"
#include "sim/kernel.h"

namespace weft::study::world {

class ComputeWorld {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::vector<std::string> names{};  // stable, one per machine
    host::MachineOptions machine{};    // of each
  };
  explicit ComputeWorld(const Options& options);
  ComputeWorld(const ComputeWorld&) = delete;
  ComputeWorld& operator=(const ComputeWorld&) = delete;

  [[nodiscard]] host::SimMachine& machine(std::size_t index) { return *machines_[index]; }
  [[nodiscard]] std::size_t machines() const { return machines_.size(); }
  [[nodiscard]] Time now() const { return kernel_.now(); }
  [[nodiscard]] std::uint64_t events() const { return kernel_.events(); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// Calls every machine's program for the first time, at time zero.
  void start();

  enum class Stop : std::uint8_t { kIdle, kBudget, kError };
  /// Runs until nothing is left to happen, `budget` events were taken, or a program failed (error()).
  Stop run(std::uint64_t budget);

 private:
  sim::Kernel kernel_;
  std::vector<std::unique_ptr<host::SimMachine>> machines_;
  std::optional<Error> error_;
};

}  // namespace weft::study::world
