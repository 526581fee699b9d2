// One run that all ranks of mpirun share: how they begin it, and what they exchange meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/run_case.h"
#include "live/clock.h"
#include "sim/peers.h"

namespace weft::cli {

/// The other ranks, over MPI. A rank that is silent for too long (Peers::limit) is gone.
class RankPeers final : public sim::Peers {
 public:
  [[nodiscard]] std::uint32_t count() const override;
  [[nodiscard]] std::uint32_t own_number() const override;
  [[nodiscard]] bool exchange(std::vector<std::string>& messages) override;
  [[nodiscard]] std::string why() const override { return why_; }

  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_; }
  /// "shared by 2 ranks: 1,234 exchanges ...", for a run of so much real time.
  [[nodiscard]] std::string summary(Duration run_time) const;

 private:
  [[nodiscard]] bool goes_on(Time began);

  live::Clock clock_;
  std::string why_;  // empty: nobody is gone
  std::uint64_t exchanges_ = 0;
  std::uint64_t bytes_ = 0;
  Duration waited_{};
};

/// Of a rank that serves: tells rank 0 that it is ready for the run of this identity, and waits for its beginning.
/// None: it is not shared.
[[nodiscard]] std::optional<RunThreads> wait_for_shared_run(const std::string& identity);
/// Of rank 0: begins it on all ranks once they are ready. Empty; or why it does not.
[[nodiscard]] std::string begin_shared_run(const std::string& identity, const RunThreads& threads);

}  // namespace weft::cli
