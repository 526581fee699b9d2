// What a scenario says of collectives: how a communication library carries them out, and what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "verbs/group.h"
#include "workload/collective/collective_options.h"

namespace weft::study::scenario {

/// [collectives]
struct CollectiveSettings {
  std::string profile;  // of the catalogue
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;
  std::int64_t channels = 0;  // 0: as many as there are rails
  Bytes chunk;
  Bytes buffer;
  std::int64_t queue_pairs = 1;
  workload::QueuePairUse queue_pair_use = workload::QueuePairUse::kRoundRobin;
  std::int64_t in_flight = 16;
  std::optional<std::int64_t> clear_to_send;  // chunks per connection and direction; none: senders do not wait
  std::int64_t connections = 0;               // CollectiveOptions::connections; no key: `weft collective` sets it
  std::optional<Rate> reduce_rate;
  workload::DomainReduction domain_reduction = workload::DomainReduction::kDirect;
  verbs::DataType data_type = verbs::DataType::kFloat32;
  Duration launch;
  Duration scale_out_message;
  std::optional<Rate> scale_out_lane_rate;
  Duration scale_up_message;
  std::optional<Rate> scale_up_lane_rate;
  std::optional<Rate> in_network_rate;
  std::optional<Rate> in_network_tree_rate;
};

/// As the engine takes them.
[[nodiscard]] workload::CollectiveOptions collective_options(const CollectiveSettings& settings);

}  // namespace weft::study::scenario
