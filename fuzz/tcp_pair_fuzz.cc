// Drives a pair of TCP connections by a sequence of operations taken from the input: writes, reads, closes, resets,
// segments delivered, lost, repeated, altered and forged, and time.
//
// Whatever happens: no assertion fails; no byte arrives twice or outside of the receive window; a connection that says
// it has something to send sends it, and one whose timer is due has another one afterwards. As long as no segment was
// altered or forged, everything that was written arrives once the faults stop, and both ends close.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz_input.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"
#include "transport/tcp/tcp_connection.h"

namespace weft {
namespace {

using transport::TcpConnection;
using transport::TcpState;

constexpr std::size_t kMaxInFlight = 64;
constexpr std::size_t kMaxOperations = 500;
constexpr std::uint64_t kMaxWritten = 1 << 20;

struct Flight {
  int to = 0;
  wire::Packet packet;
  wire::ColdPacket cold;
};

/// Marks what arrives; segments end at multiples of the frame.
class User final : public transport::TcpStreamUser {
 public:
  explicit User(std::uint32_t frame) : frame_(frame) {}
  [[nodiscard]] std::uint32_t segment_length(transport::StreamOffset offset, std::uint32_t room) const override {
    WEFT_ASSERT(room > 0);
    return frame_ == 0 ? room : std::min(room, frame_ - static_cast<std::uint32_t>(offset % frame_));
  }
  void gather(transport::StreamOffset, std::span<std::byte>) const override {
    WEFT_ASSERT(false && "lengths alone travel");
  }
  void on_arrival(const transport::StreamRun& run) override {
    WEFT_ASSERT(run.length > 0);
    const std::uint64_t end = run.offset + run.length;
    WEFT_ASSERT(end <= limit);
    if (seen_.size() < end) {
      seen_.resize(end);
    }
    for (std::uint64_t at = run.offset; at < end; ++at) {
      WEFT_ASSERT(!seen_[at]);
      seen_[at] = true;
    }
    count += run.length;
  }

  std::uint64_t count = 0;
  std::uint64_t limit = 0;  // what the window can have allowed

