// What a scenario says of scale-up domains: GPUs joined by links of loads and stores, and pools of memory beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"
#include "wire/memory_format.h"

namespace weft::study::scenario {

enum class ScaleUpKind : std::uint8_t { kNone, kSwitch, kMesh };

/// [scale_up]
struct ScaleUpSettings {
  std::string entry;                      // of the catalogue
  ScaleUpKind kind = ScaleUpKind::kNone;  // kNone: nothing below counts
  std::optional<std::int64_t> domain;     // GPUs; none: those of a host
  std::int64_t largest_domain = 2;        // that the protocol can address, or its switch has ports for
  Rate rate;                              // of all links of a GPU, each direction
  Duration propagation;
  Duration switch_latency;
  Duration issue_latency;       // from a program's request to the first bit
  Duration completion_latency;  // from the last bit to the program's seeing it
  Bytes gpu_buffer;             // that a GPU's port receives into
  Bytes switch_buffer;          // the same of each port of the switch
  Bytes unit;                   // payload of a simulated packet
  Bytes packet_payload;         // of a packet of the protocol
  Bytes flit;
  Bytes data_header;
  Bytes request_header;
  Bytes answer;
  Probability link_efficiency;
  Bytes load_window;
  std::optional<Bytes> gpu_memory;  // of each GPU; only results need it
  bool reduction = false;           // switches have reducers
  Bytes reduction_size;             // of a request
  std::int64_t reduction_window = 1;
  Duration reduction_latency;
  std::int64_t pools = 0;  // of memory, in each domain
  Bytes pool_capacity;
  Rate pool_rate;
  Duration pool_latency;  // of its memory and controller, one way
};

/// How loads and stores become packets of the links.
[[nodiscard]] wire::MemoryFormat memory_format(const ScaleUpSettings& settings);

/// The most that a simulated packet takes on a link, and in a buffer.
[[nodiscard]] Bytes largest_packet(const ScaleUpSettings& settings);

}  // namespace weft::study::scenario
