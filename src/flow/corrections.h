// What the flow level is told of packets: how much stands in queues, and how a stream's window grows.
//
// Max-min sharing begins at once; a queue is first in, first out. Between both stands what a flow has sent and its
// bottleneck has not yet passed on: a message that comes to such a link is behind it, and takes part in the sharing
// only when it has drained. A new stream waits for acknowledgements while its window is less than a round trip takes.
// `weft calibrate flow` fits the values by small runs with packets (study/run/flow_calibration.h).
#pragma once

#include <cstdint>
#include <limits>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::flow {

struct Corrections {
  /// Of one flow in the queue of its bottleneck, at most; 0: queues are empty.
  Bytes flow_backlog{};
  /// Of all flows in the queue of one link, at most.
  Bytes link_backlog{std::numeric_limits<std::int64_t>::max()};
  /// Of the time that those queues take: what an acknowledgement waits that comes to one, from 0, if it passes them,
  /// to 1.
  double answer_wait = 0;
  /// Of a new stream, on the wire; 0: windows are open.
  Bytes start_window{};
  /// By which a window is multiplied in a round trip, above 1.
  double window_growth = 2;

  friend bool operator==(const Corrections&, const Corrections&) = default;
};

[[nodiscard]] constexpr Duration duration_of(double seconds) {
  constexpr double kPicosecond = 1e-12;
  return Duration::picoseconds(static_cast<std::int64_t>(seconds / kPicosecond));
}

/// How a connection's window stands to its path.
struct WindowStart {
  double window = 0;  // bits that may be under way now
  double growth = 2;  // in a round trip
  double rate = 0;    // bits per second of its path
  Duration round_trip{};
};

/// How long a message of so many bits waits for acknowledgements, all round trips together: in each round a window is
/// sent, and the rest of the round trip is idle until the window covers it.
[[nodiscard]] Duration window_wait(const WindowStart& start, double bits);

}  // namespace weft::flow
