#include <array>

#include "study/key_ranges.h"
#include "study/key_table_parts.h"
#include "study/value_codec.h"

namespace weft::study::key_tables {
namespace {

constexpr KeyRange kLaneRate = between(Rate::bits_per_second(1'000'000), Rate::bits_per_second(1'000'000'000'000'000));
constexpr KeyRange kChunk = between(Bytes(8), Bytes(std::int64_t{1} << 30));

constexpr std::array kCollectives = {
    Key{.name = "profile",
        .binding = bind<&CollectiveSettings::profile>(),
        .fallback = "ideal",
        .about = "The communication library. `ideal`: software costs nothing.",
        .entry = "collectives"},
    Key{.name = "channels",
        .binding = bind<&CollectiveSettings::channels>(),
        .fallback = "0",
        .about = "Parallel rings, trees or exchanges, each with its part of the data; 0: as many as use every rail.",
        .range = {.low = 0, .high = workload::kMaxChannels}},
    Key{.name = "chunk",
        .binding = bind<&CollectiveSettings::chunk>(),
        .fallback = "512 KiB",
        .about = "The largest message; whole elements.",
        .range = kChunk},
    Key{.name = "buffer",
        .binding = bind<&CollectiveSettings::buffer>(),
        .fallback = "4 MiB",
        .about = "What a rank has room for of one peer's chunks in one channel; 2 to 4096 chunks.",
        .range = between(Bytes(16), Bytes(std::int64_t{1} << 32))},
    Key{.name = "queue_pairs",
        .binding = bind<&CollectiveSettings::queue_pairs>(),
        .fallback = "1",
        .about = "Of each connection.",
        .range = {.low = 1, .high = 128}},
    Key{.name = "queue_pair_use",
        .binding = bind<&CollectiveSettings::queue_pair_use>(),
        .fallback = "round-robin",
        .about = "Chunks take turns on the queue pairs, or each is split over all."},
    Key{.name = "in_flight",
        .binding = bind<&CollectiveSettings::in_flight>(),
        .fallback = "16",
        .about = "Chunks of one sequence that were posted and have not completed.",
        .range = {.low = 1, .high = 65'535}},
    Key{.name = "reduce_rate",
        .binding = bind<&CollectiveSettings::reduce_rate>(),
        .fallback = "unlimited",
        .about = "At which one channel adds up.",
        .range = kLaneRate,
        .empty_word = "unlimited"},
    Key{.name = "domain_reduction",
        .binding = bind<&CollectiveSettings::domain_reduction>(),
        .fallback = "direct",
        .about = "What `hierarchical` does inside a scale-up domain: exchange, or use its reducing switch."},
    Key{.name = "data_type",
        .binding = bind<&CollectiveSettings::data_type>(),
        .fallback = "float32",
        .about = "Of the elements that are added up."},
    Key{.name = "launch",
        .binding = bind<&CollectiveSettings::launch>(),
        .fallback = "0 ns",
        .about = "From the moment an operation may begin to its first message.",
        .range = kLatency},
    Key{.name = "scale_out_message",
        .binding = bind<&CollectiveSettings::scale_out_message>(),
        .fallback = "0 ns",
        .about = "What software adds to a message to another host; several pass at once.",
        .range = kLatency},
    Key{.name = "scale_out_lane_rate",
        .binding = bind<&CollectiveSettings::scale_out_lane_rate>(),
        .fallback = "unlimited",
        .about = "The most that one channel sends to other hosts.",
        .range = kLaneRate,
        .empty_word = "unlimited"},
    Key{.name = "scale_up_message",
        .binding = bind<&CollectiveSettings::scale_up_message>(),
        .fallback = "0 ns",
        .about = "What software adds to a message over scale-up links.",
        .range = kLatency},
    Key{.name = "scale_up_lane_rate",
        .binding = bind<&CollectiveSettings::scale_up_lane_rate>(),
        .fallback = "unlimited",
        .about = "The most that one channel sends over scale-up links.",
        .range = kLaneRate,
        .empty_word = "unlimited"},
    Key{.name = "in_network_rate",
        .binding = bind<&CollectiveSettings::in_network_rate>(),
        .fallback = "unlimited",
        .about = "The most that one channel hands to the network's reducers.",
        .range = kLaneRate,
        .empty_word = "unlimited"},
};

}  // namespace

std::span<const Key> collective_keys() { return kCollectives; }

}  // namespace weft::study::key_tables
