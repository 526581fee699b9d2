// RCCC, receiver's half, one per NIC: shares out the line to those that send to it, by credit packets.
//
// Credit leaves at 0.99 of the line (less where the core is oversubscribed: transport/congestion/rccc_rate.h). Each
// credit packet grants a sender up to four packets, never beyond its target; those that want more take turns. When
// nobody wants more, those that are satisfied get slow credit in turn, beyond their targets, up to a window each: it
// waits for what they send next. A credit packet with nothing to grant takes the time of 1,024 bytes.
//
// Pulled as an engine is: `next_transmit` tells when a credit packet may leave, `poll` takes it. Source:
// ultraethernet/uet-htsim (uec.cpp, the pull pacer), facts only. What differs: targets are modulo 2^24, and a sender
// that wants more while it waits for slow credit leaves that list at once.
#pragma once

#include <optional>
#include <vector>

#include "base/probability.h"
#include "base/rate.h"
#include "base/ring.h"
#include "base/time.h"
#include "transport/congestion/rccc_credit.h"

namespace weft::transport {

class CreditScheduler {
 public:
  struct Parameters {
    Rate line;      // of the NIC, > 0
    Bytes payload;  // of a full packet, > 0: a credit packet grants four of them, in whole quanta
    Bytes window;   // > 0: slow credit for one sender
    Probability part = Probability::from_ratio({.numerator = 99, .denominator = 100});  // of the line
  };
  explicit CreditScheduler(const Parameters& parameters);

  /// A sender that this NIC receives from; handles are small numbers and are used again after `remove`.
  using Handle = std::uint32_t;
  [[nodiscard]] Handle add();
  void remove(Handle sender);

  /// A packet of `sender` told how far it would like credit. Old ones, which packets overtook, change nothing.
  void on_target(Handle sender, CreditTotal target);
  /// A packet of `sender` arrived trimmed, or it requested to send: it gets a credit packet in its turn, even one that
  /// grants nothing, since the sender waits for a sign.
  void on_request(Handle sender);
  /// Part of the rate, for an oversubscribed core.
  void set_part_of_rate(Probability part);

  struct Grant {
    Handle sender = 0;
    CreditTotal total;  // granted to it so far, this included
    bool slow = false;
  };
  /// Past = ready, future = paced, never = nobody to grant to.
  [[nodiscard]] Time next_transmit() const;
  [[nodiscard]] std::optional<Grant> poll(Time now);

  [[nodiscard]] std::uint32_t active_senders() const { return active_count_; }
  [[nodiscard]] std::size_t heap_bytes() const {
    return senders_.capacity() * sizeof(Sender) + free_.capacity() * sizeof(Handle) + active_.heap_bytes() +
           idle_.heap_bytes();
  }

 private:
  struct Sender {
    CreditTotal granted{};
    CreditTotal target{};  // the highest told so far
    std::uint32_t generation = 0;
    bool used = false;
    bool active = false;  // in the list of those that want credit
    bool idle = false;    // in the list of those that may get slow credit
  };
  /// Entries of lists are not searched for: one whose sender has left, or the list, is skipped.
  struct Entry {
    Handle sender = 0;
    std::uint32_t generation = 0;
  };

  void activate(Handle sender);
  void satisfy(Handle sender);
  [[nodiscard]] std::optional<Handle> next_active();
  [[nodiscard]] std::optional<Handle> next_idle();
  void wait_for(std::int64_t quanta, Time now);

  Parameters parameters_;
  std::int64_t quanta_per_packet_;
  Probability part_;
  std::vector<Sender> senders_;
  std::vector<Handle> free_;
  Ring<Entry> active_;
  Ring<Entry> idle_;
  Time not_before_;
  std::uint32_t active_count_ = 0;
  std::uint32_t idle_count_ = 0;
};

}  // namespace weft::transport
