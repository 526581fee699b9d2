#include "fabric/control/switch_control.h"

#include <algorithm>

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kBlocks = 10U << 24U;
constexpr std::uint8_t kBlockLength = 24;
/// RFC 3927: addresses of a link alone, from which next hops are.
constexpr std::uint32_t kLinkLocal = 0xA9FE0000;

BgpSpeaker::Options speaker_options(const SwitchControl::Options& options, const ControlOptions& control) {
  BgpSpeaker::Options own{.as_number = options.as_number,
                          .prefixes = options.prefixes,
                          .own_prefix = options.own_prefix,
                          .peer_identifiers = {},
                          .mrai = control.mrai,
                          .drain = control.drain};
  for (const SwitchControl::Neighbour& neighbour : options.neighbours) {
    own.peer_identifiers.push_back(neighbour.identifier);
  }
  return own;
}

RandomStream stream_of(const SwitchControl::Options& options, const std::string& what) {
  return {options.seed, options.name + "/control/" + what};
}

/// Uniform from zero to there: where in its period something stands.
Duration random_phase(RandomStream& random, Duration period) {
  return Duration::picoseconds(random.uniform_between({.low = 0, .high = period.picoseconds()}));
}

}  // namespace

wire::BgpPrefix block_of(PrefixId prefix) {
  return {.address = kBlocks | std::uint32_t{prefix} << 8U, .length = kBlockLength};
}

std::optional<PrefixId> prefix_of(const wire::BgpPrefix& block, std::uint32_t prefixes) {
  const std::uint32_t number = (block.address - kBlocks) >> 8U;
  if (block.length != kBlockLength || block.address < kBlocks || number >= prefixes) {
    return std::nullopt;
  }
  return static_cast<PrefixId>(number);
}

SwitchControl::SwitchControl(const Options& options, const ControlOptions& control, PathTable& paths)
    : options_(options),
      control_(control),
      paths_(&paths),
      random_(stream_of(options, "phases")),
      speaker_(speaker_options(options, control), paths, stream_of(options, "mrai")),
      fib_({.unit = control.fib_unit,
            .write_time = control.fib_time,
            .prefixes = options.prefixes,
            .ports = static_cast<std::uint32_t>(options.neighbours.size())}),
      ports_(options.neighbours.size()),
      deadlines_(options.neighbours.size(), Time::never()) {
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    if (options.neighbours[port].identifier != 0) {
      make_port(static_cast<std::uint16_t>(port), options.neighbours[port]);
    }
  }
}

void SwitchControl::make_port(std::uint16_t port, const Neighbour& neighbour) {
  const std::string name = "port" + std::to_string(port);
  ports_[port].session.emplace(BgpSession::Options{.as_number = options_.as_number,
                                                   .peer_as = neighbour.as_number,
                                                   .identifier = options_.identifier,
                                                   .hold_time = control_.hold_time,
                                                   .connect_retry = control_.connect_retry,
                                                   .opens = options_.identifier > neighbour.identifier},
                               stream_of(options_, name + "/bgp"));
  if (control_.has_bfd) {
    ports_[port].bfd.emplace(BfdSession::Options{.interval = control_.bfd_interval,
                                                 .multiplier = control_.bfd_multiplier,
                                                 .discriminator = neighbour.own_discriminator},
                             stream_of(options_, name + "/bfd"));
  }
}

void SwitchControl::start_cold(Time now) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<std::uint16_t>(i);
    if (!is_port(port)) {
      continue;
    }
    ports_[port].session->start(now);
    if (ports_[port].bfd) {
      ports_[port].bfd->start(now);
    }
    ports_[port].lldp_at = control_.has_lldp ? now : Time::never();
    run_port(port, now);
  }
}

void SwitchControl::start_converged(Time now) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<std::uint16_t>(i);
    PortState& state = ports_[port];
    if (!is_port(port)) {
      continue;
    }
    state.session->set_peer_identifier(options_.neighbours[port].identifier);
    state.session->start_established(random_phase(random_, control_.hold_time / 3), now);
    state.was_established = true;
    if (state.bfd) {
      state.bfd->start_up(options_.neighbours[port].discriminator, random_phase(random_, control_.bfd_interval), now);
      state.bfd_was_up = true;
    }
    state.lldp_at = control_.has_lldp ? now + random_phase(random_, control_.lldp_interval) : Time::never();
    refresh_deadline(port);
  }
}

