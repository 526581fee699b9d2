// Random messages over a pair of stream queue pairs, both ways at once, and the check that every message arrived
// exactly once, intact and in order. Each message has slots of its own in the memory of both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/stream_pair.h"

namespace weft::testing {

struct StreamTrafficOptions {
  std::uint64_t seed = 1;
  int messages = 16;           // per side, at most kSlots
  bool late_receives = false;  // some receive requests are posted after their messages
};

class StreamTraffic {
 public:
  static constexpr int kSlots = 24;
  static constexpr std::uint32_t kSlotBytes = 9000;
  static constexpr std::uint32_t kAreaBytes = kSlots * kSlotBytes;
  // Areas: what a side sends, what is written to it, what it reads back, what it receives.
  static constexpr std::uint32_t kSource = 0;
  static constexpr std::uint32_t kWritten = kAreaBytes;
  static constexpr std::uint32_t kReadBack = 2 * kAreaBytes;
  static constexpr std::uint32_t kReceived = 3 * kAreaBytes;
  static constexpr std::uint32_t kMemoryBytes = 4 * kAreaBytes;

  StreamTraffic(StreamPair& pair, StreamKind kind, const StreamTrafficOptions& options);
  /// Posts everything and lets the network come to rest; false if it does not.
  [[nodiscard]] bool run();
  /// What is wrong; empty if nothing is.
  [[nodiscard]] std::string verify();
  /// The completions, one line each, of both sides. After `verify`.
  [[nodiscard]] const std::vector<std::string>& completions() const { return completion_log_; }

 private:
  struct Message {
    verbs::WrOpcode opcode = verbs::WrOpcode::kSend;
    int slot = 0;
    std::uint32_t length = 0;
    bool signaled = true;
    bool fenced = false;
    bool inlined = false;
    bool split = false;  // two scatter-gather elements
    bool solicited = false;

    [[nodiscard]] bool is_send() const {
      return opcode == verbs::WrOpcode::kSend || opcode == verbs::WrOpcode::kSendWithImm;
    }
    [[nodiscard]] bool has_immediate() const {
      return opcode == verbs::WrOpcode::kSendWithImm || opcode == verbs::WrOpcode::kRdmaWriteWithImm;
    }
    [[nodiscard]] bool is_write() const {
      return opcode == verbs::WrOpcode::kRdmaWrite || opcode == verbs::WrOpcode::kRdmaWriteWithImm;
    }
    [[nodiscard]] bool needs_receive() const { return is_send() || has_immediate(); }
  };
  [[nodiscard]] Message draw(StreamKind kind, int slot);
  void post(int side, const Message& message);
  void post_receives(int side, int upto);
  [[nodiscard]] std::string verify_data(int side);
  [[nodiscard]] std::string verify_completions(int side);
  [[nodiscard]] std::string verify_receives(int side);
  [[nodiscard]] bool same(int side, std::uint32_t at, std::uint32_t peer_at, std::uint32_t length);
  void note(int side, const verbs::WorkCompletion& completion);

  StreamPair& pair_;
  StreamTrafficOptions options_;
  bool checks_bytes_;
  RandomStream random_;
  std::vector<Message> messages_[2];
  std::vector<std::string> completion_log_;
  int receives_posted_[2] = {0, 0};
  int receives_needed_[2] = {0, 0};
};

}  // namespace weft::testing
