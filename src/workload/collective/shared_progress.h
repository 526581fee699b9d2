// Operations that are under way on one network at the same time and change one another's speed.
//
// Each operation has a time that it takes alone. While operations of other jobs are under way it goes on more slowly,
// by a factor that whoever made this object says for each mix of others. What operations of one job do to one another,
// beside what is part of their own times already, says the Overlap of that job. Whenever either changes, ends move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

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
    std::uint32_t place = 0;   // among all of its job, for that job's Overlap
  };
  /// How many of each kind are under way.
  using Counts = std::map<Kind, std::uint32_t>;
  /// At least 1.
  using Slowdown = std::function<double(const Operation&, const Counts&)>;
  /// Empty: operations of different jobs leave one another alone.
  explicit SharedProgress(Slowdown slowdown = {}) : slowdown_(std::move(slowdown)) {}

  using Id = std::uint64_t;

  /// What operations of one job that are under way do to one another.
  class Overlap {
   public:
    /// From now on the operation takes so many times as long as alone; above 0.
    struct Change {
      Id id = 0;
      double factor = 1;
    };
    virtual ~Overlap() = default;
    /// One begins, or ends: all whose factor has changed, the new one among them unless its factor is 1.
    virtual std::vector<Change> begin(Id id, const Operation& operation, Duration alone) = 0;
    virtual std::vector<Change> end(Id id) = 0;
  };
  /// Before any operation of the job; it must outlive this.
  void set_overlap(std::uint32_t job, Overlap& overlap) { overlaps_[job] = &overlap; }

  /// `on_end` is told when the operation will end, as things stand: now, and whenever that has changed.
  Id begin(const Operation& operation, Duration alone, Time now, std::function<void(Time)> on_end);
  void end(Id id, Time now);

 private:
  struct Active {
    Operation operation{};
    double remaining = 0;  // picoseconds of its time alone
    double slowdown = 1;   // beside other jobs
    double factor = 1;     // by the rest of its own
    Time since{};          // when `remaining` was so much
    std::function<void(Time)> on_end{};
  };
  void tell_end(Active& active);
  void set_speed(Active& active, double slowdown, double factor, Time now);
  void adapt(const std::vector<Overlap::Change>& changes, Time now);
  /// What others of this job do has changed.
  void adapt_to(std::uint32_t job, Time now);

  Slowdown slowdown_;
  std::map<std::uint32_t, Overlap*> overlaps_;  // by job
  Counts counts_;
  std::map<Id, Active> active_;
  Id next_ = 0;
};

}  // namespace weft::workload
