// Drives a pair of memory engines by a sequence of operations taken from the input: requests of any kind with any
// fields, units delivered, lost, altered and forged, time, queue pairs that fail.
//
// Whatever happens: no assertion fails and nothing outside of regions is touched (the sanitizers see that); completions
// come in the order of posting, one a request, and none is missing once the timeouts have passed. Without faults every
// request of a right peer succeeds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "base/assert.h"
#include "fuzz/fuzz_input.h"
#include "transport/loopback_pair.h"

namespace weft {
namespace {

using transport::Carry;
using transport::LoopbackPair;
using transport::LoopbackSide;

constexpr std::size_t kMaxOperations = 400;

/// Requests of one queue that have no completion yet, by number.
struct Outstanding {
  std::uint64_t next = 1;
  std::deque<std::uint64_t> waiting;

  void completed(const verbs::WorkCompletion& completion) {
    WEFT_ASSERT(!waiting.empty() && waiting.front() == completion.wr_id);
    waiting.pop_front();
  }
};

class Driver {
 public:
  explicit Driver(FuzzInput& input) : input_(input), pair_(input.one_in(4) ? Carry::kLengths : Carry::kBytes) {
    transport::MemoryOptions options;
    options.format.unit = 64U << input.below(7);
    options.load_window = Bytes(std::int64_t{options.format.unit} << input.below(4));
    pair_.a.qpn = pair_.a.device.create_qp(pair_.a.init(verbs::QpType::kRc), options).value();
    pair_.b.qpn = pair_.b.device.create_qp(pair_.b.init(verbs::QpType::kRc), options).value();
    pair_.bring_up();
    pair_.on_wire = [this](wire::Packet& packet) { return travels(packet); };
  }

  void run() {
    for (std::size_t i = 0; i < kMaxOperations && !input_.empty(); ++i) {
      step();
    }
    faults_ = false;
    // A timeout ends whatever waits for something lost; what waits for a receive request ends with its queue pair.
    for (int round = 0; round < 4; ++round) {
      pair_.run();
      pass(Duration::seconds(1));
    }
    fail(0);
    fail(1);
    for (std::size_t i = 0; i < 2; ++i) {
      poll(i);
      WEFT_ASSERT(sends_[i].waiting.empty() && receives_[i].waiting.empty());
    }
  }

 private:
  LoopbackSide& side(std::size_t index) { return index == 0 ? pair_.a : pair_.b; }

  void step() {
    const std::size_t of = input_.below(2);
    switch (input_.below(10)) {
      case 0:
      case 1:
      case 2:
        return post_send(of);
      case 3:
        return post_recv(of);
      case 4:
      case 5:
      case 6:
        for (std::uint32_t left = 1 + input_.below(16); left > 0 && pair_.step(side(of), side(1 - of)); --left) {
        }
        return;
      case 7:
        return poll(of);
      case 8:
        return pass(Duration::nanoseconds(std::int64_t{input_.u16()} * 1000));
      case 9:
        return rare(of);
    }
  }

  void rare(std::size_t of) {
    if (input_.one_in(8)) {
      return fail(of);
    }
    wire::Packet packet;
    packet.common.kind = wire::PacketKind::kMemory;
    packet.memory = any_header(side(of));
    packet.common.payload_bytes = static_cast<std::uint16_t>(input_.below(4097));
    const std::array<std::byte, 4096> payload{};
    const wire::ColdPacket cold{};
    side(of).device.on_packet({packet, cold,
                               pair_.carry == Carry::kBytes ? std::span(payload).first(packet.common.payload_bytes)
                                                            : std::span<const std::byte>()},
                              pair_.now);
  }

