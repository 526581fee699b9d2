// The way of one message from program to program as a list of stages whose sum is what it took.
#pragma once

#include "host/path/host_path.h"

namespace weft::host {

/// The hosts at both ends.
struct MessagePaths {
  const HostPath& sender;
  const HostPath& receiver;
};

/// Of a message between idle hosts that took `latency`: the sender's stages, the receiver's, and between them as "wire
/// and switches" all that is left, whatever it was. The sum is the latency exactly. `shape.place` holds for both sides.
[[nodiscard]] StageTimes message_stages(const MessagePaths& paths, const MessageShape& shape, Duration latency);

}  // namespace weft::host
