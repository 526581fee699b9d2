// Values that follow from others once all layers are applied: where the file leaves them open.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// Fills in the scenario's name, rates and propagation of links, the congestion profile, names of traffic, paths of
/// files, and with equal hardware the entries in use. Each gets a source of origin kDerived.
void derive(Scenario& scenario);

/// The part of it that [security] needs, once rates of links are known: the settings of TSS, and, of in-band
/// management, a [[traffic]] behind all others.
void derive_security(Scenario& scenario);

/// The part of it that jobs need: degrees of parallelism and batches that follow from one another.
void derive_jobs(Scenario& scenario);
/// Sequences of a step where the scenario does not say: four micro-batches for each stage of each copy.
[[nodiscard]] std::int64_t derived_global_batch(const TrainingSettings& training);

/// The same for an override: a length without a propagation means the propagation of that length, and ports that are
/// slower than a rate that was derived slow the link down. `paths` are those the override gives, `settings` what it
/// makes of the scenario's; both are added to.
void derive(DeviceOverride& override, DeviceSettings& settings, const std::set<std::string>& paths,
            const Scenario& scenario);

/// Whether the rate of a tier's links is that of the slower of their ports, as nothing gives it.
[[nodiscard]] bool rate_follows_ports(const Scenario& scenario, LinkTier tier);

/// The entry that sets the parameters of the scenario's algorithm: the one it names, or the algorithm's usual one. What
/// a family or tuning names is for DCQCN.
[[nodiscard]] std::string profile_of(const Scenario& scenario);

}  // namespace weft::study::scenario