void SwitchControl::preset_entries() {
  (void)speaker_.take_changed();
  for (std::uint32_t prefix = 0; prefix < options_.prefixes; ++prefix) {
    fib_.preset(static_cast<PrefixId>(prefix), speaker_.next_hops(static_cast<PrefixId>(prefix)));
  }
}

// What comes in.

void SwitchControl::on_frame(std::uint16_t port, const ControlFrame& frame, Time now) {
  if (!is_port(port)) {
    return;
  }
  PortState& state = ports_[port];
  switch (frame.kind) {
    case ControlFrameKind::kSegment:
      state.session->on_segment(frame.segment, now);
      enqueue(port);
      break;
    case ControlFrameKind::kBfd:
      if (const Result<wire::BfdControl> packet = wire::BfdControl::parse(frame.bytes); !packet) {
        ++counters_.bad_frames;
      } else if (state.bfd) {
        state.bfd->on_packet(*packet, now);
      }
      break;
    case ControlFrameKind::kLldp:
      if (Result<wire::LldpUnit> unit = wire::LldpUnit::parse(frame.bytes); unit) {
        state.heard = std::move(*unit);
      } else {
        ++counters_.bad_frames;
      }
      break;
  }
  run_port(port, now);
}

void SwitchControl::on_signal(std::uint16_t port, Signal signal, Time now) {
  PortState& state = ports_[port];
  if (!is_port(port) || !control_.has_signal) {
    return;
  }
  state.signal = signal;
  state.signal_at = now + control_.signal_delay;
  refresh_deadline(port);
}

void SwitchControl::drain_at(std::uint16_t port, Time at) {
  if (is_port(port)) {
    std::deque<Time>& drains = ports_[port].drains;
    drains.insert(std::ranges::upper_bound(drains, at), at);
    refresh_deadline(port);
  }
}

void SwitchControl::notice_signal(std::uint16_t port, Time now) {
  PortState& state = ports_[port];
  state.signal_at = Time::never();
  const bool is_back = state.signal == Signal::kBack;
  if (std::exchange(state.has_signal, is_back) == is_back) {
    return;
  }
  if (!is_back) {
    if (state.bfd) {
      state.bfd->stop();
      state.bfd_was_up = false;
    }
    return path_failed(port, SessionEnd::kSignal, now);
  }
  speaker_.set_drain(port, BgpSpeaker::Drain::kOff);
  state.session->stop(SessionEnd::kSignal, now);
  state.session->start(now);
  if (state.bfd) {
    state.bfd->start(now);
  }
  if (control_.has_lldp) {
    state.lldp_at = now;
  }
}

// Known to be dead: by signal or BFD. Whatever else ends a session says nothing of the path.
void SwitchControl::path_failed(std::uint16_t port, SessionEnd end, Time now) {
  ports_[port].session->stop(end, now);
  if (control_.local_repair) {
    note_written(fib_.repair(port));
  }
}

// Whatever has become of session and BFD since they were last looked at.
void SwitchControl::notice_sessions(std::uint16_t port, Time now) {
  PortState& state = ports_[port];
  if (state.bfd && state.bfd->is_up() != state.bfd_was_up) {
    state.bfd_was_up = state.bfd->is_up();
    if (!state.bfd_was_up) {
      path_failed(port, SessionEnd::kBfd, now);
    }
  }
  // A session may have ended and begun again within one call.
  const std::uint64_t ends = state.session->counters().ended_established;
  const bool ended = state.was_established && ends > state.epoch;
  state.epoch = ends;
  if (ended) {
    state.was_established = false;
    ++counters_.ends[static_cast<std::size_t>(state.session->last_end())];
    ++counters_.session_changes;
    speaker_.peer_down(port);
  }
  if (state.session->is_established() && !state.was_established) {
    state.was_established = true;
    ++counters_.session_changes;
    speaker_.peer_up(port);
    fib_.restore(port, now);
  }
}

// The CPU.

void SwitchControl::enqueue(std::uint16_t port) {
  for (BgpSession::Arrived& arrived : ports_[port].session->take_updates()) {
    work_.push_back({.port = port, .epoch = ports_[port].epoch, .update = std::move(arrived.update)});
  }
}

