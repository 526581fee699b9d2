#include "study/scenario/scenario_collectives.h"

namespace weft::study::scenario {

workload::CollectiveOptions collective_options(const CollectiveSettings& settings) {
  return {.algorithm = settings.algorithm,
          .channels = static_cast<std::uint32_t>(settings.channels),
          .chunk = settings.chunk,
          .buffer = settings.buffer,
          .queue_pairs = static_cast<std::uint32_t>(settings.queue_pairs),
          .queue_pair_use = settings.queue_pair_use,
          .in_flight = static_cast<std::uint32_t>(settings.in_flight),
          .clear_to_send = settings.clear_to_send
                               ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(*settings.clear_to_send))
                               : std::nullopt,
          .connections = static_cast<std::uint32_t>(settings.connections),
          .element = verbs::size_of(settings.data_type),
          .reduce_rate = settings.reduce_rate,
          .domain_reduction = settings.domain_reduction,
          .data_type = settings.data_type,
          .costs = {.launch = settings.launch,
                    .scale_out = {.message = settings.scale_out_message, .lane_rate = settings.scale_out_lane_rate},
                    .scale_up = {.message = settings.scale_up_message, .lane_rate = settings.scale_up_lane_rate},
                    .in_network = {.message = {}, .lane_rate = settings.in_network_rate},
                    .in_network_tree_rate = settings.in_network_tree_rate}};
}

}  // namespace weft::study::scenario
