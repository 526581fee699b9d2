// RCCC at an endpoint of Ultra Ethernet: one scheduler of credit for all contexts that send to it, and what its own
// contexts share as senders.
//
// A context is known here from its first request with a congestion context on, and until it is freed. Grants leave as
// control packets of their contexts. With a core that is oversubscribed, the part of the line that is granted follows
// marks and trims (transport/congestion/rccc_rate.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "transport/congestion/rccc_rate.h"
#include "transport/congestion/rccc_scheduler.h"
#include "transport/congestion/rccc_sender.h"
#include "transport/packet_io.h"

namespace weft::transport {

/// RCCC as an endpoint uses it; every endpoint of a network needs the same sender's half, and a receiver's half of its
/// own line.
struct UetCredits {
  CreditScheduler::Parameters receiver;
  CreditSender::Parameters sender;
  std::optional<CreditRate::Parameters> core{};  // none: the whole of the receiver's part of its line, always
  bool limits_senders = true;  // false: this endpoint sends without credit, and grants it all the same
};

class EndpointCredits {
 public:
  /// `seed` of the intervals at which the part of the line changes.
  EndpointCredits(const UetCredits& policy, std::uint64_t seed);

  /// For a new context, which must not outlive this; null: it needs no credit.
  [[nodiscard]] std::unique_ptr<CreditSender> make_sender() const {
    return policy_.limits_senders ? std::make_unique<CreditSender>(policy_.sender) : nullptr;
  }

  // Receiver's half.
  /// A packet of the context at this place: its target, and what became of it on its way.
  void on_packet(std::uint16_t place, const ReceivedPacket& received, Time now);
  struct Grant {
    std::uint16_t place = 0;
    CreditTotal total;
  };
  [[nodiscard]] Time next_grant() const { return scheduler_.next_transmit(); }
  [[nodiscard]] std::optional<Grant> poll(Time now);

  // Sender's half.
  /// Whether the context at this place could send a packet if the NIC took one.
  void note_ready(std::uint16_t place, bool ready);
  /// Contexts that could; never below 1, for whoever asks is one.
  [[nodiscard]] std::uint32_t ready_senders() const { return ready_ > 0 ? ready_ : 1; }

  /// The context at this place is no more.
  void forget(std::uint16_t place);
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Place {
    CreditScheduler::Handle handle = 0;
    bool receives = false;
    bool ready = false;
  };
  [[nodiscard]] Place& at(std::uint16_t place);
  [[nodiscard]] CreditScheduler::Handle handle_of(std::uint16_t place);
  void follow_core(const wire::Packet& packet, Time now);

  UetCredits policy_;
  CreditScheduler scheduler_;
  std::optional<CreditRate> rate_;  // from the first packet on
  std::uint64_t seed_;
  std::vector<Place> places_;
  std::vector<std::uint16_t> place_of_;  // by handle
  std::uint32_t ready_ = 0;
};

}  // namespace weft::transport