void SwitchControl::start_work(Time now) {
  if (!work_done_at_.is_never() || work_.empty()) {
    return;
  }
  const wire::BgpUpdate& update = work_.front().update;
  const auto prefixes =
      static_cast<std::int64_t>(std::max<std::size_t>(update.reachable.size() + update.withdrawn.size(), 1));
  const Duration cost = control_.processing_time * prefixes;
  counters_.cpu_time += cost;
  counters_.prefixes_processed += static_cast<std::uint64_t>(prefixes);
  work_done_at_ = now + cost;
}

void SwitchControl::finish_work(Time now) {
  if (work_done_at_ > now) {
    return;
  }
  work_done_at_ = Time::never();
  const Work done = std::move(work_.front());
  work_.pop_front();
  if (done.epoch == ports_[done.port].epoch && speaker_.is_peer_up(done.port)) {
    apply(done.port, done.update);
  }
}

void SwitchControl::apply(std::uint16_t port, const wire::BgpUpdate& update) {
  for (const wire::BgpPrefix& block : update.withdrawn) {
    if (const std::optional<PrefixId> prefix = prefix_of(block, options_.prefixes)) {
      speaker_.on_route(port, *prefix, kNoPath);
    }
  }
  if (update.reachable.empty()) {
    return;
  }
  const bool shuts_down = std::ranges::count(update.attributes.communities, wire::kGracefulShutdown) > 0;
  const PathId path = paths_->of({.numbers = update.attributes.as_path, .shuts_down = shuts_down});
  for (const wire::BgpPrefix& block : update.reachable) {
    if (const std::optional<PrefixId> prefix = prefix_of(block, options_.prefixes)) {
      speaker_.on_route(port, *prefix, path);
    }
  }
}

// What goes out.

void SwitchControl::follow_routes(Time now) {
  for (const PrefixId prefix : speaker_.take_changed()) {
    fib_.want(prefix, speaker_.next_hops(prefix), now);
  }
  if (!speaker_.take_marked()) {
    return;
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<std::uint16_t>(i);
    if (is_port(port) && speaker_.next_update(port) <= now) {
      send_updates(port, now);
      collect(port, now);
    } else if (is_port(port)) {
      refresh_deadline(port);  // MRAI
    }
  }
}

void SwitchControl::send_updates(std::uint16_t port, Time now) {
  for (const RouteUpdate& update : speaker_.poll(port, now)) {
    send_update(port, update);
  }
}

// As many prefixes in a message as it holds.
void SwitchControl::send_update(std::uint16_t port, const RouteUpdate& update) {
  wire::BgpUpdate message;
  std::size_t room = wire::kBgpMaxMessage - wire::kBgpUpdateFixed;
  if (update.path != kNoPath) {
    const AsPath& path = (*paths_)[update.path];
    message.attributes = {.as_path = path.numbers, .next_hop = kLinkLocal | (options_.identifier & 0xFFFFU)};
    if (path.shuts_down) {
      message.attributes.communities.push_back(wire::kGracefulShutdown);
    }
    room -= wire::bgp_attributes_size(message.attributes);
  }
  const std::size_t most = room / wire::bgp_prefix_size(block_of(0));
  for (std::size_t at = 0; at < update.prefixes.size(); at += most) {
    std::vector<wire::BgpPrefix>& blocks = update.path == kNoPath ? message.withdrawn : message.reachable;
    blocks.clear();
    for (std::size_t i = at; i < std::min(at + most, update.prefixes.size()); ++i) {
      blocks.push_back(block_of(update.prefixes[i]));
    }
    ports_[port].session->send(message);
  }
}

void SwitchControl::send(std::uint16_t port, ControlFrame frame) {
  counters_.frame_bytes += control_frame_bytes(frame);
  outgoing_.push_back({.port = port, .frame = std::move(frame)});
}

