#include "live/perf_endpoint.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "base/random.h"

namespace weft::live {
namespace {

constexpr std::uint64_t kBase = 0x1000'0000;  // where the memory seems to lie
constexpr std::uint64_t kAlignment = 64;
constexpr std::size_t kPollBatch = 64;
constexpr EndpointId kLocal{0};
constexpr EndpointId kPeer{1};

constexpr std::int64_t kMaxWindow = 1 << 20;

std::uint64_t stride_of(std::uint32_t size) { return (std::uint64_t{size} + kAlignment - 1) / kAlignment * kAlignment; }

/// Every row up to the plan's size fits.
std::uint64_t half_bytes_of(const PerfPlan& plan) {
  return std::max<std::uint64_t>(std::uint64_t{2} << 20, slots_for(plan, plan.size) * stride_of(plan.size));
}

/// The largest path MTU whose longest packet fits: UDP, BTH, RETH, immediate data, ICRC; or UDP, TSS, PDS, SES, ICV.
Result<verbs::PathMtu> path_mtu_for(std::int64_t ip_bytes, bool is_ipv4, PerfTransport transport) {
  const std::int64_t headers = transport == PerfTransport::kRoce ? 12 + 16 + 4 + 4 : 16 + 12 + 44 + 16;
  const std::int64_t overhead = (is_ipv4 ? 20 : 40) + 8 + headers;
  for (const verbs::PathMtu mtu : {verbs::PathMtu::k4096, verbs::PathMtu::k2048, verbs::PathMtu::k1024,
                                   verbs::PathMtu::k512, verbs::PathMtu::k256}) {
    if (verbs::to_bytes(mtu).count() + overhead <= ip_bytes)
      return mtu;
  }
  return fail("the path supports IP packets of {} bytes; a path MTU of 256 needs {}", ip_bytes, 256 + overhead);
}

wire::Encapsulation encapsulation_of(PerfTransport transport, bool is_ipv4) {
  if (transport == PerfTransport::kUet)
    return is_ipv4 ? wire::Encapsulation::kUetUdpIpv4 : wire::Encapsulation::kUetUdpIpv6;
  return is_ipv4 ? wire::Encapsulation::kRoceV2Ipv4 : wire::Encapsulation::kRoceV2Ipv6;
}

// Timers of a host that has other things to do: contexts stay open between rows, and a probe asks before a timeout.
transport::UetOptions uet_options(const PerfPlan& plan, const PerfSideOptions& side) {
  constexpr std::int64_t kAckTimeoutPicoseconds = 4'096'000;
  constexpr std::int64_t kLossPackets = 16;
  const Duration timeout = Duration::picoseconds(kAckTimeoutPicoseconds << side.ack_timeout);
  transport::UetOptions options;
  options.mode = plan.op == PerfOp::kWrite && is_ping_pong(plan.op, plan.test) ? transport::UetMode::kRod
                                                                               : transport::UetMode::kRud;
  options.max_pdcs = 16;
  options.idle_close = Duration::milliseconds(100);
  options.timeout = timeout;
  options.max_timeout = timeout * 8;
  options.probe_after = timeout / 16;
  options.loss_window = Bytes(kLossPackets * DatagramBuffer::kMaxPayload);
  options.full_headers = true;
  return options;
}

/// About half of what the kernel accounts for is payload, whatever the packets' size; half of that is a margin.
Bytes window_of(Bytes receive_buffer) {
  return Bytes(std::clamp<std::int64_t>(receive_buffer.count() / 4, 4'096, kMaxWindow));
}

verbs::WrOpcode opcode_of(PerfOp op) {
  switch (op) {
    case PerfOp::kWrite:
      return verbs::WrOpcode::kRdmaWrite;
    case PerfOp::kSend:
      return verbs::WrOpcode::kSend;
    case PerfOp::kRead:
      return verbs::WrOpcode::kRdmaRead;
    case PerfOp::kCas:
      return verbs::WrOpcode::kAtomicCmpAndSwp;
    case PerfOp::kFadd:
      break;
  }
  return verbs::WrOpcode::kAtomicFetchAndAdd;
}

}  // namespace

Result<std::unique_ptr<PerfEndpoint>> PerfEndpoint::open(const Options& options) {
  Result<verbs::PathMtu> mtu = path_mtu_for(options.path_mtu, options.local.is_ipv4(), options.plan.transport);
  if (!mtu)
    return pass_on(mtu);
  Result<Secrets> secrets = draw_secrets();
  if (!secrets)
    return pass_on(secrets);
  Result<UdpSocket> socket =
      UdpSocket::open({.local = options.local.with_port(options.side.udp_port), .offload = options.side.offload});
  if (!socket)
    return pass_on(socket);
  std::unique_ptr<PerfEndpoint> endpoint(
      new PerfEndpoint(options, std::move(*socket), std::min(*mtu, options.side.mtu), *secrets));
  if (Result<void> created = endpoint->create(); !created)
    return pass_on(created);
  return endpoint;
}

/// Keys, queue pair numbers and PSNs must not be guessed, and no counter of TSS be used twice.
Result<PerfEndpoint::Secrets> PerfEndpoint::draw_secrets() {
  std::array<std::uint64_t, 3> random{};
  if (getrandom(random.data(), sizeof(random), 0) != sizeof(random))
    return fail("the system provides no random numbers: {}", std::strerror(errno));
  // Half of the counter's range is left for packets.
  return Secrets{.seed = random[0],
                 .counter = random[1] >> 17,
                 .identity = {.source = static_cast<std::uint32_t>(random[2]),
                              .epoch = static_cast<std::uint16_t>(random[2] >> 32)}};
}

PerfEndpoint::PerfEndpoint(const Options& options, UdpSocket socket, verbs::PathMtu mtu, const Secrets& secrets)
    : plan_(options.plan),
      side_(options.side),
      mtu_(mtu),
      udp_(std::move(socket)),
      half_bytes_(half_bytes_of(options.plan)),
      memory_(2 * half_bytes_),
      identity_(options.side.key ? secrets.identity : TssIdentity{}),
      device_({.endpoint = kLocal,
               .encapsulation = encapsulation_of(options.plan.transport, options.local.is_ipv4()),
               .seed = secrets.seed,
               .uet = uet_options(options.plan, options.side)}),
      psn_(static_cast<std::uint32_t>(RandomStream(secrets.seed, "psn").next())),
      completions_(kPollBatch) {
  if (plan_.transport == PerfTransport::kUet) {
    std::optional<TssSession> session;
    if (options.side.key)
      session = TssSession{.key = *options.side.key, .own = identity_, .counter = secrets.counter};
    uet_.emplace(session);
  }
  if (options.side.faults.any())
    faults_.emplace(udp_, options.side.faults);
}

DatagramSocket& PerfEndpoint::socket() { return faults_ ? static_cast<DatagramSocket&>(*faults_) : udp_; }

Result<void> PerfEndpoint::create() {
  driver_ = std::make_unique<Driver>(
      device_, socket(), clock_,
      DriverOptions{
          .local = udp_.local_address(), .form = uet_ ? &*uet_ : nullptr, .spin = side_.spin, .tap = side_.tap});
  Result<verbs::PdHandle> pd = device_.alloc_pd();
  if (!pd)
    return pass_on(pd);
  pd_ = *pd;
  const std::uint32_t requests = slots_for(plan_, 1) + 64;
  for (verbs::CqHandle* const queue : {&send_cq_, &recv_cq_}) {
    Result<verbs::CqHandle> created = device_.create_cq(2 * requests);
    if (!created)
      return pass_on(created);
    *queue = *created;
  }
  Result<std::uint32_t> key = device_.reg_mr(
      {.pd = pd_, .address = kBase, .length = memory_.size(), .bytes = memory_.data(), .access = verbs::kAccessAll});
  if (!key)
    return pass_on(key);
  key_ = *key;
  // The window is known with the peer's parameters, but the queue pair has its number now.
  window_.emplace(Bytes(kMaxWindow));
  Result<Qpn> qpn = create_queue_pair({.type = verbs::QpType::kRc,
                                       .pd = pd_,
                                       .send_cq = send_cq_,
                                       .recv_cq = recv_cq_,
                                       .max_send_wr = requests,
                                       .max_recv_wr = requests});
  if (!qpn)
    return pass_on(qpn);
  qpn_ = *qpn;
  return {};
}

Result<Qpn> PerfEndpoint::create_queue_pair(const verbs::QpInitAttributes& init) {
  return plan_.transport == PerfTransport::kUet
             ? device_.create_uet_qp(init)
             : device_.create_qp(init, transport::RcOptions{.congestion_control = &*window_});
}

PeerParameters PerfEndpoint::parameters() const {
  return {.qpn = qpn_.value(),
          .psn = psn_.value(),
          .mtu = static_cast<std::uint32_t>(verbs::to_bytes(mtu_).count()),
          .rkey = key_,
          .address = kBase,
          .length = memory_.size(),
          .udp_port = udp_.local_address().port(),
          .window = static_cast<std::uint32_t>(window_of(udp_.receive_buffer()).count()),
          .tss_source = identity_.source,
          .tss_epoch = identity_.epoch};
}

verbs::QpAttributes PerfEndpoint::attributes(const PeerParameters& peer, Bytes window) const {
  // READ data come without a window: as many READs are under way as this side's socket can hold answers of.
  const std::int64_t fit = is_atomic(plan_.op) ? 16 : window.count() / std::max<std::int64_t>(plan_.size, 1);
  return {.access_flags = verbs::kAccessAll,
          .address = {.destination = kPeer},
          .path_mtu = mtu_,
          .timeout = side_.ack_timeout,
          .retry_count = 7,
          .rnr_retry = 7,
          .min_rnr_timer = 1,
          .max_rd_atomic = static_cast<std::uint8_t>(std::clamp<std::int64_t>(fit, 1, 16)),
          .max_dest_rd_atomic = 16,
          .rq_psn = Psn(peer.psn),
          .sq_psn = psn_,
          .destination_qpn = Qpn(peer.qpn)};
}

Result<void> PerfEndpoint::connect(const PeerParameters& peer, const SocketAddress& address) {
  using namespace verbs;
  if (peer.length < memory_.size())
    return fail("the peer's memory has {} bytes; this test needs {}", peer.length, memory_.size());
  Result<PathMtu> mtu = path_mtu_from(Bytes(peer.mtu));
  if (!mtu)
    return pass_on(mtu);
  peer_ = peer;
  mtu_ = std::min(mtu_, *mtu);
  const Bytes window = std::min(Bytes(peer.window), Bytes(kMaxWindow));
  *window_ = transport::FixedWindow(window);
  if (uet_) {
    device_.set_uet_policies(
        {.congestion_control = [window] { return std::make_unique<transport::FixedWindow>(window); },
         .path_selector = {}});
    uet_->set_peer({.source = peer.tss_source, .epoch = static_cast<std::uint16_t>(peer.tss_epoch)});
  }
  driver_->add_peer(kPeer, address.with_port(static_cast<std::uint16_t>(peer.udp_port)));
  QpAttributes to = attributes(peer, window_of(udp_.receive_buffer()));
  struct Step {
    QpState state;
    QpAttributeMask mask;
  };
  for (const Step step :
       {Step{QpState::kInit, kQpPkeyIndex | kQpPort | kQpAccessFlags},
        Step{QpState::kRtr, kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn | kQpMaxDestRdAtomic | kQpMinRnrTimer},
        Step{QpState::kRts, kQpSqPsn | kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic}}) {
    to.state = step.state;
    if (Result<void> moved = device_.modify_qp(qpn_, to, step.mask | kQpState); !moved)
      return moved;
  }
  return {};
}

std::uint64_t PerfEndpoint::slot_offset(std::uint32_t size, std::uint64_t n) const {
  return n % slots_for(plan_, size) * stride_of(size);
}

std::span<std::byte> PerfEndpoint::outgoing(std::uint32_t size, std::uint64_t n) {
  return std::span(memory_).subspan(slot_offset(size, n), size);
}

std::span<std::byte> PerfEndpoint::incoming(std::uint32_t size, std::uint64_t n) {
  return std::span(memory_).subspan(half_bytes_ + slot_offset(size, n), size);
}

Result<void> PerfEndpoint::post(const Post& post) {
  const std::uint64_t offset = slot_offset(post.size, post.n);
  const bool responses_here = plan_.op == PerfOp::kRead || is_atomic(plan_.op);
  const verbs::Sge element{
      .address = kBase + offset + (responses_here ? half_bytes_ : 0), .length = post.size, .lkey = key_};
  verbs::SendWr request{.wr_id = post.n, .sg_list = {&element, 1}, .opcode = opcode_of(plan_.op)};
  if (post.signaled)
    request.send_flags = verbs::kSendSignaled;
  request.rdma = {.remote_address = peer_.address + (plan_.op == PerfOp::kWrite ? half_bytes_ : 0) +
                                    (is_atomic(plan_.op) ? 0 : offset),
                  .rkey = peer_.rkey};
  request.atomic = {.compare_add = plan_.op == PerfOp::kCas ? post.n : 1, .swap = post.n + 1};
  return device_.post_send(qpn_, request);
}

Result<void> PerfEndpoint::post_receive(std::uint32_t size, std::uint64_t n) {
  const verbs::Sge element{.address = kBase + half_bytes_ + slot_offset(size, n), .length = size, .lkey = key_};
  return device_.post_recv(qpn_, {.wr_id = n, .sg_list = {&element, 1}});
}

std::span<verbs::WorkCompletion> PerfEndpoint::poll(verbs::CqHandle queue) {
  return std::span(completions_).first(device_.poll_cq(queue, completions_).value_or(0));
}

std::span<verbs::WorkCompletion> PerfEndpoint::poll_sends() { return poll(send_cq_); }
std::span<verbs::WorkCompletion> PerfEndpoint::poll_receives() { return poll(recv_cq_); }

PerfCounters PerfEndpoint::counters() const {
  PerfCounters counters{.driver = driver_->counters(),
                        .faults = faults_ ? faults_->counters() : FaultCounters{},
                        .unknown_qp = device_.unknown_qp_packets(),
                        .refused = udp_.refused(),
                        .segments = udp_.max_segments() > 1,
                        .coalesces = udp_.coalesces()};
  if (const transport::RcQueuePair* const engine = device_.find_rc(qpn_); engine != nullptr)
    counters.rc = engine->counters();
  if (device_.uet() != nullptr)
    counters.uet = device_.uet()->counters();
  return counters;
}

}  // namespace weft::live
