// Drives a pair of RC engines by a sequence of operations taken from the input: requests of any kind with any fields,
// packets delivered, lost, repeated, altered and forged, time, changes of state, memory closed under way.
//
// Whatever happens: no assertion fails; memory that nobody was given stays as it was; completions come in the order of
// posting, at most one a request, and none is missing in the end; an engine that says it has something to send or a
// deadline to meet makes progress when asked, and once the faults stop everything comes to an end.
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
#include "transport/congestion/fixed_window.h"
#include "transport/congestion/notification_point.h"
#include "transport/path/round_robin_path.h"
#include "transport/rc_queue_pair.h"
#include "wire/opcode.h"

namespace weft {
namespace {

constexpr std::size_t kRegion = 64 * 1024;
constexpr std::size_t kGuard = 256;
constexpr std::byte kGuardByte{0xA5};
constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint64_t kClosedBase = 0x900000;  // of the regions that nobody may write
constexpr std::size_t kMaxInFlight = 64;
constexpr std::size_t kMaxOperations = 400;
constexpr std::uint32_t kMaxWr = 32;

struct Flight {
  int to = 0;
  wire::Packet packet;
  wire::ColdPacket cold;
  std::vector<std::byte> payload;
};

/// What has been posted to one queue and has no completion yet.
class Outstanding {
 public:
  std::uint64_t next_id() const { return next_; }
  void posted(bool signaled) { waiting_.push_back({next_++, signaled}); }
  void forget() { waiting_.clear(); }
  /// `complete` is false for a queue from which requests may be lost: those that a reset queue pair had taken from a
  /// shared queue.
  void completed(const verbs::WorkCompletion& completion, bool complete) {
    while (!waiting_.empty() && waiting_.front().id < completion.wr_id) {
      WEFT_ASSERT(!complete || !waiting_.front().signaled);
      waiting_.pop_front();
    }
    WEFT_ASSERT(!waiting_.empty() && waiting_.front().id == completion.wr_id);
    WEFT_ASSERT(waiting_.front().signaled || completion.status != verbs::WcStatus::kSuccess);
    waiting_.pop_front();
  }
  /// After the flush: only successful requests that asked for no completion may be left.
  void check_nothing_lost() const {
    for (const Entry& entry : waiting_)
      WEFT_ASSERT(!entry.signaled);
  }

 private:
  struct Entry {
    std::uint64_t id;
    bool signaled;
  };
  std::deque<Entry> waiting_;
  std::uint64_t next_ = 1;
};

struct Options {
  transport::RcOptions rc;
  bool carries_bytes = true;
  bool shared_receive_queue = false;
  std::uint32_t cq_capacity = 256;
  std::uint16_t mtu = 256;
};

template <class T>
T must(Result<T> result) {
  WEFT_ASSERT(result.has_value());
  if constexpr (!std::is_void_v<T>)
    return *result;
}

class Side {
 public:
  Side(std::uint32_t index, const Options& options)
      : context(index + 1), memory(kRegion + 2 * kGuard, kGuardByte), closed(2 * kGuard, kGuardByte) {
    pd = must(context.alloc_pd());
    const verbs::PdHandle foreign = must(context.alloc_pd());
    std::byte* const bytes = options.carries_bytes ? memory.data() + kGuard : nullptr;
    const auto region = [&](std::size_t from, std::size_t length, verbs::AccessMask access) {
      return must(context.reg_mr({.pd = pd,
                                  .address = kBase + from,
                                  .length = length,
                                  .bytes = bytes == nullptr ? nullptr : bytes + from,
                                  .access = access,
                                  .invalidatable = true}));
    };
    keys = {region(0, kRegion, verbs::kAccessAll), region(0, kRegion / 2, verbs::kAccessAll),
            region(kRegion / 2, kRegion / 2, verbs::kAccessLocalWrite)};
    // Nobody may write these: one for reading only, one of another domain.
    keys[3] = must(context.reg_mr({.pd = pd,
                                   .address = kClosedBase,
                                   .length = kGuard,
                                   .bytes = closed.data(),
                                   .access = verbs::kAccessRemoteRead}));
    keys[4] = must(context.reg_mr({.pd = foreign,
                                   .address = kClosedBase + kGuard,
                                   .length = kGuard,
                                   .bytes = closed.data() + kGuard,
                                   .access = verbs::kAccessAll}));
    send_cq = must(context.create_cq(options.cq_capacity));
    recv_cq = must(context.create_cq(options.cq_capacity));
    if (options.shared_receive_queue)
      srq = must(context.create_srq(pd, {.max_wr = kMaxWr, .max_sge = 3}));
    const verbs::QpInitAttributes init{.type = verbs::QpType::kRc,
                                       .pd = pd,
                                       .send_cq = send_cq,
                                       .recv_cq = recv_cq,
                                       .srq = srq,
                                       .max_send_wr = kMaxWr,
                                       .max_recv_wr = kMaxWr};
    qp = std::make_unique<transport::RcQueuePair>(
        transport::QpIdentity{.qpn = Qpn(0x100 + index), .endpoint = EndpointId(index)}, init, options.rc);
  }

