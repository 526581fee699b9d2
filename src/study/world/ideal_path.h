// The path of a message through a network that is otherwise idle.
#pragma once

#include "base/data_size.h"
#include "base/ids.h"
#include "host/nic_options.h"
#include "verbs/memory_place.h"
#include "wire/encapsulation.h"

namespace weft::study::world {

/// Everything of a path that the form needs.
struct IdealPath {
  EndpointId source;
  EndpointId destination;
  wire::Encapsulation encapsulation = wire::Encapsulation::kRoceV2Ipv4;
  Bytes mtu;
  verbs::MemoryPlace place{};  // of the buffers, on both sides
  host::Service service = host::Service::kRdma;
};

}  // namespace weft::study::world
