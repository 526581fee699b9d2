#include "transport/uet/uet_endpoint.h"

#include <bit>
#include <utility>

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::transport {
namespace {

bool in_range(const UetOptions& options) {
  return options.max_pdcs > 0 && options.idle_close > Duration::zero() && std::has_single_bit(options.psn_window) &&
         options.psn_window >= 128 && options.psn_window <= 32'640 && options.timeout > Duration::zero() &&
         options.max_retries > 0 && options.max_messages > 0 && options.max_messages <= 16'384 &&
         options.max_responses > 0 && options.receiver_penalty < 128 && options.max_congestion_contexts > 0 &&
         options.max_tracked_psns >= options.psn_window;
}

}  // namespace

UetEndpoint::UetEndpoint(const Setup& setup, const QpnTable& numbers, verbs::Context& context)
    : setup_(setup), numbers_(numbers), context_(context) {
  WEFT_ASSERT(in_range(setup.options));
  WEFT_ASSERT(wire::is_uet(setup.encapsulation));
  pool_.push_back(std::make_unique<Place>());
  set_policies(setup.policies);
}

void UetEndpoint::set_policies(const UetPolicies& policies) {
  setup_.policies = policies;
  if (policies.credits && credits_ == nullptr)
    credits_ = std::make_unique<EndpointCredits>(*policies.credits, setup_.seed);
}

void UetEndpoint::set_full_headers() {
  setup_.options.full_headers = true;
  queue_pairs_.for_each_live([](Handle /*handle*/, UetQueuePair& qp) { qp.end_runs(); });
}

UetEndpoint::Handle UetEndpoint::create(const QpIdentity& identity, const verbs::QpInitAttributes& init) {
  const Handle handle = queue_pairs_.allocate(identity, init, *this);
  queue_pairs_[handle].set_place(handle.value());
  return handle;
}

void UetEndpoint::destroy(Handle handle, Time now) {
  leave(queue_pairs_[handle], now);
  queue_pairs_.release(handle);
}

// The pool.

std::uint64_t UetEndpoint::key_of(const Pdc::Key& key) {
  return static_cast<std::uint64_t>(key.peer.value()) << 16 | static_cast<std::uint64_t>(key.traffic_class) << 8 |
         static_cast<std::uint64_t>(key.mode);
}

std::uint64_t UetEndpoint::key_of(EndpointId source, std::uint16_t source_pdc) {
  return static_cast<std::uint64_t>(source.value()) << 16 | source_pdc;
}

wire::UetNack UetEndpoint::shortage() const {
  const UetOptions& options = setup_.options;
  if (live_ >= options.max_pdcs)
    return wire::UetNack::kNoPdc;
  if (setup_.policies.congestion_control && live_ >= options.max_congestion_contexts)
    return wire::UetNack::kNoCcc;
  return (live_ + std::uint64_t{1}) * options.psn_window > options.max_tracked_psns ? wire::UetNack::kNoBitmap
                                                                                    : wire::UetNack::kNone;
}

std::uint16_t UetEndpoint::allocate() {
  if (shortage() != wire::UetNack::kNone)
    return 0;
  ++live_;
  if (!free_.empty())
    return free_.pop_front();
  pool_.push_back(std::make_unique<Place>());
  return static_cast<std::uint16_t>(pool_.size() - 1);
}

std::uint16_t UetEndpoint::context_for(const QpCore& core, Time now) {
  wire::Packet like;
  core.start_packet(like);
  return context_for(like.common, setup_.options.mode, now);
}

std::uint16_t UetEndpoint::context_for(const wire::PacketCommon& common, UetMode mode, Time now) {
  const Pdc::Key key{.peer = common.destination, .traffic_class = common.traffic_class, .mode = mode};
  const auto found = initiators_.find(key_of(key));
  if (found != initiators_.end())
    return found->second;
  const std::uint16_t place = allocate();
  if (place == 0) {
    ++counters_.refused;
    reclaim(now);
    return 0;
  }
  initiators_.emplace(key_of(key), place);
  open(place,
       {.key = key,
        .role = Pdc::Role::kInitiator,
        .start_psn = next_starts_.try_emplace(key.peer.value(), first_start(key.peer)).first->second,
        .common = common},
       now);
  return place;
}

/// f(seed, peer): where the first context with this peer starts.
std::uint32_t UetEndpoint::first_start(EndpointId peer) const {
  return static_cast<std::uint32_t>(stable_hash(setup_.seed + peer.value(), "uet start psn"));
}

void UetEndpoint::open(std::uint16_t number, Pdc::Opening opening, Time now) {
  Place& place = *pool_[number];
  ++serial_;
  const bool one_path = opening.key.mode == UetMode::kRod;
  place.control = setup_.policies.congestion_control ? setup_.policies.congestion_control() : nullptr;
  past_path_changes_ += place.paths != nullptr ? place.paths->changes() : 0;
  place.paths = setup_.policies.path_selector && !one_path
                    ? setup_.policies.path_selector(stable_hash(setup_.seed + serial_, "uet paths"))
                    : nullptr;
  opening.common.kind = wire::PacketKind::kUet;
  opening.id = number;
  opening.policies = {.congestion_control = place.control.get(), .path_selector = place.paths.get()};
  place.credit = credits_ == nullptr ? nullptr : credits_->make_sender();
  opening.credit = place.credit.get();
  place.common = opening.common;
  place.pdc.open(opening, call(now));
  touch(number);
}

std::uint64_t UetEndpoint::path_changes() const {
  std::uint64_t changes = past_path_changes_;
  for (const std::unique_ptr<Place>& place : pool_) {
    changes += place != nullptr && place->paths != nullptr ? place->paths->changes() : 0;
  }
  return changes;
}

void UetEndpoint::touch(std::uint16_t number) {
  if (!pool_[number]->touched) {
    pool_[number]->touched = true;
    touched_.push_back(number);
  }
}

std::uint16_t UetEndpoint::take_touched() {
  const std::uint16_t number = touched_.pop_front();
  pool_[number]->touched = false;
  return number;
}

void UetEndpoint::settle_slow(std::uint16_t number, Time now) {
  const Pdc& pdc = pool_[number]->pdc;
  if (pdc.state() == Pdc::State::kDone) [[unlikely]] {
    release(number, now);
  } else if (pdc.state() == Pdc::State::kClosing && pdc.role() == Pdc::Role::kInitiator) [[unlikely]] {
    // Whoever has something to send next opens another one.
    if (const auto found = initiators_.find(key_of(pdc.key())); found != initiators_.end() && found->second == number)
      initiators_.erase(found);
  }
  if (credits_ != nullptr)
    note_ready(number, now);
}

// Contexts share the NIC: each asks for credit by the number of those that could send.
void UetEndpoint::note_ready(std::uint16_t number, Time now) {
  credits_->note_ready(number, pool_[number]->pdc.live() && pool_[number]->pdc.next_data() <= now);
}

void UetEndpoint::grant_credit(Time now) {
  while (credits_->next_grant() <= now) {
    const std::optional<EndpointCredits::Grant> grant = credits_->poll(now);
    if (!grant)
      break;
    pool_[grant->place]->pdc.grant(grant->total, !setup_.policies.congestion_control);
    touch(grant->place);
  }
  if (credits_->next_grant() < grant_at_) {
    grant_at_ = credits_->next_grant();
    touch(0);
  }
}

std::uint32_t& UetEndpoint::raise_start(Starts& starts, EndpointId peer, std::uint32_t psn) {
  std::uint32_t& start = starts.try_emplace(peer.value(), psn).first->second;
  if (psn_distance(start, psn) > 0)
    start = psn;
  return start;
}

void UetEndpoint::release(std::uint16_t number, Time now) {
  Pdc& pdc = pool_[number]->pdc;
  const EndpointId peer = pdc.key().peer;
  const std::uint64_t key = pdc.role() == Pdc::Role::kInitiator ? key_of(pdc.key()) : key_of(peer, pdc.peer_id());
  auto& places = pdc.role() == Pdc::Role::kInitiator ? initiators_ : targets_;
  if (const auto found = places.find(key); found != places.end() && found->second == number)
    places.erase(found);
  if (pdc.role() == Pdc::Role::kInitiator) {
    raise_start(next_starts_, peer, pdc.end_psn());
  } else {
    std::uint32_t& least = raise_start(least_starts_, peer, pdc.end_psn());
    if (setup_.options.secure_start == SecureStart::kOneRtt)
      least += static_cast<std::uint32_t>(stable_hash(setup_.seed + ++serial_, "uet least start") & 0xFFFFF);
  }
  if (pdc.closed_by_peer()) {
    send_stray({.destination = peer,
                .psn = pdc.end_psn() - 1,
                .source_pdc = number,
                .destination_pdc = pdc.peer_id(),
                .traffic_class = pdc.key().traffic_class});
  }
  if (pdc.failed_closing()) {
    send_stray({.destination = peer,
                .psn = pdc.end_psn(),
                .source_pdc = number,
                .destination_pdc = pdc.peer_id(),
                .traffic_class = pdc.key().traffic_class,
                .nack = wire::UetNack::kClosingInError});
  }
  const bool failed = pdc.failed();
  const bool cut_short = pdc.cut_short();
  pdc.free();
  if (credits_ != nullptr)
    credits_->forget(number);
  --live_;
  free_.push_back(number);
  if (failed) {
    tell_users(number, now);
  } else if (cut_short) {
    queue_pairs_.for_each_live([number](Handle /*handle*/, UetQueuePair& qp) { qp.on_context_closed(number); });
  }
  if (jobs_ != nullptr) {
    jobs_->messenger.on_context_gone(
        number, failed ? SesMessenger::ContextEnd::kFailed : SesMessenger::ContextEnd::kClosed, now);
  }
  serve_waiting(now);
}

// Rare: a context has given up, and whoever had packets in it must know.
void UetEndpoint::tell_users(std::uint16_t number, Time now) {
  queue_pairs_.for_each_live([&](Handle /*handle*/, UetQueuePair& qp) {
    if (qp.pdc_of(UetQueuePair::Half::kRequester) == number || qp.pdc_of(UetQueuePair::Half::kResponder) == number)
      qp.on_context_lost(number, context_, now);
  });
}

// The idle context that has rested longest is to close; one that is being closed already leaves room soon.
void UetEndpoint::reclaim(Time now) {
  std::uint16_t oldest = 0;
  for (std::size_t number = 1; number < pool_.size(); ++number) {
    const Pdc& pdc = pool_[number]->pdc;
    if (!pdc.idle() || pdc.close_wanted())
      continue;
    if (oldest == 0 || pdc.idle_since() < pool_[oldest]->pdc.idle_since())
      oldest = static_cast<std::uint16_t>(number);
  }
  if (oldest == 0)
    return;
  pool_[oldest]->pdc.want_close(call(now));
  settle(oldest, now);
  touch(oldest);
}

void UetEndpoint::serve_waiting(Time now) {
  for (std::uint32_t left = waiting_.size(); left > 0 && shortage() == wire::UetNack::kNone; --left) {
    const std::uint32_t owner = waiting_.pop_front();
    if (is_message(owner)) {
      jobs_->messenger.on_room(owner, now);
    } else {
      queue_pair_of(owner).on_room(context_, now);
    }
  }
}

void UetEndpoint::enqueue(std::uint16_t place, std::uint32_t owner, Time now) {
  pool_[place]->pdc.enqueue(owner, now);
  if (credits_ != nullptr)
    note_ready(place, now);
  touch(place);
}

void UetEndpoint::remove_user(std::uint16_t place) {
  pool_[place]->pdc.remove_user();
  touch(place);
}

void UetEndpoint::forget(std::uint16_t place, std::uint32_t owner) { pool_[place]->pdc.forget(owner); }

void UetEndpoint::leave(UetQueuePair& qp, Time /*now*/) {
  using Half = UetQueuePair::Half;
  if (qp.uses_context())
    remove_user(qp.pdc_of(Half::kRequester));
  qp.forget_contexts();
  for (const Half half : {Half::kRequester, Half::kResponder}) {
    const std::uint32_t owner = qp.owner_of(half);
    for (std::size_t number = 1; number < pool_.size(); ++number) {
      if (pool_[number]->pdc.live())
        pool_[number]->pdc.forget(owner);
    }
    for (std::uint32_t left = waiting_.size(); left > 0; --left) {
      if (const std::uint32_t other = waiting_.pop_front(); other != owner)
        waiting_.push_back(other);
    }
  }
}

std::size_t UetEndpoint::state_bytes(std::uint16_t place) const {
  return sizeof(Place) + pool_[place]->pdc.heap_bytes();
}

std::size_t UetEndpoint::heap_bytes() const {
  std::size_t bytes = queue_pairs_.heap_bytes() + pool_.capacity() * sizeof(pool_[0]) + free_.heap_bytes() +
                      touched_.heap_bytes() + strays_.heap_bytes() + waiting_.heap_bytes() +
                      (credits_ == nullptr ? 0 : credits_->heap_bytes());
  for (std::size_t number = 0; number < pool_.size(); ++number)
    bytes += state_bytes(static_cast<std::uint16_t>(number));
  if (jobs_ != nullptr)
    bytes += jobs_->rudi.heap_bytes();
  // Of hash tables, what they keep per entry: key, value, link, and a bucket.
  constexpr std::size_t kEntry = 40;
  bytes += kEntry * (initiators_.size() + targets_.size() + next_starts_.size() + least_starts_.size());
  return bytes;
}

}  // namespace weft::transport