 private:
  std::uint32_t frame_;
  std::vector<bool> seen_;
};

class Driver {
 public:
  explicit Driver(FuzzInput& input) : input_(input) {
    const std::uint32_t shared = input_.u32();
    for (std::size_t end = 0; end < 2; ++end) {
      users_[end] = std::make_unique<User>(input_.one_in(2) ? 0 : 1 + input_.below(3'000));
      const auto at = [](std::size_t index) {
        return transport::TcpEnd{.endpoint = EndpointId(static_cast<std::uint32_t>(index)),
                                 .connection = Qpn(static_cast<std::uint32_t>(index)),
                                 .port = static_cast<std::uint16_t>(1'000 + index)};
      };
      options_[end] = end == 0 || input_.one_in(2) ? make_options(end) : options_[0];
      options_[end].seed = shared;
      options_[end].congestion_control = control(end);
      ends_[end] = std::make_unique<TcpConnection>(transport::TcpIdentity{.local = at(end), .peer = at(1 - end)},
                                                   options_[end], *users_[end]);
    }
    open();
  }

  void run() {
    for (std::size_t i = 0; i < kMaxOperations && !input_.empty(); ++i) {
      operate();
    }
    if (honest_) {
      come_to_rest();
    }
  }

 private:
  transport::TcpOptions make_options(std::size_t) {
    transport::TcpOptions options;
    const std::uint16_t sizes[] = {64, 536, 1'460, 9'000};
    options.mss = sizes[input_.below(4)];
    options.receive_buffer = Bytes(options.mss + input_.u16() * (input_.one_in(4) ? 32 : 1));
    const std::uint8_t bits = input_.u8();
    options.timestamps = (bits & 1U) == 0;
    options.selective_acks = (bits & 2U) == 0;
    options.window_scaling = (bits & 4U) == 0;
    options.loss_detection =
        (bits & 8U) == 0 ? transport::TcpLossDetection::kRack : transport::TcpLossDetection::kDuplicateAcks;
    options.ecn = static_cast<transport::TcpEcn>((bits >> 4) % 3);
    options.nagle = (bits & 64U) == 0 ? transport::TcpNagle::kOff : transport::TcpNagle::kOn;
    options.pacing = (bits & 128U) == 0 ? transport::TcpPacing::kOff : transport::TcpPacing::kWindow;
    options.delayed_ack.every = static_cast<std::uint8_t>(1 + input_.below(4));
    options.max_gaps = static_cast<std::uint16_t>(1 + input_.below(20));
    options.max_segments = 2 + input_.below(100);
    options.minimum_rto = Duration::milliseconds(1);
    options.retries = options.syn_retries = 200;
    options.time_wait = Duration::seconds(10'000);
    return options;
  }

  transport::TcpCongestionControl* control(std::size_t end) {
    switch (input_.below(4)) {
      case 0:
        return &reno_[end];
      case 1:
        return &cubic_[end];
      case 2:
        return &dctcp_[end];
      default:
        return nullptr;
    }
  }

  void open() {
    switch (input_.below(3)) {
      case 0: {
        // Ends that are established without packets offer the same.
        const auto controlled = options_[1].congestion_control;
        options_[1] = options_[0];
        options_[1].congestion_control = controlled;
        const transport::TcpIdentity identity = ends_[1]->identity();
        ends_[1] = std::make_unique<TcpConnection>(identity, options_[1], *users_[1]);
        ends_[0]->establish(now_);
        ends_[1]->establish(now_);
        return;
      }
      case 1:
        ends_[1]->listen();
        ends_[0]->connect(now_);
        return;
      default:
        ends_[0]->connect(now_);
        ends_[1]->connect(now_);
        return;
    }
  }

  void operate() {
    const std::uint8_t what = input_.u8();
    const int end = what & 1;
    TcpConnection& here = *ends_[static_cast<std::size_t>(end)];
    switch ((what >> 1) % 12) {
      case 0:
        write(end, input_.u16());
        return;
      case 1:
        consume(end, input_.u16());
        return;
      case 2:
      case 3:
        transmit(end, 1 + input_.below(20));
        return;
      case 4:
      case 5:
        deliver(input_.u8());
        return;
      case 6:
        drop(input_.u8());
        return;
      case 7:
        repeat(input_.u8());
        return;
      case 8:
        advance(Duration::microseconds(input_.u16()));
        return;
      case 9:
        if (input_.one_in(4)) {
          closed_[static_cast<std::size_t>(end)] = true;
          here.close(now_);
        }
        return;
      case 10:
        if (input_.one_in(8)) {
          honest_ = false;
          here.abort(now_);
        }
        return;
      default:
        spoil(input_.u8());
        return;
    }
  }

  void write(int end, std::uint64_t length) {
    TcpConnection& here = *ends_[static_cast<std::size_t>(end)];
    if (!closed_[static_cast<std::size_t>(end)] && here.written() + length <= kMaxWritten) {
      here.write(length, now_);
    }
  }

  void consume(int end, std::uint64_t length) {
    TcpConnection& here = *ends_[static_cast<std::size_t>(end)];
    here.consume(std::min<std::uint64_t>(length, here.arrived() - here.consumed()), now_);
  }

  void transmit(int end, std::uint32_t most) {
    TcpConnection& here = *ends_[static_cast<std::size_t>(end)];
    for (std::uint32_t i = 0; i < most && in_flight_.size() < kMaxInFlight; ++i) {
      Flight flight{.to = 1 - end, .packet = {}, .cold = {}};
      const bool ready = here.next_transmit() <= now_;
      const bool sent = here.poll_transmit({flight.packet, flight.cold, {}}, now_);
      WEFT_ASSERT(sent == ready);
      if (!sent) {
        return;
      }
      in_flight_.push_back(flight);
    }
  }

  void hand_over(const Flight& flight) {
    const auto to = static_cast<std::size_t>(flight.to);
    users_[to]->limit =
        ends_[to]->consumed() + static_cast<std::uint64_t>(options_[to].receive_buffer.count()) + 0x4000;
    ends_[to]->on_packet({flight.packet, flight.cold, {}}, now_);
  }

  void deliver(std::uint32_t which) {
    if (!in_flight_.empty()) {
      const auto at = in_flight_.begin() + which % static_cast<std::uint32_t>(in_flight_.size());
      const Flight flight = *at;
      in_flight_.erase(at);
      hand_over(flight);
    }
  }

  void drop(std::uint32_t which) {
    if (!in_flight_.empty()) {
      in_flight_.erase(in_flight_.begin() + which % static_cast<std::uint32_t>(in_flight_.size()));
    }
  }

  void repeat(std::uint32_t which) {
    if (!in_flight_.empty()) {
      hand_over(in_flight_[which % in_flight_.size()]);
    }
  }

  /// A segment with some of its fields changed arrives.
  void spoil(std::uint32_t which) {
    if (in_flight_.empty()) {
      return;
    }
    honest_ = false;
    Flight flight = in_flight_[which % in_flight_.size()];
    wire::TcpHeader& header = flight.packet.tcp;
    const std::uint8_t fields = input_.u8();
    const auto shift = [&](std::uint32_t value) { return value + input_.u32() % 20'000 - 10'000; };
    if ((fields & 1U) != 0)
      header.sequence = (fields & 64U) != 0 ? input_.u32() : shift(header.sequence);
    if ((fields & 2U) != 0)
      header.acknowledgement = (fields & 64U) != 0 ? input_.u32() : shift(header.acknowledgement);
    if ((fields & 4U) != 0)
      header.flags = input_.u8();
    if ((fields & 8U) != 0)
      header.window = input_.u16();
    if ((fields & 16U) != 0) {
      header.timestamp = shift(header.timestamp);
      header.timestamp_echo = shift(header.timestamp_echo);
      header.options = input_.u8() & 7U;
      header.mss = input_.u16();
      header.window_scale = input_.u8() % 15;
    }
    if ((fields & 32U) != 0) {
      header.sack_blocks = input_.u8() % 5;
      for (auto& block : flight.cold.tcp_sack) {
        block.begin = shift(header.acknowledgement);
        block.end = shift(block.begin);
      }
    }
    if ((fields & 128U) != 0)
      flight.packet.common.payload_bytes = input_.u16() % 9'217;
    hand_over(flight);
  }

  void advance(Duration by) {
    now_ += by;
    for (const auto& end : ends_) {
      if (end->next_timeout() <= now_) {
        end->on_timeout(now_);
        WEFT_ASSERT(end->next_timeout() > now_);
      }
    }
  }

  /// With a faultless network from now on, and programs that read and close, all that was written arrives.
  void come_to_rest() {
    for (int round = 0;; ++round) {
      WEFT_ASSERT(round < 200'000);
      for (int end = 0; end < 2; ++end) {
        consume(end, kMaxWritten);
        ends_[static_cast<std::size_t>(end)]->close(now_);
        transmit(end, 8);
      }
      while (!in_flight_.empty()) {
        deliver(0);
      }
      Time next = Time::never();
      for (const auto& end : ends_) {
        next = earlier(next, earlier(end->next_transmit(), end->next_timeout()));
      }
      if (next.is_never()) {
        break;
      }
      now_ = later(now_, next);
      advance(Duration::zero());
    }
    for (std::size_t end = 0; end < 2; ++end) {
      WEFT_ASSERT(ends_[end]->state() == TcpState::kClosed || ends_[end]->state() == TcpState::kListen);
      // A connection that was closed before anybody answered carries nothing.
      if (ends_[end]->failure() == transport::TcpFailure::kNone &&
          ends_[1 - end]->failure() == transport::TcpFailure::kNone) {
        WEFT_ASSERT(users_[1 - end]->count == ends_[end]->acknowledged());
      }
    }
  }

  FuzzInput& input_;
  std::array<transport::NewReno, 2> reno_;
  std::array<transport::Cubic, 2> cubic_;
  std::array<transport::Dctcp, 2> dctcp_;
  std::array<transport::TcpOptions, 2> options_;
  std::array<std::unique_ptr<User>, 2> users_;
  std::array<std::unique_ptr<TcpConnection>, 2> ends_;
  std::array<bool, 2> closed_{};
  std::deque<Flight> in_flight_;
  Time now_;
  bool honest_ = true;
};

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::FuzzInput input(data, size);
  weft::Driver(input).run();
  return 0;
}
