#include "workload/training/halo_exchange.h"

#include <algorithm>

#include "base/format_quantity.h"
#include "base/int128.h"

namespace weft::workload {

Result<HaloPlan> HaloPlan::make(const HaloJob& job, const GpuModel& gpu, std::int64_t ranks) {
  constexpr std::int64_t kMost = 1 << 20;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (job.grid[axis] < 1 || job.block[axis] < 1 || job.grid[axis] > kMost || job.block[axis] > kMost) {
      return fail("axis {}: {} ranks of {} cells; each from 1 to {}", axis, job.grid[axis], job.block[axis], kMost);
    }
  }
  if (job.cell < Bytes(1) || job.traffic < Bytes::zero() || job.iterations < 1 || job.iterations > 65535) {
    return fail("{} per cell of a face, {} of memory traffic, {} iterations; from 1 B, 0 B, and 1 to 65535", job.cell,
                job.traffic, job.iterations);
  }
  if (job.compute && *job.compute < Duration::zero()) {
    return fail("{} of compute in an iteration; at least 0", *job.compute);
  }
  const auto& [x, y, z] = job.grid;
  const double product = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
  if (product != static_cast<double>(ranks)) {
    return fail("a grid of {} x {} x {} = {:.0f} ranks, but the job has {}", x, y, z, product, ranks);
  }
  auto timer = GpuTimer::make(gpu, Precision::kBf16);
  if (!timer) {
    return pass_on(timer);
  }
  return HaloPlan(job, *timer);
}

HaloPlan::HaloPlan(const HaloJob& job, const GpuTimer& timer) : job_(job) {
  Communicator world{.name = "world", .members = {}};
  for (std::int64_t rank = 0; rank < job.grid[0] * job.grid[1] * job.grid[2]; ++rank) {
    world.members.emplace_back(static_cast<std::uint32_t>(rank));
  }
  if (world.members.size() > 1) {
    communicators_.push_back(std::move(world));
  }
  std::int64_t all = 1;
  std::int64_t inside = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t shell = job.grid[axis] > 1 ? 2 : 0;
    all *= job.block[axis];
    inside *= std::max(job.block[axis] - shell, std::int64_t{0});
  }
  if (job.compute) {
    const auto share = static_cast<Int128>(job.compute->picoseconds()) * inside / all;
    inner_ = Duration::picoseconds(static_cast<std::int64_t>(share));
    outer_ = *job.compute - inner_;
    return;
  }
  inner_ = timer.memory_bound(inside * job.traffic);
  outer_ = timer.memory_bound((all - inside) * job.traffic);
}

Bytes HaloPlan::face(std::size_t axis) const {
  const auto& block = job_.block;
  return block[(axis + 1) % 3] * block[(axis + 2) % 3] * job_.cell;
}

RankId HaloPlan::neighbour(RankId rank, std::size_t axis, std::int64_t step) const {
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < axis; ++i) {
    stride *= job_.grid[i];
  }
  const std::int64_t at = rank.value() / stride % job_.grid[axis];
  const std::int64_t to = (at + step + job_.grid[axis]) % job_.grid[axis];
  return RankId(static_cast<std::uint32_t>(rank.value() + (to - at) * stride));
}

std::optional<GraphNode> HaloExchange::next() {
  while (writer_.empty() && iteration_ < plan_.job().iterations) {
    write_iteration();
    ++iteration_;
  }
  return writer_.take();
}

void HaloExchange::write_iteration() {
  writer_.set_label({.purpose = Purpose::kOtherCompute, .step = static_cast<std::uint16_t>(iteration_)});
  const std::vector<NodeId> before = writer_.results();
  const Membership world{.communicator = CommunicatorId(0)};
  std::vector<NodeId> received;
  std::uint32_t stream = 2;
  const auto exchange = [&](CollectiveKind kind, std::size_t axis, std::int64_t step) {
    return writer_.exchange_after({.purpose = Purpose::kOtherCommunication,
                                   .stream = StreamId(stream++),
                                   .group = world,
                                   .kind = kind,
                                   .size = plan_.face(axis),
                                   .peer = MemberIndex(plan_.neighbour(rank_, axis, step).value())},
                                  before);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (plan_.job().grid[axis] == 1) {
      continue;
    }
    for (const std::int64_t step : {-1, 1}) {
      received.push_back(exchange(CollectiveKind::kReceive, axis, step));
      exchange(CollectiveKind::kSend, axis, -step);
    }
  }
  writer_.compute(plan_.inner_time());
  for (const NodeId node : received) {
    writer_.need(node);
  }
  writer_.compute(plan_.outer_time());
  if (!plan_.communicators().empty()) {
    writer_.exchange_and_need({.purpose = Purpose::kOtherCommunication,
                               .stream = StreamId(1),
                               .group = world,
                               .kind = CollectiveKind::kAllReduce,
                               .size = Bytes(8)});
  }
  (void)writer_.last_compute();  // ends the iteration's node of compute
}

}  // namespace weft::workload
