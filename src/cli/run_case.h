// One run of one resolved scenario, from memory check to results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/progress_bar.h"
#include "cli/run_memory.h"
#include "flow/corrections.h"
#include "sim/peers.h"
#include "study/results/results.h"
#include "study/run/capture_tap.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

/// Packet-hops that checking a composed step may take: some seconds.
inline constexpr double kCheckHops = 8e6;

/// Of the event loop, where the network can be divided. Changes no result.
struct RunThreads {
  std::uint32_t most = 1;
};

struct RunCase {
  std::string name;  // for progress
  std::string key;
  std::vector<study::run::CaptureRequest> captures;
  std::string timeline;  // a file for the Chrome trace of the first job that trains a model; empty: none
  /// Of a composed training step: its error is measured if a run of every packet takes no more packet-hops. 0: never.
  double check_hops = 0;
  /// Told how far the run has come, some ten times a second.
  std::function<void(const study::run::Progress&)> watch = [](const study::run::Progress&) {};
  /// Asked as often: a line for standard error, if there is one now.
  std::function<std::optional<std::string>(const study::run::Progress&)> remark = [](const study::run::Progress&) {
    return std::nullopt;
  };
  ProgressBar::Show progress = ProgressBar::Show::kOnTerminal;
  enum class Memory : std::uint8_t { kChecked, kForced } memory = Memory::kChecked;
  std::optional<MemoryNeed> need{};  // where it is known already; else the run computes it
  RunThreads threads{};
  /// Of a run that ranks share: the others, each of which calls the same at the same time; the first alone has the
  /// results of all. Null: none.
  sim::Peers* peers = nullptr;
  std::uint32_t processes_here = 1;  // of them on this machine, this one included
  /// Told in the first why the run is not shared after all.
  std::function<void(const std::string&)> on_alone = [](const std::string&) {};
  /// Of a run at the flow level; none: it has none.
  std::optional<flow::Corrections> corrections{};
  /// Told what could not be written beside the results: a capture, a timeline. Without it that is the run's error, and
  /// its results are lost.
  std::function<void(const Error&)> on_unwritten{};
  /// What a composed run of the same found of its operations, if this is the one with every packet in its place.
  const study::results::RunResults* composed = nullptr;
};

/// Runs until an end or an interrupt. Errors are those of the input: a run that goes wrong has results that say so.
[[nodiscard]] Result<study::results::RunResults> run_case(const study::scenario::Scenario& scenario,
                                                          const RunCase& options);

}  // namespace weft::cli
