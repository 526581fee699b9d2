#include "verbs/memory.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::verbs {

namespace {

constexpr std::uint32_t kHalfMask = 0xFFFF;

// Sixteen well mixed bits of (half, key). Every access of every packet takes this path, hence two multiplications and
// not a cipher: it keeps keys from being derived from one another by simple means, and guessing at 1 in 2^32 a try.
constexpr std::uint32_t round_function(std::uint32_t half, std::uint64_t key) {
  std::uint64_t mixed = (half + key) * 0x9E3779B97F4A7C15ULL;
  mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93ULL;
  return static_cast<std::uint32_t>(mixed >> 48);
}

Result<void> check_registration(const MemoryTable::Registration& registration) {
  //= ibta-1.7 11.2.8
  const bool needs_local_write = (registration.access & (kAccessRemoteWrite | kAccessRemoteAtomic)) != 0;
  if (needs_local_write && (registration.access & kAccessLocalWrite) == 0) {
    return fail("memory region: remote write and remote atomic access also need local write access");
  }
  constexpr auto kLastAddress = std::numeric_limits<std::uint64_t>::max();
  if (registration.length > 0 && registration.length - 1 > kLastAddress - registration.address) {
    return fail("memory region: {} bytes from address {:#x} pass the end of the address space", registration.length,
                registration.address);
  }
  return {};
}

}  // namespace

MemoryTable::MemoryTable(std::uint64_t key_seed, KeyOrder order) : order_(order) {
  for (std::size_t i = 0; i < kRounds; ++i) {
    round_keys_[i] = sip_hash({.k0 = key_seed, .k1 = i}, "memory key round");
  }
}

Result<std::uint32_t> MemoryTable::register_region(const Registration& registration) {
  if (auto checked = check_registration(registration); !checked) {
    return pass_on(checked);
  }
  if (free_.empty() && slots_.size() == kMaxSlots) {
    return fail("memory region: the device already has {} regions, its limit", kMaxSlots);
  }
  ++version_;
  const std::uint32_t index = claim_slot();
  const std::uint32_t key = next_key(index);
  Slot& slot = slots_[index];
  slot.state = SlotState::kOpen;
  slot.region = MemoryRegion{.address = registration.address,
                             .length = registration.length,
                             .bytes = registration.bytes,
                             .pd = registration.pd,
                             .key = key,
                             .access = registration.access,
                             .invalidatable = registration.invalidatable,
                             .place = registration.place};
  ++live_;
  return key;
}

std::uint32_t MemoryTable::claim_slot() {
  if (free_.size() > kResting || slots_.size() == kMaxSlots) {
    return free_.pop_front();
  }
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

std::uint32_t MemoryTable::next_key(std::uint32_t index) {
  std::uint32_t key = 0;
  do {
    std::uint16_t& generation = slots_[index].generation;
    generation = static_cast<std::uint16_t>((generation + 1) & ((1U << kGenerationBits) - 1));
    key = key_of(index << kGenerationBits | generation);
  } while (key == 0);  // programs take 0 for "no key"
  return key;
}

bool MemoryTable::deregister(std::uint32_t key) {
  const Slot* found = slot_of(key);
  if (found == nullptr) {
    return false;
  }
  ++version_;
  const auto index = static_cast<std::uint32_t>(found - slots_.data());
  slots_[index].region = MemoryRegion{};
  slots_[index].state = SlotState::kFree;
  free_.push_back(index);
  --live_;
  return true;
}

AccessFault MemoryTable::invalidate(PdHandle pd, std::uint32_t key) {
  const Slot* found = slot_of(key);
  if (found == nullptr || found->state != SlotState::kOpen) {
    return AccessFault::kInvalidKey;
  }
  if (found->region.pd != pd) {
    return AccessFault::kWrongDomain;
  }
  if (!found->region.invalidatable) {
    return AccessFault::kPermission;
  }
  ++version_;
  slots_[static_cast<std::size_t>(found - slots_.data())].state = SlotState::kInvalidated;
  return AccessFault::kNone;
}

MemoryTable::Checked MemoryTable::check(const AccessRequest& request) const {
  //= ibta-1.7 9.7.4.1.5
  if (request.length == 0) {
    return {};
  }
  const MemoryRegion* region = find(request.key);
  if (region == nullptr) {
    return {.fault = AccessFault::kInvalidKey};
  }
  if (region->pd != request.pd) {
    return {.fault = AccessFault::kWrongDomain};
  }
  // Subtractions only: a sum could wrap around and look small.
  if (request.address < region->address || request.length > region->length ||
      request.address - region->address > region->length - request.length) {
    return {.fault = AccessFault::kOutOfBounds};
  }
  if ((request.access & ~region->access) != 0) {
    return {.fault = AccessFault::kPermission};
  }
  return {.fault = AccessFault::kNone, .region = region};
}

const MemoryRegion* MemoryTable::find(std::uint32_t key) const {
  const Slot* slot = slot_of(key);
  return slot != nullptr && slot->state == SlotState::kOpen ? &slot->region : nullptr;
}

std::size_t MemoryTable::count_in(PdHandle pd) const {
  return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [pd](const Slot& slot) {
    return slot.state != SlotState::kFree && slot.region.pd == pd;
  }));
}

const MemoryTable::Slot* MemoryTable::slot_of(std::uint32_t key) const {
  const std::uint32_t index = index_of(key);
  if (index >= slots_.size()) {
    return nullptr;
  }
  // Equal keys mean equal generations, since the permutation is one to one.
  const Slot& slot = slots_[index];
  return slot.state != SlotState::kFree && slot.region.key == key ? &slot : nullptr;
}

std::uint32_t MemoryTable::index_of(std::uint32_t key) const {
  Deciphered& last = deciphered_[key % deciphered_.size()];
  if (last.key != key) [[unlikely]] {
    last = {.key = key, .index = plain_of(key) >> kGenerationBits};
  }
  return last.index;
}

const MemoryRegion* MemoryTable::first_open(PdHandle pd, AccessMask access) const {
  for (const Slot& slot : slots_) {
    if (slot.state == SlotState::kOpen && slot.region.pd == pd && (slot.region.access & access) == access) {
      return &slot.region;
    }
  }
  return nullptr;
}

std::uint32_t MemoryTable::key_of(std::uint32_t plain) const {
  return order_ == KeyOrder::kRandom ? encrypt(plain) : plain;
}

std::uint32_t MemoryTable::plain_of(std::uint32_t key) const {
  return order_ == KeyOrder::kRandom ? decrypt(key) : key;
}

// A Feistel network: whatever the round function, it is a permutation of 32 bits, so that no two slots share a key.
// Four rounds are the least that hide the plain numbers even from one who may choose keys to look at.
std::uint32_t MemoryTable::encrypt(std::uint32_t plain) const {
  std::uint32_t left = plain >> 16;
  std::uint32_t right = plain & kHalfMask;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t next = left ^ round_function(right, round_keys_[i]);
    left = right;
    right = next;
  }
  return left << 16 | right;
}

std::uint32_t MemoryTable::decrypt(std::uint32_t key) const {
  std::uint32_t left = key >> 16;
  std::uint32_t right = key & kHalfMask;
  for (std::size_t i = kRounds; i-- > 0;) {
    const std::uint32_t previous = right ^ round_function(left, round_keys_[i]);
    right = left;
    left = previous;
  }
  return left << 16 | right;
}

}  // namespace weft::verbs
