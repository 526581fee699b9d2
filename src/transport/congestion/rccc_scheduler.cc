#include "transport/congestion/rccc_scheduler.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

constexpr std::int64_t kPacketsPerCredit = 4;
constexpr std::int64_t kQuantaOfNothing = Bytes(1'024) / CreditTotal::kQuantum;

}  // namespace

CreditScheduler::CreditScheduler(const Parameters& parameters)
    : parameters_(parameters),
      quanta_per_packet_(kPacketsPerCredit * parameters.payload / CreditTotal::kQuantum),
      part_(parameters.part) {
  WEFT_ASSERT(parameters.line > Rate::zero() && quanta_per_packet_ > 0 && parameters.window > Bytes::zero());
  WEFT_ASSERT(parameters.part > Probability::zero());
}

CreditScheduler::Handle CreditScheduler::add() {
  Handle sender = static_cast<Handle>(senders_.size());
  if (free_.empty()) {
    senders_.emplace_back();
  } else {
    sender = free_.back();
    free_.pop_back();
  }
  senders_[sender] = {.generation = senders_[sender].generation, .used = true};
  return sender;
}

void CreditScheduler::remove(Handle sender) {
  WEFT_ASSERT(sender < senders_.size() && senders_[sender].used);
  Sender& leaving = senders_[sender];
  active_count_ -= leaving.active ? 1 : 0;
  idle_count_ -= leaving.idle ? 1 : 0;
  leaving = {.generation = leaving.generation + 1};
  free_.push_back(sender);
}

void CreditScheduler::activate(Handle sender) {
  Sender& one = senders_[sender];
  if (one.active) {
    return;
  }
  if (one.idle) {
    one.idle = false;
    --idle_count_;
    ++one.generation;  // voids its place there
  }
  one.active = true;
  ++active_count_;
  active_.push_back({.sender = sender, .generation = one.generation});
}

void CreditScheduler::on_target(Handle sender, CreditTotal target) {
  WEFT_DCHECK(sender < senders_.size() && senders_[sender].used);
  Sender& one = senders_[sender];
  if (target - one.target <= 0) {
    return;
  }
  one.target = target;
  activate(sender);
}

void CreditScheduler::on_request(Handle sender) {
  WEFT_DCHECK(sender < senders_.size() && senders_[sender].used);
  activate(sender);
}

void CreditScheduler::set_part_of_rate(Probability part) {
  WEFT_ASSERT(part > Probability::zero());
  part_ = parameters_.part * part;
}

Time CreditScheduler::next_transmit() const { return active_count_ + idle_count_ > 0 ? not_before_ : Time::never(); }

std::optional<CreditScheduler::Handle> CreditScheduler::next_active() {
  while (!active_.empty()) {
    const Entry entry = active_.pop_front();
    Sender& one = senders_[entry.sender];
    if (one.generation == entry.generation && one.active) {
      one.active = false;
      --active_count_;
      return entry.sender;
    }
  }
  return std::nullopt;
}

std::optional<CreditScheduler::Handle> CreditScheduler::next_idle() {
  while (!idle_.empty()) {
    const Entry entry = idle_.pop_front();
    Sender& one = senders_[entry.sender];
    if (one.generation == entry.generation && one.idle) {
      one.idle = false;
      --idle_count_;
      return entry.sender;
    }
  }
  return std::nullopt;
}

// It has what it asked for: slow credit is what is left for it.
void CreditScheduler::satisfy(Handle sender) {
  Sender& one = senders_[sender];
  const std::int64_t ahead = one.granted - one.target;
  if (ahead >= parameters_.window / CreditTotal::kQuantum) {
    return;
  }
  one.idle = true;
  ++idle_count_;
  idle_.push_back({.sender = sender, .generation = one.generation});
}

std::optional<CreditScheduler::Grant> CreditScheduler::poll(Time now) {
  if (now < not_before_) {
    return std::nullopt;
  }
  if (const std::optional<Handle> sender = next_active()) {
    Sender& one = senders_[*sender];
    const std::int64_t quanta = std::clamp<std::int64_t>(one.target - one.granted, 0, quanta_per_packet_);
    one.granted = one.granted + quanta;
    if (one.target - one.granted > 0) {
      activate(*sender);
    } else {
      satisfy(*sender);
    }
    wait_for(quanta > 0 ? quanta : kQuantaOfNothing, now);
    return Grant{.sender = *sender, .total = one.granted};
  }
  if (const std::optional<Handle> sender = next_idle()) {
    Sender& one = senders_[*sender];
    one.granted = one.granted + quanta_per_packet_;
    satisfy(*sender);
    wait_for(quanta_per_packet_, now);
    return Grant{.sender = *sender, .total = one.granted, .slow = true};
  }
  return std::nullopt;
}

// The time that what was granted takes at this part of the line, rounded up.
void CreditScheduler::wait_for(std::int64_t quanta, Time now) {
  const Duration whole = parameters_.line.transmit_time(quanta * CreditTotal::kQuantum);
  const Uint128 scaled =
      (static_cast<Uint128>(static_cast<std::uint64_t>(whole.picoseconds())) << 63) + part_.raw() - 1;
  not_before_ = now + Duration::picoseconds(static_cast<std::int64_t>(scaled / part_.raw()));
}

}  // namespace weft::transport
