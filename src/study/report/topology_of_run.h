// The map of a run: its nodes and links with their load at the sample instants, and its fullest queues.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/results/results.h"

namespace weft::study::report {

/// Adds "topology", "queues" and "pauses" to a fabric of a comparison. Load and queues are absent in a run without
/// samples; a port to which nothing happened had load 0 and the queue it had before. The tier of a node is its distance
/// from the nearest host.
void add_topology(nlohmann::ordered_json& fabric, const results::RunResults& results);

}  // namespace weft::study::report
