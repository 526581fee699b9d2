// Matching of tagged messages: receives that wait for a message, and messages that wait for a receive.
//
// A receive takes a message whose tag equals its own in all bits that its mask does not ignore, and whose initiator it
// names, if it names one. Of several receives the one posted first, of several messages the one that came first.
// Source: Ultra Ethernet Specification 1.0, SES: expected and unexpected messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace weft::transport {

class MatchList {
 public:
  /// Both at least 1.
  struct Limits {
    std::uint32_t expected = 1'024;    // receives that wait
    std::uint32_t unexpected = 1'024;  // messages that wait
  };
  static constexpr std::uint32_t kAnyInitiator = 0xFFFFFFFF;
  struct Wanted {
    std::uint64_t tag = 0;
    std::uint64_t ignore = 0;  // bits of the tag that need not be equal
    std::uint32_t initiator = kAnyInitiator;
  };
  struct Envelope {
    std::uint64_t tag = 0;
    std::uint32_t initiator = 0;
  };
  [[nodiscard]] static constexpr bool matches(const Wanted& wanted, const Envelope& envelope) {
    return ((wanted.tag ^ envelope.tag) & ~wanted.ignore) == 0 &&
           (wanted.initiator == kAnyInitiator || wanted.initiator == envelope.initiator);
  }

  explicit MatchList(const Limits& limits) : limits_(limits) {}

  // Whoever adds has looked before whether there is a match: what waits on one side never matches what waits on the
  // other. Names are the owner's.

  /// False: there is no room.
  [[nodiscard]] bool add_expected(std::uint64_t name, const Wanted& wanted);
  [[nodiscard]] bool add_unexpected(std::uint64_t name, const Envelope& envelope);
  /// Takes the receive that a message is for.
  [[nodiscard]] std::optional<std::uint64_t> take_expected(const Envelope& envelope);
  /// Takes the message that a receive is for.
  [[nodiscard]] std::optional<std::uint64_t> take_unexpected(const Wanted& wanted);
  /// The same message, which stays.
  [[nodiscard]] std::optional<std::uint64_t> peek_unexpected(const Wanted& wanted) const;
  /// False: it does not wait any longer.
  bool remove_expected(std::uint64_t name);
  bool remove_unexpected(std::uint64_t name);
  /// The receive that has waited longest, taken; nothing if none waits.
  [[nodiscard]] std::optional<std::uint64_t> take_any_expected();

  [[nodiscard]] std::size_t expected() const { return expected_.size(); }
  [[nodiscard]] std::size_t unexpected() const { return unexpected_.size(); }
  [[nodiscard]] bool has_room_for_unexpected() const { return unexpected_.size() < limits_.unexpected; }

 private:
  struct Receive {
    std::uint64_t name;
    Wanted wanted;
  };
  struct Message {
    std::uint64_t name;
    Envelope envelope;
  };
  Limits limits_;
  std::deque<Receive> expected_;  // in the order in which they were added, both
  std::deque<Message> unexpected_;
};

}  // namespace weft::transport
