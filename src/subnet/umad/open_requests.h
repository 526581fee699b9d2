// Requests that wait for the answer of a program, until it is there or their time is over.
//
// Stands for the kernel's timeout of a MAD: a program under libumad2sim counts on it that what it has asked comes back
// to it, answered or not, and does not say how long it waits. The time here is therefore longer than that of a manager
// that is busy: OpenSM waits four times 0.2 s for subnet management, and tools that ask subnet administration have a
// clock of their own. A request that is sent again has its time anew. No clock: time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "subnet/agent/mad_packet.h"

namespace weft::subnet {

using UmadClientId = std::uint32_t;
/// Management class and transaction id: what an answer has of its request.
using UmadTransaction = std::pair<std::uint8_t, std::uint64_t>;

class OpenRequests {
 public:
  static constexpr Duration kManagementTime = Duration::seconds(5);  // subnet management
  static constexpr Duration kOtherTime = Duration::seconds(60);
  static constexpr std::size_t kMost = 4'096;

  struct Request {
    UmadClientId from = 0;
    UmadTransaction transaction;
    MadPacket packet{};
    std::vector<UmadClientId> takers{};  // who may answer
  };

  /// Takes the place of the client's request with that transaction. Returned: the oldest, where there are too many.
  [[nodiscard]] std::optional<Request> add(Request request, Time now);
  void answer(UmadClientId asked, UmadTransaction transaction);

  /// A client has gone, with its requests. Returned: those of others that nobody is left to answer.
  [[nodiscard]] std::vector<Request> forget(UmadClientId client);

  [[nodiscard]] Time next_timeout() const;
  /// Returned: those whose time is over.
  [[nodiscard]] std::vector<Request> on_timeout(Time now);

  [[nodiscard]] std::size_t size() const { return open_.size(); }

 private:
  struct Open {
    Request request;
    Time deadline;
  };
  /// Takes those out for which `ended` says so, the oldest first.
  template <class Ended>
  std::vector<Request> take(Ended ended);

  std::vector<Open> open_;  // the oldest first
};

}  // namespace weft::subnet
