#include "host/path/message_stages.h"

namespace weft::host {

StageTimes message_stages(const MessagePaths& paths, const MessageShape& shape, Duration latency) {
  StageTimes list = paths.sender.idle_stages(HostPathSide::kSend, shape);
  const StageTimes receiver = paths.receiver.idle_stages(HostPathSide::kReceive, shape);
  list.add({"wire and switches", latency - list.sum() - receiver.sum(), Confidence::kEmerges});
  list.add(receiver);
  return list;
}

}  // namespace weft::host
