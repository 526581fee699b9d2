// The machine of one rank at the flow level, and the runner of its program: compute, copies, timers, rails.
//
// Work takes what verbs/machine_work.h says. The program is called at its start and whenever an event or a completion
// can be seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "flow/flow_device.h"
#include "verbs/machine.h"
#include "verbs/machine_work.h"

namespace weft::flow {

class FlowMachine final : public verbs::Machine {
 public:
  /// In the order of the scenario.
  void add_rail(EndpointId endpoint, Rate rate, verbs::RailKind kind);
  void set_program(std::function<Result<void>()> call) { program_ = std::move(call); }
  /// Those whose programs belong together have a number of their own.
  void set_group(std::uint32_t group) { group_ = group; }

  [[nodiscard]] Time now() const override { return network_.now(); }
  [[nodiscard]] Result<void> compute(const verbs::ComputeRequest& request) override;
  [[nodiscard]] Result<void> copy(const verbs::CopyRequest& request) override;
  void set_timer(const verbs::TimerRequest& request) override;
  std::size_t poll_events(std::span<verbs::MachineEvent> out) override;
  [[nodiscard]] std::span<const verbs::Rail> rails() const override { return rails_; }

 private:
  friend class FlowNetwork;

  FlowMachine(FlowNetwork& network, std::uint64_t name_hash, std::uint32_t index,
              const verbs::MachineWork::Options& options)
      : network_(network), name_hash_(name_hash), index_(index), work_(options) {}
  void finish_at(const verbs::MachineEvent& event);
  void wake_at(Time at);
  void shift(Duration by);
  [[nodiscard]] Result<void> run();

  FlowNetwork& network_;
  std::uint64_t name_hash_;
  std::uint32_t index_;  // among the machines
  std::uint32_t group_ = 0;
  std::uint32_t rank_ = 0;  // in their order by name_hash_
  bool marked_ = false;
  Time wakes_at_ = Time::never();
  std::vector<std::unique_ptr<FlowDevice>> devices_;
  std::vector<verbs::Rail> rails_;
  std::function<Result<void>()> program_;
  verbs::MachineWork work_;
};

}  // namespace weft::flow
