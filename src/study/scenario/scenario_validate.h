// What single values cannot tell: whether the values of a resolved scenario go together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/scenario.h"
#include "study/scenario/scenario_resolve.h"

namespace weft::study::scenario {

/// Errors have the place of the value that is at fault, with what would be right.
[[nodiscard]] Result<void> validate(const Scenario& scenario);

/// Why the scenario's network cannot carry a traffic, and the key to change: "family", or one of another table with
/// its dots.
struct CarrierFault {
  std::string key;
  std::string reason;
  std::string remedy;
};
[[nodiscard]] std::optional<CarrierFault> carrier_fault(const Scenario& scenario, const TrafficSettings& traffic);

/// The part of it that needs no device parameters: whether family, routing and algorithms fit one another.
[[nodiscard]] Result<void> validate_protocols(const Scenario& scenario);

/// Of a torus and of a dragonfly with intermediate groups: sizes, the routing that belongs to them, and buffers that do
/// not wait for themselves.
[[nodiscard]] Result<void> validate_cycles(const Scenario& scenario);

/// Forwarding tables of a subnet manager: their file, links that fail, and service levels that its engine gives.
[[nodiscard]] Result<void> validate_manager(const Scenario& scenario);
/// The manager brings the subnet up before the run; where the family has no subnet manager it does not, whatever is
/// set.
[[nodiscard]] bool starts_cold(const Scenario& scenario);

/// Failures: times or rates, what their kind needs, and whether the run can have them.
[[nodiscard]] Result<void> validate_failures(const Scenario& scenario);

/// Attacks, and the keys that resist them.
[[nodiscard]] Result<void> validate_attacks(const Scenario& scenario);
/// Of each [[traffic]] of kind multicast.
[[nodiscard]] Result<void> validate_multicast(const Scenario& scenario);

/// Paths that senders choose, LIDs, and ports that stand in for one another.
[[nodiscard]] Result<void> validate_paths(const Scenario& scenario);

/// The same of distributed control.
[[nodiscard]] Result<void> validate_control(const Scenario& scenario);
/// Switches decide on routes themselves; where the family has no routed packets, they do not, whatever is set.
[[nodiscard]] bool has_control(const Scenario& scenario);

/// What [security] asks of a family that cannot have it.
[[nodiscard]] Result<void> validate_protection(const Scenario& scenario);
/// The rest of [security]: layers, what is without effect, and what does not go together.
[[nodiscard]] Result<void> validate_security_settings(const Scenario& scenario);

/// How near to the command line the value at `path` was given: of two, the larger one counts.
[[nodiscard]] int rank_of(const Scenario& scenario, const std::string& path);

/// Jobs: their GPUs, and the parallelism of those that train a model.
[[nodiscard]] Result<void> validate_jobs(const Scenario& scenario);

/// The path of the setting at fault, and what is wrong.
struct DeviceFault {
  std::string path;
  std::string message;
};
/// What no device can have; none: nothing.
[[nodiscard]] std::optional<DeviceFault> device_fault(const DeviceSettings& devices);
/// The settings of devices alone; `place` is that of the override that made them.
[[nodiscard]] Result<void> validate_devices(const DeviceSettings& devices, std::string_view place);

/// Poisson arrivals or closed loops (count = 0) without an end of their own or the scenario's, beside jobs that run
/// steps.
[[nodiscard]] bool lasts_as_long_as_jobs(const Scenario& scenario, const TrafficSettings& traffic);

/// A network without traffic can be shown, but running it says nothing. Error: neither [[traffic]] nor [[job]].
[[nodiscard]] Result<void> check_has_traffic(const Scenario& scenario);

/// Refuses keys that do nothing with the kind, action or algorithm that their table ends up with. A key from a weaker
/// layer than the one that chose the kind is passed over: a case may choose another kind than the file.
[[nodiscard]] Result<void> check_applies(std::span<const ResolveLayer> layers, Scenario& scenario);

/// The place of the value at `path`: "incast.toml:7:10", "--set switch.buffer"; of a value that nobody gave, that of
/// the first one of its table, or the beginning of the file.
[[nodiscard]] std::string source_place(const Scenario& scenario, const std::string& path);

}  // namespace weft::study::scenario
