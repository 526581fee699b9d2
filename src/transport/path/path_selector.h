// Path selection of one flow: which entropy value each packet carries, and so which path load balancing gives it.
//
// A null pointer in the engine means one path for ever: the source port of the address vector. A selector that learns
// says so (`wants_feedback`); the engine then tells it what became of each packet, by the entropy that the packet had.
// What else it follows, messages or the progress of acknowledgements, it says as well.
#pragma once

#include <cstdint>
#include <optional>

#include "base/psn.h"
#include "base/time.h"

namespace weft::transport {

/// Whether the packet that was acknowledged carried a congestion mark.
enum class PathMark : std::uint8_t { kNone, kMarked };

/// How the loss of a packet became known.
enum class PathLoss : std::uint8_t {
  kTrimmed,  // by a switch that had no room, anywhere but at the link to the receiver
  kTimeout,  // nobody has heard of it since
  kOther,    // a NAK, or later packets that arrived
};

/// What acknowledgements have come to.
struct PathProgress {
  Psn unacknowledged{};  // the first such packet
};

class PathSelector {
 public:
  virtual ~PathSelector() = default;
  /// The packet for which entropy_for() is asked next is of the message that begins with `first`. Called only if the
  /// selector follows messages.
  virtual void begin_message(Psn /*first*/) {}
  /// Entropy for the data packet `psn`, once for each time that it leaves.
  [[nodiscard]] virtual std::uint16_t entropy_for(Psn psn, Time now) = 0;
  /// A packet with this entropy has arrived. Called only if the selector wants feedback.
  virtual void on_ack(std::uint16_t /*entropy*/, PathMark /*mark*/, Time /*now*/) {}
  /// The path with this entropy lost a packet. A packet trimmed at the link to its receiver is no loss of its path, but
  /// an acknowledgement.
  virtual void on_loss(std::uint16_t entropy, PathLoss sign, Time now) = 0;
  /// After what it says of their packets, acknowledgements have moved on. Called only if the selector follows them.
  virtual void on_progress(const PathProgress& /*progress*/, Time /*now*/) {}
  /// The entropy of all packets until the network gives a reason for another; none: each packet or message has another.
  [[nodiscard]] virtual std::optional<std::uint16_t> lasting_entropy() const { return std::nullopt; }
  /// How many different entropies it may choose, at least 1.
  [[nodiscard]] virtual std::uint32_t paths() const = 0;

  /// Whether it learns, so that the engine has to remember the entropies of packets in flight.
  [[nodiscard]] bool wants_feedback() const { return wants_feedback_; }
  [[nodiscard]] bool follows_messages() const { return progress_ == Progress::kMessages; }
  [[nodiscard]] bool follows_progress() const { return progress_ == Progress::kAcknowledgements; }
  /// Times that what it was told of the network, or was not told, made it take another path than was due: each selector
  /// says which. Zero of those that learn nothing.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 protected:
  enum class Feedback : std::uint8_t { kIgnored, kWanted };
  /// What it is told of beside the fate of packets; acknowledgements only with feedback.
  enum class Progress : std::uint8_t { kIgnored, kMessages, kAcknowledgements };
  explicit PathSelector(Feedback feedback = Feedback::kIgnored, Progress progress = Progress::kIgnored)
      : wants_feedback_(feedback == Feedback::kWanted), progress_(progress) {}
  PathSelector(const PathSelector&) = default;
  PathSelector& operator=(const PathSelector&) = default;
  void count_change() { ++changes_; }

 private:
  std::uint64_t changes_ = 0;
  bool wants_feedback_;
  Progress progress_;
};

}  // namespace weft::transport
