// Memory regions and their keys: which bytes a local or remote request may touch.
//
// A key is 32 bits drawn by a keyed permutation of (slot, generation): knowing one key tells nothing about another,
// looking one up needs no hash table, and a key that was deregistered or invalidated stays wrong until its slot has
// been reused 2^kGenerationBits times. One key serves as L_Key and as R_Key; the access mask decides what it opens.
// Key 0 is never given. A region invalidated by its peer stays registered but closed: every access finds the key
// invalid, its domain stays in use, and only `deregister` frees it.
// A region may have no bytes behind it (runs that carry lengths only): `bytes` is then null and all checks still hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/ring.h"
#include "verbs/access.h"
#include "verbs/handles.h"
#include "verbs/memory_place.h"

namespace weft::verbs {

/// A registered range of addresses. `bytes`, when not null, points to `length` bytes owned by the program, which must
/// outlive the registration.
struct MemoryRegion {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::byte* bytes = nullptr;
  PdHandle pd{};
  std::uint32_t key = 0;
  AccessMask access = 0;
  bool invalidatable = false;  // SEND with invalidate may close it (as a type 2 window or fast-registered region)
  MemoryPlace place{};         // decides how a NIC gets at it; nothing else depends on it

  /// The bytes at `at`, which a successful check has shown to lie inside; null without bytes.
  [[nodiscard]] std::byte* data(std::uint64_t at) const { return bytes == nullptr ? nullptr : bytes + (at - address); }
};

/// Why an access was refused; the transport maps it to a completion status or a NAK.
enum class AccessFault : std::uint8_t { kNone, kInvalidKey, kWrongDomain, kOutOfBounds, kPermission };

/// One access to be checked. A length of zero needs no valid key (IBTA 9.7.4.1.5 for RDMA of zero length).
struct AccessRequest {
  PdHandle pd{};
  std::uint32_t key = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  AccessMask access = 0;  // every bit must be granted; 0 = local read
};

/// How a device numbers its keys. In sequence: as several NICs did (Rothenberger et al., ReDMArk, USENIX Security
/// 2021); knowing one key then tells the next ones.
enum class KeyOrder : std::uint8_t { kRandom, kSequential };

/// All memory regions of one device.
class MemoryTable {
 public:
  struct Registration {
    PdHandle pd{};
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::byte* bytes = nullptr;
    AccessMask access = 0;
    bool invalidatable = false;
    MemoryPlace place{};
  };
  struct Checked {
    AccessFault fault = AccessFault::kNone;
    const MemoryRegion* region = nullptr;  // null if faulty, or if the length was zero
  };

  /// Keys are a function of `key_seed` and the order of registrations.
  explicit MemoryTable(std::uint64_t key_seed, KeyOrder order = KeyOrder::kRandom);

  /// Errors: remote write or atomic without local write, a range that passes the end of the address space, a full
  /// table (2^22 regions).
  [[nodiscard]] Result<std::uint32_t> register_region(const Registration& registration);
  /// False if the key is not that of a registered region (open or invalidated).
  bool deregister(std::uint32_t key);
  /// Closes an invalidatable region of `pd`; the fault (invalid key, wrong domain, permission) if it may not be.
  [[nodiscard]] AccessFault invalidate(PdHandle pd, std::uint32_t key);

  /// Whether the access is allowed, and where. The pointer is valid until the table changes.
  [[nodiscard]] Checked check(const AccessRequest& request) const;
  /// Differs after every change of what `check` may answer: an answer holds for as long as this stays the same.
  [[nodiscard]] std::uint32_t version() const { return version_; }
  /// The region of a valid key, else null.
  [[nodiscard]] const MemoryRegion* find(std::uint32_t key) const;

  /// The first open region of the domain that grants all of `access`; null: there is none. O(regions).
  [[nodiscard]] const MemoryRegion* first_open(PdHandle pd, AccessMask access) const;
  /// Of a device that numbers its keys in sequence: the key of its n-th region, from 0, as long as none was freed.
  [[nodiscard]] static constexpr std::uint32_t key_in_sequence(std::uint32_t n) { return (n << kGenerationBits) + 1; }

  /// Registered regions, invalidated ones included; the same in count_in.
  [[nodiscard]] std::size_t size() const { return live_; }
  /// Regions that belong to `pd`; a domain in use cannot be deallocated.
  [[nodiscard]] std::size_t count_in(PdHandle pd) const;

 private:
  static constexpr int kGenerationBits = 10;
  static constexpr std::uint32_t kMaxSlots = 1U << (32 - kGenerationBits);
  static constexpr std::size_t kRounds = 4;
  /// Freed slots that wait before the oldest of them is used again, so that keys do not come back soon.
  static constexpr std::size_t kResting = 64;

  enum class SlotState : std::uint8_t { kFree, kOpen, kInvalidated };
  struct Slot {
    MemoryRegion region{};
    std::uint16_t generation = 0;  // of the key that the slot has, or had last
    SlotState state = SlotState::kFree;
  };
  [[nodiscard]] std::uint32_t key_of(std::uint32_t plain) const;
  [[nodiscard]] std::uint32_t plain_of(std::uint32_t key) const;
  [[nodiscard]] std::uint32_t encrypt(std::uint32_t plain) const;
  [[nodiscard]] std::uint32_t decrypt(std::uint32_t key) const;
  /// The slot that a key stands for, used or not; keys of late are remembered.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t key) const;
  /// The slot whose region has exactly this key, open or invalidated; null if there is none.
  [[nodiscard]] const Slot* slot_of(std::uint32_t key) const;
  [[nodiscard]] std::uint32_t claim_slot();
  [[nodiscard]] std::uint32_t next_key(std::uint32_t index);

  KeyOrder order_;
  std::uint32_t version_ = 0;
  std::array<std::uint64_t, kRounds> round_keys_;
  /// What deciphering a key gave; it gives the same always. Packets come with the same few keys again and again.
  struct Deciphered {
    std::uint32_t key = 0;
    std::uint32_t index = kMaxSlots;  // of no slot, as key 0 has none
  };
  mutable std::array<Deciphered, 4> deciphered_{};
  std::vector<Slot> slots_;
  Ring<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace weft::verbs
