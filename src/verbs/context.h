// The objects one device owns, by handle, and reference counts: the environment of an engine.
//
// Nothing is destroyed while something else needs it, and a handle whose object is gone finds nothing (it becomes
// valid for another object only after 4,096 reuses of its slot). Queue pairs live in the device; it announces them
// here with `attach_qp`. Events wait in the order in which they were raised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/ring.h"
#include "verbs/async_event.h"
#include "verbs/completion_queue.h"
#include "verbs/handles.h"
#include "verbs/memory.h"
#include "verbs/object_table.h"
#include "verbs/queue_pair.h"
#include "verbs/receive_queue.h"

namespace weft::verbs {

class Context {
 public:
  /// `key_seed` decides the memory keys (verbs/memory.h).
  explicit Context(std::uint64_t key_seed, KeyOrder order = KeyOrder::kRandom) : memory_(key_seed, order) {}

  // What engines use. Pointers are valid until an object of that kind is created or destroyed.

  [[nodiscard]] MemoryTable& memory() { return memory_; }
  [[nodiscard]] const MemoryTable& memory() const { return memory_; }
  /// Null if the handle names nothing; the same for all three.
  [[nodiscard]] CompletionQueue* find_cq(CqHandle handle);
  [[nodiscard]] ReceiveQueue* find_srq(SrqHandle handle);
  [[nodiscard]] const AddressVector* find_ah(AddressHandle handle) const;
  /// The domain an address handle or shared receive queue was made in; invalid if the handle names nothing.
  [[nodiscard]] PdHandle pd_of(AddressHandle handle) const;
  [[nodiscard]] PdHandle pd_of(SrqHandle handle) const;
  /// Completions pushed so far, by whatever queue: whoever runs the program looks whether it has moved.
  [[nodiscard]] std::uint64_t completions() const { return completions_; }
  void count_completion() { ++completions_; }
  /// Queues an event for the program.
  void raise(const AsyncEvent& event) { events_.push_back(event); }
  /// Moves the oldest event to `event`; false if there is none.
  [[nodiscard]] bool poll_async_event(AsyncEvent& event);

  // What the device's user creates and destroys. Errors: an unknown handle, an object in use, a full table.

  [[nodiscard]] Result<PdHandle> alloc_pd();
  [[nodiscard]] Result<void> dealloc_pd(PdHandle handle);
  /// As MemoryTable::register_region, in a domain that must exist.
  [[nodiscard]] Result<std::uint32_t> reg_mr(const MemoryTable::Registration& registration);
  /// The owner may deregister a region that the peer has invalidated.
  [[nodiscard]] Result<void> dereg_mr(std::uint32_t key);
  /// `capacity` completions, at least 1.
  [[nodiscard]] Result<CqHandle> create_cq(std::uint32_t capacity);
  [[nodiscard]] Result<void> destroy_cq(CqHandle handle);
  /// At least one request of at least one element.
  [[nodiscard]] Result<SrqHandle> create_srq(PdHandle pd, ReceiveQueue::Limits limits);
  [[nodiscard]] Result<void> destroy_srq(SrqHandle handle);
  /// Errors also: an address vector out of range.
  [[nodiscard]] Result<AddressHandle> create_ah(PdHandle pd, const AddressVector& address);
  [[nodiscard]] Result<void> destroy_ah(AddressHandle handle);

  /// Marks the domain and the queues of a new queue pair as in use. Error: one of them does not exist; then nothing
  /// is marked. The shared receive queue may be of another domain: its requests are checked against its own.
  [[nodiscard]] Result<void> attach_qp(const QpInitAttributes& attributes);
  /// Undoes attach_qp with the same attributes.
  void detach_qp(const QpInitAttributes& attributes);

 private:
  struct Domain {
    std::uint32_t uses = 0;
  };
  struct Cq {
    CompletionQueue queue;
    std::uint32_t uses = 0;
  };
  struct Srq {
    ReceiveQueue queue;
    PdHandle pd{};
    std::uint32_t uses = 0;
  };
  struct Ah {
    AddressVector address{};
    PdHandle pd{};
  };

  MemoryTable memory_;
  ObjectTable<PdHandle, Domain> domains_;
  ObjectTable<CqHandle, Cq> cqs_;
  ObjectTable<SrqHandle, Srq> srqs_;
  ObjectTable<AddressHandle, Ah> address_handles_;
  Ring<AsyncEvent> events_;
  std::uint64_t completions_ = 0;
};

}  // namespace weft::verbs
