// Receive queue: posted receive requests in order, of one queue pair or shared by many (SRQ).
//
// `take` hands the oldest request to the responder that consumes it. The limit event of an SRQ fires once when fewer
// than the armed number remain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/ring.h"
#include "verbs/sge_list.h"

namespace weft::verbs {

/// A posted receive request.
struct ReceiveWqe {
  std::uint64_t wr_id = 0;
  SgeList sg_list{};
};

class ReceiveQueue {
 public:
  struct Limits {
    std::uint32_t max_wr = 0;   // requests it holds
    std::uint32_t max_sge = 1;  // elements per request
  };
  explicit ReceiveQueue(Limits limits) : limits_(limits) {}

  /// Errors: the queue is full, too many elements, a total length above 2^31.
  [[nodiscard]] Result<void> post(const RecvWr& request);
  /// The oldest request, or nothing if none is posted (the responder's RNR condition).
  [[nodiscard]] std::optional<ReceiveWqe> take();

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  [[nodiscard]] Limits limits() const { return limits_; }
  /// Heap bytes of the queue itself, without the elements of long lists.
  [[nodiscard]] std::size_t heap_bytes() const { return requests_.heap_bytes(); }

  /// Arms the limit event of a shared queue (srq_limit of ibv_modify_srq); 0 disarms.
  void arm_limit(std::uint32_t limit) { armed_limit_ = limit; }
  /// True once after the queue fell below the armed limit.
  [[nodiscard]] bool take_limit_event();

 private:
  Ring<ReceiveWqe> requests_;
  Limits limits_;
  std::uint32_t armed_limit_ = 0;
  bool limit_event_ = false;
};

}  // namespace weft::verbs
