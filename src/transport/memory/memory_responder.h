// Responder half of a memory queue pair: places what comes, serves loads, and says once per message what is executed.
//
// Units come in order. A message that finds no receive request waits in the receiver's memory, and all behind it, until
// one is posted. What may not be touched is refused, and nothing after it is executed. Behind a unit that is missing
// nothing is executed either: the requester's timeout tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ring.h"
#include "transport/memory/memory_types.h"
#include "transport/packet_io.h"
#include "transport/receive_requests.h"

namespace weft::transport {

class MemoryResponder {
 public:
  explicit MemoryResponder(const verbs::QpInitAttributes& init) : requests_(init) {}
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return requests_.post(request); }
  void on_request(const ReceivedPacket& received, const MemoryCall& call);
  /// A receive request has come: goes on with what waits for it.
  void on_receive_posted(const MemoryCall& call);
  [[nodiscard]] bool waits_for_receive() const { return !held_.empty(); }

  [[nodiscard]] bool response_pending() const { return response_pending_; }
  [[nodiscard]] bool data_wait() const { return !loads_.empty(); }
  /// The answer; only if one waits.
  void fill_response(wire::Packet& packet, const MemoryCall& call);
  /// The next unit of a load's data; only if one waits. False: its memory may no longer be read.
  [[nodiscard]] bool fill_load_data(const TransmitSlot& slot, const MemoryCall& call);

  /// A completion queue overflowed: the queue pair goes to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  void flush(const MemoryCall& call);
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  /// A unit that waits, with its bytes where bytes travel.
  struct Held {
    wire::MemoryHeader header{};
    std::uint32_t payload = 0;
    std::vector<std::byte> bytes{};
  };
  struct Unit {
    const wire::MemoryHeader& header;
    std::uint32_t payload = 0;
    std::span<const std::byte> bytes;
  };
  struct Load {
    std::uint64_t address = 0;
    std::uint32_t key = 0;
    std::uint32_t asked = 0;
    std::uint32_t message = 0;
    std::uint32_t offset = 0;
  };
  enum class Verdict : std::uint8_t { kTaken, kNoReceive };

  [[nodiscard]] bool continues(const wire::MemoryHeader& header) const;
  [[nodiscard]] Verdict execute(const Unit& unit, const MemoryCall& call);
  void accept_store(const Unit& unit, const MemoryCall& call);
  void accept_send(const Unit& unit, const MemoryCall& call);
  void accept_load(const Unit& unit, const MemoryCall& call);
  void end_of_message(const Unit& unit, const MemoryCall& call);
  void complete(const Unit& unit, const MemoryCall& call);
  void refuse(verbs::WcStatus status, const MemoryCall& call);

  ReceiveRequests requests_;
  Ring<Load> loads_;  // asked for and not sent
  Ring<Held> held_;
  std::uint32_t executed_ = 0;                                       // messages
  std::uint32_t offset_ = 0;                                         // of the unit expected, within its message
  std::uint32_t placed_ = 0;                                         // bytes of the present message
  wire::MemoryOperation operation_ = wire::MemoryOperation::kStore;  // of the present message
  std::optional<verbs::WcStatus> refused_;
  bool response_pending_ = false;
  bool broken_ = false;  // a unit is missing
  bool failed_ = false;
};

}  // namespace weft::transport