  wire::MemoryHeader any_header(const LoopbackSide& to) {
    wire::MemoryHeader header{};
    header.address = any_address();
    header.remote_key = input_.one_in(4) ? input_.u32() : to.key;
    header.destination_qp = input_.one_in(16) ? input_.u32() : to.qpn.value();
    header.message = input_.one_in(4) ? input_.u32() : input_.below(8);
    header.offset = input_.one_in(4) ? input_.u32() : input_.below(8192);
    header.argument = input_.one_in(4) ? input_.u32() : input_.below(8192);
    header.operation = static_cast<wire::MemoryOperation>(input_.below(kOperations));
    header.flags = input_.u8();
    header.status = static_cast<std::uint8_t>(input_.below(24));
    return header;
  }

  std::uint64_t any_address() {
    if (input_.one_in(16)) {
      return ~std::uint64_t{0} - input_.below(4096);
    }
    return LoopbackSide::kBase + input_.below(LoopbackSide::kSize + 64);
  }

  bool travels(wire::Packet& packet) {
    if (!faults_ || !input_.one_in(16)) {
      return true;
    }
    switch (input_.below(4)) {
      case 0:
        return false;
      case 1:
        packet.memory.message = input_.u16();
        return true;
      case 2:
        packet.memory.offset = input_.u16();
        return true;
      default:
        packet.memory.argument = input_.u32();
        packet.memory.flags = input_.u8();
        return true;
    }
  }

  void post_send(std::size_t of) {
    poll(of);  // completion queues have room for what is outstanding
    LoopbackSide& here = side(of);
    verbs::Sge element = here.sge(input_.below(LoopbackSide::kSize), input_.below(8192));
    if (input_.one_in(16)) {
      element = {.address = any_address(), .length = input_.u32(), .lkey = input_.one_in(2) ? here.key : input_.u32()};
    }
    verbs::SendWr request{.wr_id = sends_[of].next,
                          .sg_list = {&element, 1},
                          .opcode = static_cast<verbs::WrOpcode>(input_.below(8)),
                          .send_flags = static_cast<std::uint8_t>(verbs::kSendSignaled | input_.below(16)),
                          .imm_data = input_.u16()};
    request.rdma = {.remote_address = any_address(), .rkey = input_.one_in(16) ? input_.u32() : side(1 - of).key};
    if (here.device.post_send(here.qpn, request)) {
      sends_[of].waiting.push_back(sends_[of].next++);
    }
  }

  void post_recv(std::size_t of) {
    poll(of);
    LoopbackSide& here = side(of);
    const verbs::Sge element = here.sge(input_.below(LoopbackSide::kSize / 2), input_.below(8192));
    if (here.receive(receives_[of].next, element)) {
      receives_[of].waiting.push_back(receives_[of].next++);
    }
  }

  void poll(std::size_t of) {
    LoopbackSide& here = side(of);
    for (;;) {
      const auto sent = here.poll(here.send_cq);
      const auto received = here.poll(here.recv_cq);
      for (const verbs::WorkCompletion& completion : sent) {
        sends_[of].completed(completion);
      }
      for (const verbs::WorkCompletion& completion : received) {
        receives_[of].completed(completion);
      }
      if (sent.empty() && received.empty()) {
        break;
      }
    }
    for (verbs::AsyncEvent event; here.device.poll_async_event(event);) {
    }
  }

  void pass(Duration time) {
    pair_.now = pair_.now + time;
    for (std::size_t of = 0; of < 2; ++of) {
      side(of).device.on_timeouts(pair_.now);
      poll(of);
    }
  }

  void fail(std::size_t of) {
    poll(of);
    (void)side(of).move_to(verbs::QpState::kErr);
    poll(of);
  }

  static constexpr std::uint32_t kOperations = static_cast<std::uint32_t>(wire::MemoryOperation::kWait) + 1;

  FuzzInput& input_;
  LoopbackPair pair_;
  bool faults_ = true;
  std::array<Outstanding, 2> sends_;
  std::array<Outstanding, 2> receives_;
};

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::FuzzInput input(data, size);
  weft::Driver(input).run();
  return 0;
}
