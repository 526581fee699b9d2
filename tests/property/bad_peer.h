// One reliable queue pair under test whose peer is the test itself: packets made by hand go in, every answer is looked
// at, and memory can be compared with what it was.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "base/result.h"
#include "transport/rc_queue_pair.h"
#include "wire/opcode.h"

namespace weft::testing {

/// A packet made by hand. Payload bytes are 0x5A.
struct Forged {
  wire::Operation operation = wire::Operation::kSendOnly;
  Psn psn;
  std::uint32_t payload = 0;
  wire::RethFields reth{};
  wire::AethFields aeth{};
  wire::AtomicOperands operands{};
  std::uint32_t immediate = 0;
  std::uint8_t flags = 0;
  std::uint16_t partition_key = 0xFFFF;
  wire::Service service = wire::Service::kRc;
  bool length_alone = false;  // travels, without the bytes
};

/// What the queue pair sent.
struct Answer {
  wire::Operation operation = wire::Operation::kAcknowledge;
  Psn psn;
  std::uint8_t syndrome = 0;
  Psn msn;
  std::uint32_t payload = 0;
  std::uint8_t opcode = 0;
};

class Victim {
 public:
  static constexpr std::uint64_t kBase = 0x10000;
  static constexpr std::uint64_t kLength = 16'384;
  static constexpr std::uint32_t kMtu = 256;
  static constexpr std::byte kUntouched{0xA5};
  static constexpr std::byte kForgedByte{0x5A};

  struct Options {
    transport::RcOptions rc{};
    verbs::AccessMask qp_access = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic;
    std::uint8_t max_dest_rd_atomic = 2;
    std::uint16_t partition_key = 0xFFFF;
    std::uint32_t cq_capacity = 64;
    Psn rq_psn{100};
    Psn sq_psn{500};
    verbs::QpState state = verbs::QpState::kRts;  // how far it is brought
    bool shared_receive_queue = false;
  };

  Victim() : Victim(Options{}) {}
  explicit Victim(const Options& options);

  void deliver(const Forged& forged);
  /// All that the queue pair has to send now.
  [[nodiscard]] std::vector<Answer> answers();
  /// The same after one packet.
  [[nodiscard]] std::vector<Answer> answers_to(const Forged& forged);
  void post_recv(std::uint64_t wr_id, std::uint32_t length);
  /// Posts a signalled request on the first `length` bytes, and sends it. For READ and atomics the target is kBase.
  void post_send(verbs::WrOpcode opcode, std::uint32_t length);
  void modify(verbs::QpState state);
  void advance(Duration by) { now_ = now_ + by; }

  [[nodiscard]] wire::RethFields all(std::uint32_t length) const { return {kBase, key, length}; }
  [[nodiscard]] bool memory_untouched() const;
  /// Nothing outside [from, from + length) of the region has changed.
  [[nodiscard]] bool touched_only(std::uint64_t from, std::uint64_t length) const;
  [[nodiscard]] std::span<std::byte> memory();
  [[nodiscard]] std::vector<verbs::WorkCompletion> sent() { return drain(send_cq_); }
  [[nodiscard]] std::vector<verbs::WorkCompletion> received() { return drain(recv_cq_); }
  [[nodiscard]] std::vector<verbs::AsyncEventType> events();
  /// A region on the same bytes with rights of its own.
  [[nodiscard]] std::uint32_t region(verbs::AccessMask access);
  /// The same, and SEND with invalidate may close it.
  [[nodiscard]] std::uint32_t invalidatable_region();
  [[nodiscard]] std::uint32_t foreign_region();

  verbs::Context context;
  std::uint32_t key = 0;  // opens everything
  verbs::SrqHandle srq;
  std::unique_ptr<transport::RcQueuePair> qp;

 private:
  static constexpr std::size_t kGuard = 64;
  void connect(const Options& options);
  [[nodiscard]] std::vector<verbs::WorkCompletion> drain(verbs::CqHandle cq);

  std::vector<std::byte> storage_;
  verbs::PdHandle pd_;
  verbs::CqHandle send_cq_;
  verbs::CqHandle recv_cq_;
  Time now_;
};

}  // namespace weft::testing
