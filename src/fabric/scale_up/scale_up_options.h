// The scale-up domains of a world: which ports each has, and what joins them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::fabric {

/// All ports on one switch (several switch chips that share a GPU's links evenly count as one), or a wire from each
/// port to each other.
enum class ScaleUpShape : std::uint8_t { kSwitch, kMesh };

/// A port of a GPU, of a pool of memory, or (with a rate of its own) of what the switch has inside.
struct ScaleUpPort {
  std::string name;      // stable, the endpoint's: "host0/gpu3"
  Rate rate;             // of each direction, all its links together; in a mesh: towards all peers together
  Duration propagation;  // > 0, one way: to the switch, or to any peer
  Bytes buffer;          // of what arrives; in a mesh: from each peer
};

struct ScaleUpDomain {
  std::string name;  // stable
  ScaleUpShape shape = ScaleUpShape::kSwitch;
  Duration switch_latency;        // first bit in to first bit out
  Bytes switch_buffer;            // of each input port
  std::uint32_t first_bytes = 0;  // a unit goes on when so many of its bytes have come; 0: when all have
  std::vector<ScaleUpPort> ports;
};

struct ScaleUpOptions {
  EndpointId first{0};               // of the first port of the first domain; the others follow
  std::uint32_t largest_packet = 0;  // wire bytes
  std::vector<ScaleUpDomain> domains;
};

}  // namespace weft::fabric
