// A simulated collective beside its closed form, on the network for which that is true: one switch, software that costs
// nothing. Startup and answer of a message are measured in simulations of a single one.
#pragma once

#include <optional>

#include "base/result.h"
#include "study/run/collective_run.h"
#include "workload/collective/closed_form.h"

namespace weft::study::run {

/// A run that forms hold for: `locals` ranks on each host, with a NIC each, and, if there are several, scale-up links
/// so fast that the NICs decide.
[[nodiscard]] CollectiveRun form_run(std::int64_t ranks, std::int64_t locals = 1);

struct FormComparison {
  Duration simulated{};  // from the common beginning to the last rank's end
  Duration form{};

  [[nodiscard]] double error() const { return simulated.seconds() / form.seconds() - 1; }
};

/// Of the algorithms that have both.
enum class FormTrees : std::uint8_t { kSingle, kDouble };

/// Chunks of 512 KiB, 1,024 of a lane in flight, one channel, or two for a double binary tree; a double tree of more
/// than 1.5 MiB, or one of a GPU's share in `nvls-tree`, has chunks of 64 KiB, four of them in a buffer, and 1 MiB for
/// the packets of each InfiniBand port.
/// `run` is one of form_run with kind and algorithm set, on InfiniBand or RoCEv2. Errors: a collective without a closed
/// form, as time_collective.
[[nodiscard]] Result<FormComparison> compare_with_form(CollectiveRun run, Bytes size,
                                                       const scenario::Catalogue& catalogue,
                                                       FormTrees trees = FormTrees::kSingle);

}  // namespace weft::study::run
