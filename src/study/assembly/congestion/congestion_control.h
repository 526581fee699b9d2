// From a scenario to the two halves of its congestion control, as a NIC makes them for each queue pair.
//
// A new algorithm is a pair of files beside this one and its row in congestion_control.cc.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "host/nic_options.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// What parameters follow from. The scenario must outlive the call alone.
struct CongestionContext {
  const scenario::Scenario& scenario;
  Rate line;                      // of the NIC
  std::optional<Bytes> window{};  // that a queue pair may have in flight; none: unlimited
  Duration round_trip{};          // the longest of the idle network, if needs_round_trip
};

/// Parameters of some algorithm, for whoever keeps them.
class KeptParameters {
 public:
  KeptParameters() = default;
  KeptParameters(const KeptParameters&) = delete;
  KeptParameters& operator=(const KeptParameters&) = delete;
  virtual ~KeptParameters() = default;
};

/// What makes the halves of a queue pair's congestion control; null: there is none. All that is made refers to
/// `parameters`, which must outlive it.
struct CongestionControls {
  host::MakeControl sender{};
  host::MakeReceiver receiver{};
  std::unique_ptr<const KeptParameters> parameters{};
};

/// Senders of the class Control, which take their parameters by reference.
template <class Control, class Parameters>
[[nodiscard]] CongestionControls controls_of(Parameters parameters, host::MakeReceiver receiver = {}) {
  struct Kept final : KeptParameters {
    explicit Kept(Parameters from) : value(std::move(from)) {}
    Parameters value;
  };
  auto kept = std::make_unique<Kept>(std::move(parameters));
  const Parameters& value = kept->value;
  return {.sender = [&value] { return std::make_unique<Control>(value); },
          .receiver = std::move(receiver),
          .parameters = std::move(kept)};
}

[[nodiscard]] CongestionControls make_congestion_control(const CongestionContext& context);
/// Whether the scenario's algorithm measures against the round trip of the idle network.
[[nodiscard]] bool needs_round_trip(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
