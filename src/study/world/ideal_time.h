// What a message would take on an empty network: the closed form that slowdown is measured against.
#pragma once

#include "base/time.h"
#include "study/world/ideal_path.h"
#include "study/world/idle_hops.h"
#include "study/world/world.h"
#include "workload/message_record.h"

namespace weft::study::world {

/// From post_send to the requester's completion: the host's stages, all packets at the slowest link's rate, each hop's
/// propagation and pipeline, and the acknowledgement's way back (for READ: the request's way there first). Of equally
/// short paths the first is taken, or packets are spread over all of them, as in a run. Over a stream the window is
/// taken for open, so slow start counts as slowdown.
[[nodiscard]] Duration ideal_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size);

/// Of one message between NICs like this; selectors that change the entropy value from packet to packet use all paths.
[[nodiscard]] PathsTaken paths_taken(const host::NicOptions& nic, host::Service service);

/// What a host moves of a message: over kernel TCP the header that frames it as well.
[[nodiscard]] Bytes host_bytes(const IdealPath& path, Bytes size);

/// One way through an empty network: from the start of the first bit to the arrival of the last, with the delay of the
/// receiving NIC's pipeline.
struct NetworkTime {
  Duration time;
  std::int64_t switches = 0;  // on the way
};
[[nodiscard]] NetworkTime one_way(const World& world, const IdealPath& path, workload::Operation operation, Bytes size);

}  // namespace weft::study::world
