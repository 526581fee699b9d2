// Partitions of OpenSM against those of a plan in which each job has its own.
#pragma once

#include <vector>

#include "study/devices/device_config.h"
#include "study/devices/lint.h"

namespace weft::study::devices {

/// Whether the plan keeps jobs apart, so that lint_partitions() can say what a difference exposes.
[[nodiscard]] bool has_job_partitions(const DeviceConfig& right);

/// Partitions that lack, that the plan does not have, and their members. Where no GUID of the file is one of the
/// plan's, they are those of real hosts: numbers of members are compared, and that no host is in two partitions.
void lint_partitions(const DeviceConfig& device, const DeviceConfig& right, std::vector<Finding>& findings);

}  // namespace weft::study::devices
