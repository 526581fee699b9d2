// Random traffic over a pair of reliable queue pairs, of whichever engine, both ways at once, and the check that every
// message arrived exactly once, intact and in order.
//
// Each message has slots of its own in the memory of both sides, so that a byte written twice, late or elsewhere
// shows. Atomics add to one counter per direction: what they return must be the running sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/property/traffic_ends.h"

namespace weft::testing {

struct TrafficOptions {
  std::uint64_t seed = 1;
  int messages = 16;           // per side, at most kSlots
  bool late_receives = false;  // some receive requests are posted after their SENDs
};

class RcTraffic {
 public:
  static constexpr int kSlots = 24;
  static constexpr std::uint32_t kSlotBytes = 4096;
  static constexpr std::uint32_t kAreaBytes = kSlots * kSlotBytes;
  // Areas: what a side sends, what is written to it, what it reads back, what it receives, and its counter.
  static constexpr std::uint32_t kSource = 0;
  static constexpr std::uint32_t kWritten = kAreaBytes;
  static constexpr std::uint32_t kReadBack = 2 * kAreaBytes;
  static constexpr std::uint32_t kReceived = 3 * kAreaBytes;
  static constexpr std::uint32_t kCounter = 4 * kAreaBytes;
  static constexpr std::uint32_t kMemoryBytes = kCounter + 64;

  RcTraffic(TrafficEnds& pair, const TrafficOptions& options);
  /// Posts everything and lets the network come to rest; false if it does not.
  [[nodiscard]] bool run();
  /// What is wrong; empty if nothing is.
  [[nodiscard]] std::string verify();

 private:
  struct Message {
    verbs::WrOpcode opcode = verbs::WrOpcode::kSend;
    int slot = 0;
    std::uint32_t length = 0;
    std::uint32_t addend = 0;
    bool signaled = true;
    bool fenced = false;
    bool inlined = false;
    bool split = false;  // two scatter-gather elements
  };
  [[nodiscard]] Message draw(int slot);
  void post(int side, const Message& message);
  void post_receives(int side, int upto);
  [[nodiscard]] std::string verify_data(int side);
  [[nodiscard]] std::string verify_completions(int side);
  [[nodiscard]] std::string verify_receives(int side);
  [[nodiscard]] bool same(int side, std::uint32_t at, std::uint32_t peer_at, std::uint32_t length);

  TrafficEnds& pair_;
  TrafficOptions options_;
  RandomStream random_;
  std::vector<Message> messages_[2];
  int receives_posted_[2] = {0, 0};
  int receives_needed_[2] = {0, 0};
};

}  // namespace weft::testing
