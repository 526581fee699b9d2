// The simulated host of one rank: its rails, its clock, compute, copies and timers; and the runner of its program.
//
// A GPU does one request after another; the CPU does any number at once. A copy takes the host's shared resources where
// there are any, else its time at the machine's copy rate. The program is called at its start and whenever an event or
// a completion can be seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/rate.h"
#include "host/path/host_resources.h"
#include "host/sim_provider.h"
#include "verbs/machine.h"
#include "verbs/machine_work.h"

namespace weft::host {

struct MachineOptions {
  std::uint32_t gpus = 0;
  std::int64_t flops_per_second = 0;  // of a GPU; 0: unknown, and operations are refused
  Rate copy_rate = Rate::max();
  /// What the programs and NICs of this host share; null: nothing. Must outlive the machine.
  HostResources* host = nullptr;
  CoreId core{0};                    // that runs the program
  Service service = Service::kRdma;  // of the rails' reliable queue pairs
};

class SimMachine final : public verbs::Machine, public CompletionListener {
 public:
  SimMachine(sim::Kernel& kernel, std::uint32_t index, const MachineOptions& options);

  /// In the order of the scenario. The NIC must outlive this.
  void add_rail(Nic& nic, Rate rate);
  /// Behind all others: a GPU's port in its scale-up domain, whose queue pairs are loads and stores.
  void add_scale_up_rail(Nic& nic, Rate rate);
  /// What reduces on a rail; must outlive this.
  void set_groups(std::size_t rail, verbs::GroupProvider& groups) { rails_[rail].groups = &groups; }
  [[nodiscard]] SimProvider& provider(std::size_t rail) { return *providers_[rail]; }
  void register_actors(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition = 0) {
    ranks.add({name_hash, kProgram}, wake_, partition);
  }
  /// Called at start and whenever an event or a completion is visible.
  void set_program(std::function<Result<void>()> call) { program_ = std::move(call); }

  void on_completions(Time at) override;
  /// Actor kProgram. Errors are the program's, and end the run; it is not called again.
  [[nodiscard]] Result<void> on_wake(Time now);

  [[nodiscard]] Time now() const override { return kernel_.now(); }
  [[nodiscard]] Result<void> compute(const verbs::ComputeRequest& request) override;
  [[nodiscard]] Result<void> copy(const verbs::CopyRequest& request) override;
  void set_timer(const verbs::TimerRequest& request) override;
  std::size_t poll_events(std::span<verbs::MachineEvent> out) override;
  [[nodiscard]] std::span<const verbs::Rail> rails() const override { return rails_; }

 private:
  void finish_at(const verbs::MachineEvent& event);
  [[nodiscard]] Time copied(const verbs::CopyRequest& request);

  sim::Kernel& kernel_;
  std::uint32_t index_;
  MachineOptions options_;
  std::vector<std::unique_ptr<SimProvider>> providers_;
  std::vector<verbs::Rail> rails_;
  std::function<Result<void>()> program_;
  verbs::MachineWork work_;
  sim::Wake wake_;
  bool failed_ = false;
};

}  // namespace weft::host