  void check_memory() const {
    const auto untouched = [](std::byte byte) { return byte == kGuardByte; };
    WEFT_ASSERT(std::all_of(memory.begin(), memory.begin() + kGuard, untouched));
    WEFT_ASSERT(std::all_of(memory.end() - kGuard, memory.end(), untouched));
    WEFT_ASSERT(std::all_of(closed.begin(), closed.end(), untouched));
  }

  void poll_completions() {
    verbs::WorkCompletion completion;
    while (context.find_cq(send_cq)->poll(std::span(&completion, 1)) != 0)
      sends.completed(completion, true);
    while (context.find_cq(recv_cq)->poll(std::span(&completion, 1)) != 0) {
      WEFT_ASSERT(completion.wr_id != 0);
      receives.completed(completion, !srq.is_valid());
    }
    verbs::AsyncEvent event;
    while (context.poll_async_event(event)) {
    }
  }
  [[nodiscard]] bool overflowed() {
    return context.find_cq(send_cq)->in_error() || context.find_cq(recv_cq)->in_error();
  }

  verbs::Context context;
  std::vector<std::byte> memory;
  std::vector<std::byte> closed;
  verbs::PdHandle pd;
  std::array<std::uint32_t, 5> keys{};
  verbs::CqHandle send_cq;
  verbs::CqHandle recv_cq;
  verbs::SrqHandle srq;
  std::unique_ptr<transport::RcQueuePair> qp;
  Outstanding sends;
  Outstanding receives;
};

class Driver {
 public:
  explicit Driver(FuzzInput& input) : input_(input), window_(Bytes(4096)), receiver_(Duration::microseconds(1)) {
    options_.carries_bytes = !input.one_in(4);
    options_.shared_receive_queue = input.one_in(4);
    options_.cq_capacity = input.one_in(4) ? 4 : 256;
    options_.mtu = static_cast<std::uint16_t>(256U << input.below(2));
    transport::RcOptions& rc = options_.rc;
    rc.ack_request_interval = static_cast<std::uint16_t>(1 + input.below(8));
    rc.end_to_end_credits = input.one_in(2);
    if (input.one_in(2)) {
      rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
      rc.out_of_order_placement = input.one_in(2);
      selective_ = {
          .loss_detection = input.one_in(2) ? transport::LossDetection::kByTime : transport::LossDetection::kByCount,
          .reorder_threshold = static_cast<std::uint16_t>(1 + input.below(16)),
          .round_trip = Duration::microseconds(static_cast<std::int64_t>(1 + input.below(20))),
          .flight_packets = static_cast<std::uint32_t>(64U << input.below(3)),
          .tracked_packets = static_cast<std::uint32_t>(2 + input.below(300)),
          .reorder_capacity = static_cast<std::uint32_t>(1 + input.below(127)),
          .reorder_overflow = input.one_in(2) ? transport::ReorderOverflow::kDrop : transport::ReorderOverflow::kNak};
      rc.selective_repeat = &selective_;
    }
    if (input.one_in(2)) {
      rc.congestion_control = &window_;
      rc.congestion_receiver = &receiver_;
      rc.path_selector = &path_;
    }
    comes_to_rest_ = input.one_in(2);
    for (std::uint32_t i = 0; i < 2; ++i)
      sides_[i] = std::make_unique<Side>(i, options_);
    connect(0);
    connect(1);
  }

  void run() {
    for (std::size_t i = 0; i < kMaxOperations && !input_.empty(); ++i)
      step();
    finish();
  }

 private:
  Side& side(int index) { return *sides_[static_cast<std::size_t>(index)]; }
  int any_side() { return static_cast<int>(input_.below(2)); }

