// Operations of several jobs that are under way on one network at the same time and slow one another.
//
// Each operation has a time that it takes alone. While operations of other jobs are under way it goes on more slowly,
// by a factor that whoever made this object says for each mix of others; whenever that changes, its end moves.
// Operations of one job do not slow one another here: what they do to one another is part of their own times.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "base/time.h"
#include "workload/collective/collectives.h"

namespace weft::workload {

class SharedProgress {
 public:
  /// What slows others alike.
  struct Kind {
    std::uint32_t job = 0;
    std::uint32_t number = 0;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Operation {
    Kind kind{};
    CommunicatorId communicator{};
    std::uint32_t sender = 0;  // member, of sends
  };
  /// How many of each kind are under way.
  using Counts = std::map<Kind, std::uint32_t>;
  /// At least 1.
  using Slowdown = std::function<double(const Operation&, const Counts&)>;
  explicit SharedProgress(Slowdown slowdown) : slowdown_(std::move(slowdown)) {}

  using Id = std::uint64_t;
  /// `on_end` is told when the operation will end, as things stand: now, and whenever that has changed.
  Id begin(const Operation& operation, Duration alone, Time now, std::function<void(Time)> on_end);
  void end(Id id, Time now);

 private:
  struct Active {
    Operation operation{};
    double remaining = 0;  // picoseconds of its time alone
    double slowdown = 1;
    Time since{};  // when `remaining` was so much
    std::function<void(Time)> on_end{};
  };
  void tell_end(Active& active);
  /// What others of this job do has changed.
  void adapt_to(std::uint32_t job, Time now);

  Slowdown slowdown_;
  Counts counts_;
  std::map<Id, Active> active_;
  Id next_ = 0;
};

}  // namespace weft::workload
