// What random traffic needs of a pair of connected queue pairs, whichever engine serves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "verbs/completion.h"
#include "verbs/work_request.h"

namespace weft::testing {

class TrafficEnds {
 public:
  /// Where the region of either side begins.
  static constexpr std::uint64_t kBase = 0x10000;

  virtual ~TrafficEnds() = default;
  [[nodiscard]] virtual std::span<std::byte> memory(int side) = 0;
  [[nodiscard]] virtual std::uint32_t key(int side) const = 0;
  [[nodiscard]] virtual Result<void> post_send(int side, const verbs::SendWr& request) = 0;
  [[nodiscard]] virtual Result<void> post_recv(int side, const verbs::RecvWr& request) = 0;
  [[nodiscard]] virtual std::vector<verbs::WorkCompletion> poll_send(int side) = 0;
  [[nodiscard]] virtual std::vector<verbs::WorkCompletion> poll_recv(int side) = 0;
  /// What is wrong with this side; empty if it is in RTS and nothing outside its region was touched.
  [[nodiscard]] virtual std::string fault(int side) = 0;
  [[nodiscard]] virtual Time now() const = 0;
  virtual void run_until(Time until) = 0;
  /// Until nothing is under way; false if that does not come about.
  [[nodiscard]] virtual bool run() = 0;

  /// One element at `offset` of a side's region.
  [[nodiscard]] verbs::Sge sge(int side, std::uint64_t offset, std::uint32_t length) const {
    return {.address = kBase + offset, .length = length, .lkey = key(side)};
  }
};

}  // namespace weft::testing
