// The fabrics of a comparison: how each name that a user gives becomes settings of the scenario.
//
// A name is a network of the catalogue: a family ("rocev2"), or a family and a tuning ("rocev2-pfc"); or a [[case]] of
// the scenario. A family alone takes what the scenario's file says; of a tuning, which is somebody's way to run the
// family, the settings are stronger than the file's. Where the scenario has a case of that name, or of the family's,
// the fabric takes its values too. Behind a plus sign follows a scheme of load balancing ("rocev2+drill"), which is
// stronger than all of these.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/scenario/catalogue.h"
#include "study/scenario/scenario_load.h"

namespace weft::study::compare {

struct FabricChoice {
  std::string name;
  std::string case_name;              // empty: none
  std::vector<std::string> settings;  // stronger than the case: "fabric.family=rocev2"
  std::string stands_for{};           // the product or the practice; empty of a case that is no network's
  std::string needs_of_nic{};
  std::string needs_of_switch{};

  friend bool operator==(const FabricChoice&, const FabricChoice&) = default;
};

/// The names that a comparison has unless others are asked for.
[[nodiscard]] std::vector<std::string> usual_fabrics();
/// Of them, those of a first answer: what most buyers choose between.
[[nodiscard]] std::vector<std::string> first_fabrics();

/// Errors: a name that means nothing, with the nearest that does; a name given twice; no name.
[[nodiscard]] Result<std::vector<FabricChoice>> choose_fabrics(std::span<const std::string> names,
                                                               std::span<const std::string> cases,
                                                               const scenario::Catalogue& catalogue);

/// Each fabric with each scheme of load balancing that serves its family, as names for `choose_fabrics`. Of `schemes`,
/// "all" stands for those of the catalogue. `family` is that of the scenario, which a [[case]] keeps that is named like
/// no network. Errors: a scheme that is unknown, or serves none of the fabrics; one named twice.
[[nodiscard]] Result<std::vector<std::string>> with_schemes(std::span<const std::string> fabrics,
                                                            std::span<const std::string> schemes,
                                                            scenario::Family family,
                                                            const scenario::Catalogue& catalogue);

/// The scenario of a fabric; `request` names the file and the user's settings, which stay the strongest but for those
/// of the choice itself.
[[nodiscard]] Result<scenario::Scenario> scenario_of(const FabricChoice& choice, scenario::ScenarioRequest request,
                                                     const scenario::Catalogue& catalogue);

/// What a fabric is that stands for a product or a practice: behind the devices of the scenario, where these are others
/// than those of its family's entry.
[[nodiscard]] std::string with_devices(const std::string& stands_for, const scenario::Scenario& scenario,
                                       const scenario::Catalogue& catalogue);

}  // namespace weft::study::compare