  void step() {
    switch (input_.below(16)) {
      case 0:
      case 1:
      case 2:
        return post_send(any_side());
      case 3:
      case 4:
        return post_recv(any_side());
      case 5:
      case 6:
        return transmit(any_side(), 1 + input_.below(8));
      case 7:
      case 8:
        return deliver(input_.u8());
      case 9:
        return lose(input_.u8());
      case 10:
        return repeat(input_.u8());
      case 11:
        return alter(input_.u8());
      case 12:
        return advance(Duration::nanoseconds(std::int64_t{input_.u16()} * 16));
      case 13:
        return exchange(1 + input_.below(16));
      case 14:
        return rare();
      case 15:
        return forge();
    }
  }

  void rare() {
    const int of = any_side();
    switch (input_.below(6)) {
      case 0:
        return modify(of);
      case 1:
        return connect(of);
      case 2:
        (void)side(of).context.dereg_mr(side(of).keys[input_.below(3)]);
        return;
      case 3:
        (void)side(of).context.memory().invalidate(side(of).pd, side(of).keys[input_.below(3)]);
        return;
      case 4:
        return side(of).poll_completions();
      case 5:
        return call_out_of_turn(of);
    }
  }

  /// Through RESET to RTS; requests posted before are gone without a completion.
  void connect(int of) {
    Side& here = side(of);
    verbs::QpAttributes to = attributes(of);
    const auto set = [&](verbs::QpState state, verbs::QpAttributeMask mask) {
      to.state = state;
      must(here.qp->modify(to, verbs::kQpState | mask, here.context, now_));
    };
    here.poll_completions();
    here.sends.forget();
    if (!here.srq.is_valid())
      here.receives.forget();
    set(verbs::QpState::kReset, 0);
    set(verbs::QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags);
    set(verbs::QpState::kRtr, verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                  verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer);
    set(verbs::QpState::kRts,
        verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic);
  }

  [[nodiscard]] verbs::QpAttributes attributes(int of) const {
    verbs::QpAttributes to;
    to.access_flags = verbs::kAccessAll;
    to.path_mtu = static_cast<verbs::PathMtu>(options_.mtu);
    to.destination_qpn = Qpn(0x100U + static_cast<std::uint32_t>(1 - of));
    to.address.destination = EndpointId(static_cast<std::uint32_t>(1 - of));
    to.timeout = 1;
    to.retry_count = 3;
    to.rnr_retry = 3;
    to.min_rnr_timer = 1;
    to.max_rd_atomic = to.max_dest_rd_atomic = 2;
    to.rq_psn = to.sq_psn = Psn(0xFFFFF8);
    return to;
  }

  void modify(int of) {
    Side& here = side(of);
    verbs::QpAttributes to = attributes(of);
    to.state = static_cast<verbs::QpState>(input_.below(7));
    to.access_flags = static_cast<verbs::AccessMask>(input_.below(16));
    to.max_rd_atomic = static_cast<std::uint8_t>(1 + input_.below(3));
    to.max_dest_rd_atomic = static_cast<std::uint8_t>(input_.below(4));
    to.min_rnr_timer = static_cast<std::uint8_t>(input_.below(32));
    to.timeout = static_cast<std::uint8_t>(1 + input_.below(3));
    const verbs::QpAttributeMask mask = input_.u32() & 0x1FFFF;
    here.poll_completions();
    const bool done =
        here.qp->modify(to, input_.one_in(2) ? mask | verbs::kQpState : verbs::kQpState + 0U, here.context, now_)
            .has_value();
    if (done && here.qp->state() == verbs::QpState::kReset) {
      here.sends.forget();
      if (!here.srq.is_valid())
        here.receives.forget();
    }
  }

  std::uint32_t any_key(Side& of) {
    const std::uint32_t choice = input_.below(16);
    return choice < of.keys.size() ? of.keys[choice] : choice == 15 ? input_.u32() : of.keys[0];
  }

  std::uint64_t any_address() {
    switch (input_.below(16)) {
      case 0:
        return kClosedBase + input_.below(512);
      case 1:
        return ~std::uint64_t{0} - input_.below(4096);
      case 2:
        return kBase + kRegion - input_.below(4096);
      default:
        return kBase + std::uint64_t{input_.below(4096)} * 8;
    }
  }

