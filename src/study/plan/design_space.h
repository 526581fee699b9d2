// All designs that the devices of a catalogue allow for a cluster: every combination whose ports suffice.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "study/plan/design.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::plan {

/// What may differ; an empty list: what the catalogue or the file has.
struct SpaceOptions {
  std::vector<std::string> networks{};  // of `weft compare`
  std::vector<std::string> switches{};  // empty: those whose ports and rate are specified by their vendor
  std::vector<std::string> nics{};      // likewise
  std::vector<Shape> shapes{};          // empty: all
  std::vector<scenario::Oversubscription> oversubscriptions{};
  std::vector<std::int64_t> rails{};      // NICs per host; empty: one per GPU, and one for two GPUs
  std::vector<std::int64_t> planes{};     // empty: one and two
  std::vector<std::int64_t> tors{};       // leaves of one fabric that a NIC's ports end at; empty: one
  std::vector<std::int64_t> spares{};     // hosts
  std::vector<std::int64_t> breakouts{};  // of a switch's ports; empty: whole, and in halves
  std::vector<std::int64_t> domains{};    // GPUs; empty: as the file says
  Rate least_rate = Rate::bits_per_second(200'000'000'000);  // of a NIC's port, where none is named
};

struct Cluster {
  std::int64_t gpus = 0;
  std::int64_t gpus_per_host = 8;
  [[nodiscard]] std::int64_t hosts() const { return (gpus + gpus_per_host - 1) / gpus_per_host; }
};

struct DesignSpace {
  std::vector<Design> designs;                 // in a fixed order
  std::size_t beyond_capacity = 0;             // combinations: too few ports, or no such shape of the hosts
  std::size_t one_switch = 0;                  // for which one switch has enough, and the shape has none above it
  std::size_t beyond_ports = 0;                // for which the NIC has, or the shape takes, fewer
  std::size_t without_torus = 0;               // pairs of devices whose network is not built as a torus
  std::vector<std::string> without_devices{};  // networks for which there are none, each with the reason
};

inline constexpr std::size_t kMostDesigns = 20'000;

/// "rocev2", "rocev2-spray", "infiniband", "infiniband-ar", "uet".
[[nodiscard]] std::vector<std::string> usual_networks();

/// Errors: a network, switch or NIC that the catalogue does not have, with the nearest; a list with a value that means
/// nothing; more than kMostDesigns.
[[nodiscard]] Result<DesignSpace> design_space(const SpaceOptions& options, const Cluster& cluster,
                                               const scenario::Catalogue& catalogue);

/// The wiring of that design for another number of hosts. False: its switches do not take so many, or one takes all of
/// them.
[[nodiscard]] bool wire(Design& design);
/// One switch, of each plane, has ports for all: a leaf-spine or fat-tree has nothing to join.
[[nodiscard]] bool one_switch_suffices(const Design& design);

}  // namespace weft::study::plan
