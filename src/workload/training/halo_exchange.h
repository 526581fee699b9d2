// A stencil code on a grid of ranks: small messages to six neighbours and an 8-byte sum, what much of HPC waits for.
//
// Ranks form a periodic grid, x fastest. Every iteration a rank sends the faces of its block to its neighbours,
// computes the inside meanwhile, then the cells at the faces that came in, and sums one number over all ranks (a
// residual, or the length of a time step) before it goes on. An axis with one rank needs no messages.
#pragma once

#include <array>
#include <optional>

#include "workload/training/gpu_model.h"
#include "workload/training/node_writer.h"

namespace weft::workload {

struct HaloJob {
  std::array<std::int64_t, 3> grid{1, 1, 1};      // ranks along each axis
  std::array<std::int64_t, 3> block{16, 16, 16};  // cells of a rank along each axis; at least 1
  Bytes cell{8};                                  // sent for a cell of a face
  Bytes traffic{80};                              // of memory to update a cell
  std::optional<Duration> compute{};              // of all cells of a rank; none: what the GPU's memory needs
  std::uint32_t iterations = 1;
};

class HaloPlan {
 public:
  /// Errors, with the numbers: ranks that are not the grid's, numbers below 1, check_gpu.
  [[nodiscard]] static Result<HaloPlan> make(const HaloJob& job, const GpuModel& gpu, std::int64_t ranks);

  [[nodiscard]] const HaloJob& job() const { return job_; }
  [[nodiscard]] std::int64_t cells_per_rank() const { return job_.block[0] * job_.block[1] * job_.block[2]; }
  [[nodiscard]] const std::vector<Communicator>& communicators() const { return communicators_; }  // "world"
  [[nodiscard]] Bytes face(std::size_t axis) const;
  [[nodiscard]] Duration inner_time() const { return inner_; }
  [[nodiscard]] Duration outer_time() const { return outer_; }
  /// The rank one step along an axis; forwards if `step` is 1, backwards if -1.
  [[nodiscard]] RankId neighbour(RankId rank, std::size_t axis, std::int64_t step) const;

 private:
  HaloPlan(const HaloJob& job, const GpuTimer& timer);

  HaloJob job_;
  std::vector<Communicator> communicators_;
  Duration inner_{};
  Duration outer_{};
};

class HaloExchange final : public StepGraph {
 public:
  /// The plan must outlive this. A step of the graph's labels is an iteration.
  HaloExchange(const HaloPlan& plan, RankId rank) : plan_(plan), rank_(rank) {}

  [[nodiscard]] std::span<const Communicator> communicators() const override { return plan_.communicators(); }
  [[nodiscard]] std::uint32_t streams() const override { return kStreams; }
  [[nodiscard]] std::optional<GraphNode> next() override;

 private:
  // Compute, the sum, and for each of six directions a stream to send and one to receive.
  static constexpr std::uint32_t kStreams = 2 + 12;

  void write_iteration();

  const HaloPlan& plan_;
  RankId rank_;
  NodeWriter writer_{StreamId(0)};
  std::uint32_t iteration_ = 0;
};

}  // namespace weft::workload