  std::vector<verbs::Sge> any_list(Side& of, std::uint32_t most) {
    std::vector<verbs::Sge> list(input_.below(most + 1));
    for (verbs::Sge& element : list) {
      element = {.address = any_address(), .length = input_.below(2'000), .lkey = any_key(of)};
      if (input_.one_in(32))
        element.length = input_.u32();
    }
    return list;
  }

  void post_send(int from) {
    Side& here = side(from);
    verbs::SendWr request;
    request.wr_id = here.sends.next_id();
    request.opcode = static_cast<verbs::WrOpcode>(input_.below(8));
    request.send_flags = static_cast<std::uint8_t>(input_.below(16));
    std::vector<verbs::Sge> list = any_list(here, 3);
    const bool atomic =
        request.opcode == verbs::WrOpcode::kAtomicCmpAndSwp || request.opcode == verbs::WrOpcode::kAtomicFetchAndAdd;
    if (atomic && !input_.one_in(8))
      list = {{.address = kBase, .length = 8, .lkey = any_key(here)}};
    request.sg_list = list;
    request.imm_data = input_.u16();
    request.invalidate_rkey = any_key(side(1 - from));
    request.rdma = {any_address(), any_key(side(1 - from))};
    request.atomic = {input_.u8(), input_.u8()};
    if (here.qp->post_send(request, here.context, now_))
      here.sends.posted((request.send_flags & verbs::kSendSignaled) != 0);
  }

  void post_recv(int at) {
    Side& here = side(at);
    const std::vector<verbs::Sge> list = any_list(here, 3);
    const verbs::RecvWr request{.wr_id = here.receives.next_id(), .sg_list = list};
    const Result<void> posted = here.srq.is_valid() ? here.context.find_srq(here.srq)->post(request)
                                                    : here.qp->post_recv(request, here.context, now_);
    if (posted)
      here.receives.posted(true);
  }

  void transmit(int from, std::uint32_t most) {
    Side& here = side(from);
    std::array<std::byte, 4096> room;
    int refused = 0;
    while (most > 0 && here.qp->next_transmit() <= now_) {
      Flight flight{.to = 1 - from, .packet = {}, .cold = {}, .payload = {}};
      const std::span<std::byte> payload = options_.carries_bytes ? std::span(room) : std::span<std::byte>{};
      if (!here.qp->poll_transmit({flight.packet, flight.cold, payload}, here.context, now_)) {
        // Each refusal settles one thing; more than what can be queued means that nothing is settled.
        WEFT_ASSERT(++refused < 256);
        continue;
      }
      const wire::Packet& packet = flight.packet;
      WEFT_ASSERT(wire::describe(packet.ib.opcode).valid);
      WEFT_ASSERT(packet.common.payload_bytes <= options_.mtu);
      if (options_.carries_bytes)
        flight.payload.assign(room.begin(), room.begin() + packet.common.payload_bytes);
      --most;
      if (in_flight_.size() < kMaxInFlight)
        in_flight_.push_back(std::move(flight));
    }
  }

  void hand_over(const Flight& flight) {
    Side& there = side(flight.to);
    there.qp->on_packet({flight.packet, flight.cold, flight.payload}, there.context, now_);
    there.check_memory();
  }

  void deliver(std::size_t which) {
    if (in_flight_.empty())
      return;
    const auto place = in_flight_.begin() + static_cast<std::ptrdiff_t>(which % in_flight_.size());
    const Flight flight = std::move(*place);
    in_flight_.erase(place);
    hand_over(flight);
  }
  void lose(std::size_t which) {
    if (!in_flight_.empty())
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which % in_flight_.size()));
  }
  void repeat(std::size_t which) {
    if (!in_flight_.empty() && in_flight_.size() < kMaxInFlight)
      in_flight_.push_back(Flight(in_flight_[which % in_flight_.size()]));
  }

