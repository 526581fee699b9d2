// Drives two devices of Ultra Ethernet with a port of a job each by a sequence of operations taken from the input:
// sends in every form, receives, WRITEs and READs over contexts and RUDI, cancels, a port that closes and opens again,
// packets delivered, lost, repeated, altered and forged, and time.
//
// Whatever happens: no assertion fails; memory outside the regions stays as it was; nothing completes twice; a device
// that says it has something to do makes progress when asked; and with all ports closed nothing is kept.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz_input.h"
#include "transport/device.h"

namespace weft {
namespace {

constexpr std::uint64_t kBase = 0x10000;
constexpr std::size_t kRegion = 32 * 1024;
constexpr std::size_t kGuard = 256;
constexpr std::byte kGuardByte{0xA5};
constexpr std::size_t kMaxInFlight = 64;
constexpr int kMaxOperations = 400;

struct Flight {
  int to = 0;
  wire::Packet packet;
  wire::ColdPacket cold;
  std::vector<std::byte> payload;
};

struct Side {
  Side(std::uint32_t index, const transport::UetOptions& uet)
      : device({.endpoint = EndpointId(index),
                .encapsulation = wire::Encapsulation::kUetUdpIpv6,
                .seed = index * 7 + 1,
                .uet = uet}),
        memory(kRegion + 2 * kGuard, kGuardByte) {
    pd = device.alloc_pd().value();
    key = device
              .reg_mr({.pd = pd,
                       .address = kBase,
                       .length = kRegion,
                       .bytes = memory.data() + kGuard,
                       .access = verbs::kAccessAll})
              .value();
  }
  void check() {
    const auto untouched = [](std::byte byte) { return byte == kGuardByte; };
    WEFT_ASSERT(std::all_of(memory.begin(), memory.begin() + kGuard, untouched));
    WEFT_ASSERT(std::all_of(memory.end() - kGuard, memory.end(), untouched));
    transport::SesCompletion completion;
    while (device.uet_messenger().poll(std::span(&completion, 1)) == 1)
      WEFT_ASSERT(posted.erase(completion.id) == 1);  // never two for one
  }
  transport::Device device;
  std::vector<std::byte> memory;
  verbs::PdHandle pd;
  std::uint32_t key = 0;
  transport::SesPortId port = 0;
  std::map<std::uint64_t, int> posted;  // ids that have no completion yet
  std::uint64_t next_id = 1;
};

class Driver {
 public:
  explicit Driver(FuzzInput& input) : input_(input) {
    transport::UetOptions uet{.idle_close = Duration::microseconds(50), .psn_window = 128, .max_retries = 4};
    uet.max_pdcs = static_cast<std::uint16_t>(2 + input.below(6));
    uet.max_responses = static_cast<std::uint16_t>(1 + input.below(4));
    uet.max_rudi_requests = static_cast<std::uint16_t>(1 + input.below(8));
    uet.max_rudi_responses = static_cast<std::uint16_t>(1 + input.below(4));
    uet.infer_loss_after = static_cast<std::uint16_t>(input.below(4));
    uet.trimming = input.one_in(2);
    uet.secure_start = input.one_in(2) ? transport::SecureStart::kOneRtt : transport::SecureStart::kZeroRtt;
    for (std::uint32_t i = 0; i < 2; ++i) {
      sides_[i] = std::make_unique<Side>(i, uet);
      open(static_cast<int>(i));
    }
  }

  void run() {
    for (int i = 0; i < kMaxOperations && !input_.empty(); ++i) {
      operate();
      sides_[0]->check();
      sides_[1]->check();
    }
    faults_ = false;
    for (int i = 0; i < 200'000 && (transmit(0) || transmit(1) || deliver_next() || pass_time()); ++i) {
    }
    for (int side = 0; side < 2; ++side) {
      Side& mine = *sides_[static_cast<std::size_t>(side)];
      transport::SesMessenger& messenger = mine.device.uet_messenger();
      messenger.close(mine.port, now_);
      mine.check();
      WEFT_ASSERT(mine.posted.empty());
      WEFT_ASSERT(messenger.outgoing() == 0 && messenger.incoming() == 0 && messenger.answers() == 0);
    }
  }

