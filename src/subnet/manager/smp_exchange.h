// Requests of a subnet manager on the wire: so many at once, each with a deadline and retries.
//
// Requests wait in the order in which they were posted. `most_on_wire` of them are under way; an answer, or the last
// deadline of one that is never answered, lets the next one go. Defaults are those of OpenSM 3.3.23 (max_wire_smps,
// transaction_timeout, transaction_retries). Sans I/O: time is an argument, MADs are polled and handed in.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/time.h"
#include "subnet/agent/mad_packet.h"
#include "subnet/agent/served_node.h"

namespace weft::subnet {

/// The ports by which a MAD leaves node after node, from the manager's own on.
struct DirectedRoute {
  std::array<std::uint8_t, wire::DirectedRouteSmp::kMaxHops> ports{};  // as InitialPath: [0] is not used
  std::uint8_t hops = 0;

  /// Whether one more hop fits.
  [[nodiscard]] bool can_grow() const { return hops + 1U < ports.size(); }
  [[nodiscard]] DirectedRoute through(PortNumber port) const;

  friend bool operator==(const DirectedRoute&, const DirectedRoute&) = default;
};

/// A request, and for whom it is asked.
struct Smp {
  std::uint8_t method = wire::kMethodGet;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  DirectedRoute route{};
  SmpData data{};
  NodeIndex node{};     // of the asker's own list: the node that is asked, or through which
  PortNumber port = 0;  // of that node
};

/// How often each attribute was asked for and set; retries are not counted again.
using SmpCounts = std::map<std::pair<std::uint16_t, std::uint8_t>, std::uint64_t>;  // attribute, method

class SmpExchange {
 public:
  struct Options {
    std::uint32_t most_on_wire = 4;
    Duration timeout = Duration::milliseconds(200);
    std::uint32_t retries = 3;
    std::uint64_t m_key = 0;
  };
  explicit SmpExchange(const Options& options) : options_(options) {}

  void post(const Smp& smp) { waiting_.push_back(smp); }
  /// The next MAD to send: one whose deadline has passed, or the first that waits.
  [[nodiscard]] std::optional<MadPacket> poll(Time now);

  struct Answered {
    Smp request;
    SmpData data{};
    std::uint16_t status = 0;
  };
  /// What the answer belongs to; none: nothing that is under way, such as an answer that comes after its deadline.
  [[nodiscard]] std::optional<Answered> on_answer(const MadPacket& packet);

  /// The earliest deadline of what is under way.
  [[nodiscard]] Time next_timeout() const;
  /// A request whose retries are used up; ask after `next_timeout` has passed.
  [[nodiscard]] std::optional<Smp> poll_failed(Time now);

  [[nodiscard]] bool is_idle() const { return waiting_.empty() && on_wire_.empty(); }
  /// Forgets all requests; their answers mean nothing any more.
  void clear();

  [[nodiscard]] const SmpCounts& sent() const { return sent_; }
  [[nodiscard]] std::uint64_t retried() const { return retried_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::size_t peak_on_wire() const { return peak_; }
  [[nodiscard]] std::size_t peak_waiting() const { return peak_waiting_; }

 private:
  struct Pending {
    Smp smp;
    Time deadline;
    std::uint32_t retries = 0;
  };
  [[nodiscard]] MadPacket packet(std::uint64_t transaction, const Smp& smp) const;

  Options options_;
  std::deque<Smp> waiting_;
  std::map<std::uint64_t, Pending> on_wire_;  // by transaction
  std::uint64_t last_transaction_ = 0;
  SmpCounts sent_;
  std::uint64_t retried_ = 0;
  std::uint64_t failed_ = 0;
  std::size_t peak_ = 0;
  std::size_t peak_waiting_ = 0;
};

}  // namespace weft::subnet
