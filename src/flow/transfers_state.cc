// What transfers go on from, and how they go on behind what was jumped over.
#include <algorithm>

#include "base/assert.h"
#include "flow/transfers.h"

namespace weft::flow {

std::vector<std::uint32_t> Transfers::owners() const {
  std::vector<std::uint32_t> all;
  for (const Class& own : classes_) {
    for (const Mark& mark : own.marks) {
      all.push_back(mark.owner);
    }
  }
  return all;
}

void Transfers::record(StateRecord& state) const {
  constexpr double kInPicoseconds = 1e12;
  for (std::uint32_t flows = 0; flows < classes_.size(); ++flows) {
    const Class& own = classes_[flows];
    if (own.marks.empty() && !own.put_off) {
      continue;
    }
    state.count(flows);
    state.count(own.marks.size() * 2 + (own.put_off ? 1 : 0));
    state.amount(own.rate);
    state.amount(put_off_ > 0 ? own.took * kInPicoseconds : 0);
    const double served = own.served + own.rate * std::max(state.now() - own.since, Duration::zero()).seconds();
    std::vector<Mark> marks = own.marks;
    std::ranges::sort(marks, {}, &Mark::order);
    for (const Mark& mark : marks) {
      state.count(mark.owner);
      state.amount(mark.at - served);
    }
  }
  if (put_off_ > 0) {
    state.amount(static_cast<double>((state.now() - settled_at_).picoseconds()));
    state.time(settles_at_);
  }
}

void Transfers::shift(Duration by) {
  WEFT_ASSERT(waiting_.empty());
  for (std::uint32_t flows = 0; flows < classes_.size(); ++flows) {
    Class& own = classes_[flows];
    own.since += by;
    if (due_.contains(flows)) {
      schedule(flows);
    }
  }
  settled_at_ += by;
  if (!settles_at_.is_never() && settles_at_ > Time::zero()) {
    settles_at_ += by;
  }
}

}  // namespace weft::flow
