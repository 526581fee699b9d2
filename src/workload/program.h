// The interface between a program and its runner: a simulated host, or an event loop on sockets.
//
// There is one program object per rank. Its runner calls `start` once, at the beginning of the run, and from then on
// `on_event` whenever one of the completion queues that the rank uses (RankPorts, Messenger::ports) has raised its
// event, or the rank's machine has an event. Before each call it tells the rank's providers the present instant.
// A call takes everything that is there and returns; a call for nothing does nothing. Nothing waits.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace weft::workload {

class Program {
 public:
  virtual ~Program() = default;

  /// Errors, here and below: what the providers or the machine refused; the run cannot go on.
  [[nodiscard]] virtual Result<void> start() = 0;
  [[nodiscard]] virtual Result<void> on_event() = 0;
  /// The rank posts nothing more of its own accord and waits for nothing of its own. It still has to be called: peers
  /// may send to it, and it gives their messages receive requests.
  [[nodiscard]] virtual bool done() const = 0;
  /// Once done: when that came about, if it was earlier than it could be known.
  [[nodiscard]] virtual std::optional<Time> done_since() const { return std::nullopt; }
};

}  // namespace weft::workload
