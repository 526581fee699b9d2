// What a program reports: one record per message, one per collective and rank.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/time.h"
#include "verbs/completion.h"
#include "workload/operation.h"
#include "workload/rank.h"

namespace weft::workload {

/// A message that has ended, well or not. Times are instants of the run.
struct MessageRecord {
  FlowId flow{};
  std::uint64_t number = 0;  // of the message within its flow, from 0
  Bytes size{};
  Operation operation = Operation::kWrite;
  verbs::WcStatus status = verbs::WcStatus::kSuccess;
  Time posted{};                   // when the program wanted to send it, though a full send queue may have delayed it
  Time finished{};                 // when the requester's program saw its completion
  Time delivered = Time::never();  // when the receiver's program did; never if the operation tells it nothing
  bool is_control = false;         // a program's own, of no interest to others: sinks do not see it
  std::uint16_t queue_pair = 0;    // of its connection, that carried it; of one in parts: of no meaning
  std::uint32_t parts = 1;         // that the message is cut into, of which this is one; sinks see whole messages

  friend bool operator==(const MessageRecord&, const MessageRecord&) = default;
};

/// One rank's part of one collective operation.
struct CollectiveRecord {
  JobId job{};
  RankId rank{};
  std::uint32_t iteration = 0;
  Bytes size{};  // of the whole buffer
  Time started{};
  Time finished{};  // the rank has its result and may reuse its memory
};

/// Takes the records, in the order in which they become complete.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void on_message(const MessageRecord& record) = 0;
  virtual void on_collective(const CollectiveRecord& /*record*/) {}
};

}  // namespace weft::workload