  void alter(std::size_t which) {
    if (in_flight_.empty())
      return;
    Flight& flight = in_flight_[which % in_flight_.size()];
    wire::IbTransportHeader& header = flight.packet.ib;
    switch (input_.below(12)) {
      case 0:
        header.opcode = input_.u8();
        return;
      case 1:
        header.psn += static_cast<std::int8_t>(input_.u8());
        return;
      case 2:
        header.psn = Psn(input_.u32());
        return;
      case 3:
        header.reth.virtual_address = any_address();
        return;
      case 4:
        header.reth.remote_key = any_key(side(flight.to));
        return;
      case 5:
        header.reth.dma_length = input_.one_in(4) ? input_.u32() : input_.below(4096);
        return;
      case 6:
        return resize(flight, static_cast<std::uint16_t>(input_.below(5'000)));
      case 7:
        header.aeth.syndrome = input_.u8();
        return;
      case 8:
        header.aeth.msn = Psn(input_.u32());
        return;
      case 9:
        header.flags = input_.u8();
        return;
      case 10:
        header.partition_key = input_.u16();
        return;
      case 11:
        flight.cold.sack.words = {input_.u32(), input_.u32()};
        flight.packet.common.flags = input_.u8();
        flight.packet.common.ecn = static_cast<wire::Ecn>(input_.below(4));
        return;
    }
  }

  void resize(Flight& flight, std::uint16_t length) const {
    flight.packet.common.payload_bytes = length;
    if (options_.carries_bytes)
      flight.payload.resize(length);
  }

  void forge() {
    Flight flight{.to = any_side(), .packet = {}, .cold = {}, .payload = {}};
    transport::RcQueuePair& victim = *side(flight.to).qp;
    wire::IbTransportHeader& header = flight.packet.ib;
    header.opcode = input_.one_in(8) ? input_.u8() : input_.below(0x18) & 0xFFU;
    const bool answer = header.opcode >= 0x0D && header.opcode <= 0x12;
    header.psn = (answer ? victim.requester().oldest_unacknowledged() : victim.responder().expected_psn()) +
                 static_cast<std::int8_t>(input_.u8()) / 16;
    header.flags = input_.u8();
    header.immediate = any_key(side(flight.to));
    if (answer) {
      header.aeth = {.original_data = input_.u8(), .msn = Psn(input_.u8()), .syndrome = input_.u8()};
    } else {
      header.reth = {any_address(), any_key(side(flight.to)), input_.below(2'000)};
      if (header.opcode == 0x13 || header.opcode == 0x14)
        flight.packet.common.flags |= wire::kHasCold;
    }
    resize(flight, static_cast<std::uint16_t>(input_.one_in(2) ? options_.mtu : input_.below(300)));
    hand_over(flight);
  }

  void call_out_of_turn(int of) {
    Side& here = side(of);
    here.qp->on_timeout(here.context, now_);
    wire::Packet packet;
    wire::ColdPacket cold;
    std::array<std::byte, 4096> room;
    (void)here.qp->poll_transmit({packet, cold, options_.carries_bytes ? std::span(room) : std::span<std::byte>{}},
                                 here.context, now_);
  }

  void advance(Duration by) {
    now_ = now_ + by;
    for (int of = 0; of < 2; ++of) {
      Side& here = side(of);
      if (here.qp->next_timeout() > now_)
        continue;
      here.qp->on_timeout(here.context, now_);
      WEFT_ASSERT(here.qp->next_timeout() > now_ || here.qp->state() != verbs::QpState::kRts);
    }
  }

  /// Both send and everything arrives in order, for some rounds.
  void exchange(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      transmit(0, 8);
      transmit(1, 8);
      while (!in_flight_.empty())
        deliver(0);
      advance(Duration::nanoseconds(1'000));
    }
  }

  /// With a faultless network from now on, everything that was posted ends, well or badly.
  void come_to_rest() {
    for (int round = 0;; ++round) {
      WEFT_ASSERT(round < 100'000);
      transmit(0, 8);
      transmit(1, 8);
      while (!in_flight_.empty())
        deliver(0);
      Time next = Time::never();
      for (const auto& one : sides_)
        next = earlier(next, earlier(one->qp->next_transmit(), one->qp->next_timeout()));
      if (next.is_never())
        break;
      now_ = later(now_, next);
      advance(Duration::zero());
    }
    for (const auto& one : sides_)
      WEFT_ASSERT(one->qp->state() != verbs::QpState::kRts || one->qp->requester().queued() == 0);
  }

  void finish() {
    if (comes_to_rest_)
      come_to_rest();
    for (int of = 0; of < 2; ++of) {
      Side& here = side(of);
      here.poll_completions();
      verbs::QpAttributes to;
      to.state = verbs::QpState::kErr;
      must(here.qp->modify(to, verbs::kQpState, here.context, now_));
      here.poll_completions();
      here.check_memory();
      if (here.overflowed())
        continue;
      here.sends.check_nothing_lost();
      if (!here.srq.is_valid())
        here.receives.check_nothing_lost();
    }
  }

  FuzzInput& input_;
  Options options_;
  transport::SelectiveRepeatOptions selective_;
  transport::FixedWindow window_;
  transport::NotificationPoint receiver_;
  transport::RoundRobinPath path_{{.paths = 4}};
  std::array<std::unique_ptr<Side>, 2> sides_;
  std::deque<Flight> in_flight_;
  Time now_;
  bool comes_to_rest_ = false;
};

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::FuzzInput input(data, size);
  weft::Driver(input).run();
  return 0;
}
