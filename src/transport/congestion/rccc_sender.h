// RCCC, sender's half: what one flow may send on credit from its receiver.
//
// A flow begins with speculative credit of a window, so that it need not wait for a round trip; with the first sign of
// its receiver (acknowledgement, NACK or credit) what is left of it is void. From then on it sends while it has any
// credit, and tells in each packet how far it would like to be granted credit: its target. After a timeout it may ask
// with a packet of its own (request to send), at most once per round trip. With NSCC both limits hold at once, and the
// target is no further than NSCC's window. Source: ultraethernet/uet-htsim (uec.cpp), facts only. What differs: totals
// are those of the wire, modulo 2^24.
#pragma once

#include "base/time.h"
#include "transport/congestion/rccc_credit.h"

namespace weft::transport {

class CreditSender {
 public:
  /// All > 0.
  struct Parameters {
    Bytes packet;         // of a full packet, as credit counts it
    Bytes window;         // speculative credit, and the most credit that may be held; 1.5 bandwidth-delay products
    Duration round_trip;  // of the network
  };
  /// `parameters` is shared by flows and must outlive them.
  explicit CreditSender(const Parameters& parameters);
  explicit CreditSender(Parameters&&) = delete;

  /// There is credit left. A packet may be larger than what is left: the rest is owed.
  [[nodiscard]] bool may_send() const { return credit_ > Bytes::zero(); }
  [[nodiscard]] bool is_speculating() const { return speculating_; }
  [[nodiscard]] Bytes credit() const { return credit_; }
  /// The most that may be held.
  [[nodiscard]] Bytes window() const { return parameters_->window; }

  /// A packet of `size` leaves, which `may_send` has allowed.
  void on_sent(Bytes size);
  /// An acknowledgement or a NACK of this flow has come.
  void on_feedback();
  /// A credit packet with the total granted so far; old ones change nothing.
  void on_credit(CreditTotal granted);

  /// What a target follows from.
  struct Demand {
    Bytes backlog;                       // not sent yet, or to be sent again, beyond the packet that carries the target
    Bytes sender_window = Bytes::max();  // of NSCC, if that is in use
    std::uint32_t active_flows = 1;      // of this NIC, that want to send; at least 1
  };
  [[nodiscard]] CreditTotal target(const Demand& demand) const;

  /// Begins anew: the receiver knows nothing of this flow yet.
  void restart() { *this = CreditSender(*parameters_); }

  /// After a timeout: whether a request to send is due. If so, it is taken to leave now.
  [[nodiscard]] bool request_to_send(Time now);

 private:
  const Parameters* parameters_;
  Bytes credit_;
  Time last_request_;
  CreditTotal granted_;
  bool speculating_ = true;
  bool requested_ = false;  // ever
};

}  // namespace weft::transport