 private:
  void open(int side) {
    Side& mine = *sides_[static_cast<std::size_t>(side)];
    mine.port = mine.device.uet_messenger()
                    .open({.address = {.job = 5, .pid_on_fep = 1, .resource_index = static_cast<std::uint16_t>(side)},
                           .pd = mine.pd,
                           .initiator = static_cast<std::uint32_t>(side),
                           .mtu = verbs::PathMtu::k256,
                           .matching = {.expected = 8, .unexpected = 4},
                           .unexpected_bytes = 2'048,
                           .max_reads = 2})
                    .value();
  }
  [[nodiscard]] verbs::Sge range(const Side& side) {
    return {.address = kBase + input_.below(kRegion / 2), .length = input_.below(2'000), .lkey = side.key};
  }

  void operate() {
    const int side = static_cast<int>(input_.below(2));
    Side& mine = *sides_[static_cast<std::size_t>(side)];
    const transport::SesPeer peer{.endpoint = EndpointId(static_cast<std::uint32_t>(1 - side)),
                                  .address = {.job = input_.one_in(16) ? 6U : 5U,
                                              .pid_on_fep = 1,
                                              .resource_index = static_cast<std::uint16_t>(1 - side),
                                              .relative = input_.one_in(2)}};
    transport::SesMessenger& messenger = mine.device.uet_messenger();
    const std::uint64_t id = mine.next_id;
    bool accepted = false;
    switch (input_.below(12)) {
      case 0:
      case 1: {
        transport::SesSend send{.id = id, .peer = peer, .local = range(mine), .tag = input_.below(4)};
        send.tagged = !input_.one_in(4);
        send.form = static_cast<transport::SesForm>(input_.below(3));
        if (send.form == transport::SesForm::kRendezvous)
          send.eager = input_.below(send.local.length + 1);
        send.delivery = static_cast<transport::SesDelivery>(input_.below(2));
        accepted = messenger.send(mine.port, send, now_).has_value();
        break;
      }
      case 2: {
        transport::SesReceive receive{.id = id, .local = range(mine), .wanted = {.tag = input_.below(4)}};
        receive.wanted.ignore = input_.one_in(3) ? 3 : 0;
        receive.tagged = !input_.one_in(4);
        accepted = messenger.receive(mine.port, receive, now_).has_value();
        break;
      }
      case 3: {
        const transport::SesAccess access{.id = id,
                                          .peer = peer,
                                          .local = range(mine),
                                          .remote_address = kBase + input_.below(kRegion),
                                          .remote_key = sides_[static_cast<std::size_t>(1 - side)]->key,
                                          .delivery = static_cast<transport::SesDelivery>(input_.below(3))};
        accepted =
            (input_.one_in(2) ? messenger.write(mine.port, access, now_) : messenger.read(mine.port, access, now_))
                .has_value();
        break;
      }
      case 4:
        (void)messenger.cancel(mine.port, 1 + input_.below(static_cast<std::uint32_t>(id) + 1), now_);
        break;
      case 5:
        if (input_.one_in(8)) {
          messenger.close(mine.port, now_);
          open(side);
        }
        break;
      case 6:
        (void)pass_time();
        break;
      case 7:
      case 8:
        (void)deliver_next();
        break;
      default:
        (void)transmit(side);
        break;
    }
    if (accepted) {
      mine.posted.emplace(id, 0);
      ++mine.next_id;
    }
  }

  bool transmit(int from) {
    Flight flight{.to = 1 - from, .packet = {}, .cold = {}, .payload = std::vector<std::byte>(4'096)};
    Side& mine = *sides_[static_cast<std::size_t>(from)];
    if (in_flight_.size() >= kMaxInFlight ||
        !mine.device.poll_transmit_any({flight.packet, flight.cold, flight.payload}, now_))
      return false;
    flight.payload.resize(flight.packet.common.payload_bytes);
    in_flight_.push_back(std::move(flight));
    return true;
  }

  bool deliver_next() {
    if (in_flight_.empty())
      return false;
    const std::size_t which = faults_ ? input_.below(static_cast<std::uint32_t>(in_flight_.size())) : 0;
    Flight flight = in_flight_[which];
    const std::uint32_t fate = faults_ ? input_.below(16) : 15;
    if (fate != 0)  // otherwise it will come once more
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
    if (fate == 1)
      return true;
    if (fate == 2 && flight.packet.has(wire::kTrimmable)) {
      flight.packet.common.flags |= wire::kTrimmed;
      flight.packet.common.payload_bytes = 0;
      flight.payload.clear();
    }
    if (fate == 3)
      alter(flight);
    Side& to = *sides_[static_cast<std::size_t>(flight.to)];
    (void)to.device.on_packet({flight.packet, flight.cold, flight.payload}, now_);
    return true;
  }

  void alter(Flight& flight) {
    wire::UetHeader& header = flight.packet.uet;
    switch (input_.below(10)) {
      case 0:
        header.psn += input_.u8();
        break;
      case 1:
        header.type = static_cast<wire::UetType>(input_.below(16));
        break;
      case 2:
        header.flags = input_.u8() & 0x7F;
        break;
      case 3:
        header.request.operation = input_.u8() & 0x3F;
        break;
      case 4:
        header.request.message_id = input_.u8();
        break;
      case 5:
        header.request.buffer_offset = input_.one_in(2) ? input_.u16() : input_.u64();
        break;
      case 6:
        flight.cold.uet.length = static_cast<std::uint32_t>(input_.u64());
        break;
      case 7:
        flight.cold.uet.compare = input_.u64();
        break;
      case 8:
        flight.cold.sack.words[input_.below(2)] = input_.u64();
        break;
      default:
        header.psn_offset = static_cast<std::int16_t>(input_.u16());
        break;
    }
  }

  // To the next instant at which a device wants something.
  bool pass_time() {
    Time next = Time::never();
    for (const auto& side : sides_)
      next = earlier(next, side->device.next_event());
    if (next.is_never())
      return false;
    now_ = later(now_, next);
    for (const auto& side : sides_)
      side->device.on_timeouts(now_);
    return true;
  }

  FuzzInput& input_;
  std::array<std::unique_ptr<Side>, 2> sides_;
  std::deque<Flight> in_flight_;
  Time now_;
  bool faults_ = true;
};

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::FuzzInput input(data, size);
  weft::Driver(input).run();
  return 0;
}
