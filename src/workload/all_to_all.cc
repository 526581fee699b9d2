#include "workload/all_to_all.h"

namespace weft::workload {
namespace {

class OneToAll final : public FlowSource {
 public:
  OneToAll(const Flow& first, std::uint32_t ranks) : flow_(first), ranks_(ranks) {}

  std::optional<Flow> next() override {
    if (++distance_ >= ranks_)
      return std::nullopt;
    const std::uint64_t destination = (std::uint64_t{flow_.id.source.value()} + distance_) % ranks_;
    flow_.id.destination = RankId(static_cast<std::uint32_t>(destination));
    return flow_;
  }

 private:
  Flow flow_;
  std::uint32_t ranks_;
  std::uint32_t distance_ = 0;
};

}  // namespace

Result<AllToAll> AllToAll::make(const JobOptions& job, const AllToAllOptions& options) {
  if (job.ranks < 2)
    return fail("all-to-all: {} ranks; it needs at least 2", job.ranks);
  if (auto right = check_flow(options.flow); !right)
    return tl::unexpected<Error>(std::move(right.error()).at("all-to-all"));
  return AllToAll(job, options);
}

std::unique_ptr<FlowSource> AllToAll::flows_of(RankId rank) const {
  return std::make_unique<OneToAll>(Flow{.id = {.job = job_.id, .source = rank}, .shape = options_.flow}, job_.ranks);
}

}  // namespace weft::workload