/// Everything that session, BFD and LLDP of the port have to send now.
void SwitchControl::collect(std::uint16_t port, Time now) {
  PortState& state = ports_[port];
  while (std::optional<Segment> segment = state.session->poll(now)) {
    ++counters_.segments;
    send(port, {.kind = ControlFrameKind::kSegment, .segment = std::move(*segment)});
  }
  if (state.bfd) {
    while (const std::optional<wire::BfdControl> packet = state.bfd->poll(now)) {
      ++counters_.bfd_packets;
      ControlFrame frame{.kind = ControlFrameKind::kBfd};
      frame.bytes.resize(wire::BfdControl::kSize);
      packet->emit(frame.bytes);
      send(port, std::move(frame));
    }
  }
  if (state.lldp_at <= now) {
    ++counters_.lldp_units;
    ControlFrame frame{.kind = ControlFrameKind::kLldp};
    wire::LldpUnit{.chassis = options_.name, .port = "port" + std::to_string(port), .system_name = options_.name}.emit(
        frame.bytes);
    send(port, std::move(frame));
    state.lldp_at = now + control_.lldp_interval;
  }
  refresh_deadline(port);
}

std::optional<SwitchControl::Outgoing> SwitchControl::poll() {
  if (outgoing_.empty()) {
    return std::nullopt;
  }
  Outgoing first = std::move(outgoing_.front());
  outgoing_.pop_front();
  return first;
}

void SwitchControl::note_written(const std::vector<PrefixId>& prefixes) {
  written_.insert(written_.end(), prefixes.begin(), prefixes.end());
}

// Time.

void SwitchControl::refresh_deadline(std::uint16_t port) {
  const PortState& state = ports_[port];
  Time next = earlier(state.signal_at, earlier(state.lldp_at, speaker_.next_update(port)));
  next = earlier(next, state.session->next_timeout());
  if (!state.drains.empty()) {
    next = earlier(next, state.drains.front());
  }
  deadlines_[port] = state.bfd ? earlier(next, state.bfd->next_timeout()) : next;
}

/// After something has happened at the port.
void SwitchControl::run_port(std::uint16_t port, Time now) {
  notice_sessions(port, now);
  collect(port, now);
  start_work(now);
  follow_routes(now);
}

void SwitchControl::on_timeout(Time now) {
  finish_work(now);
  if (fib_.next_write() <= now) {
    note_written(fib_.write(now));
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (deadlines_[i] > now) {
      continue;
    }
    const auto port = static_cast<std::uint16_t>(i);
    PortState& state = ports_[port];
    if (state.signal_at <= now) {
      notice_signal(port, now);
    }
    if (!state.drains.empty() && state.drains.front() <= now) {
      state.drains.pop_front();
      speaker_.set_drain(port, BgpSpeaker::Drain::kOn);
    }
    if (state.session->next_timeout() <= now) {
      state.session->on_timeout(now);
    }
    if (state.bfd && state.bfd->next_timeout() <= now) {
      state.bfd->on_timeout(now);
    }
    notice_sessions(port, now);
    if (speaker_.next_update(port) <= now) {  // MRAI has passed
      send_updates(port, now);
    }
    collect(port, now);
  }
  start_work(now);
  follow_routes(now);
}

Time SwitchControl::next_timeout() const {
  const Time first = deadlines_.empty() ? Time::never() : *std::ranges::min_element(deadlines_);
  return earlier(first, earlier(work_done_at_, fib_.next_write()));
}

// For reports.

const BgpSession* SwitchControl::session(std::uint16_t port) const {
  return is_port(port) ? &*ports_[port].session : nullptr;
}

const BfdSession* SwitchControl::bfd(std::uint16_t port) const {
  return ports_[port].bfd ? &*ports_[port].bfd : nullptr;
}

BgpSession::Counters SwitchControl::session_counters() const {
  BgpSession::Counters sum;
  for (const PortState& state : ports_) {
    if (state.session) {
      const BgpSession::Counters& own = state.session->counters();
      sum.messages += own.messages;
      sum.bytes += own.bytes;
      sum.updates += own.updates;
      sum.faults += own.faults;
      sum.ended_established += own.ended_established;
    }
  }
  return sum;
}

std::uint64_t SwitchControl::retransmissions() const {
  std::uint64_t sum = 0;
  for (const PortState& state : ports_) {
    sum += state.session ? state.session->retransmissions() : 0;
  }
  return sum;
}

std::uint32_t SwitchControl::established() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      ports_, [](const PortState& state) { return state.session && state.session->is_established(); }));
}

bool SwitchControl::is_quiet() const {
  if (!work_.empty() || !fib_.is_idle()) {
    return false;
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const PortState& state = ports_[i];
    if (state.session && (!speaker_.next_update(static_cast<std::uint16_t>(i)).is_never() ||
                          (state.session->is_established() && !state.session->is_drained()))) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::fabric
