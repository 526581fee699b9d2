// Where flows go by the hashes of a network, as plain rows, and their forms: text, JSON, CSV.
//
// A load is what flows ask of one direction of a link, in parts of its rate, if each had its part of its sender's line:
// above 1 they share. Statistics are over seeds of the hash; flows and their headers stay.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/rate.h"
#include "base/text_lines.h"
#include "study/results/results_csv.h"

namespace weft::study::results {

/// Over seeds, of the worst load of a tier or a network.
struct LoadStatistics {
  double mean = 0;
  double p95 = 0;  // nearest rank
  double least = 0;
  double most = 0;
};

/// Links from one tier of switches to another.
struct PathTier {
  std::string name{};  // "leaf > spine"
  std::uint64_t links = 0;
  std::uint64_t used = 0;
  double mean = 0;   // load, over all of them
  double worst = 0;  // load
  double flows = 0;  // on that link
  std::string at{};  // its egress port
  double even = 0;   // the worst load with all flows spread evenly over their paths
  LoadStatistics seeds{};
};

/// How many of their next hops the switches of a tier use.
struct TierUse {
  std::string name{};  // "tier 2"
  std::uint64_t switches = 0;
  std::uint64_t members = 0;  // among which flows had a choice
  std::uint64_t used = 0;
  double independent = 0;  // expected of choices that do not depend on those before
};

/// Another function or other fields.
struct PathVariant {
  std::string function{};
  std::string fields{};
  bool is_scenario = false;  // what the scenario says
  LoadStatistics worst{};    // of the network
  double free = 0;           // share of seeds under which no link between switches has more than its rate
  double used = 0;           // of the members of the second tier and above, mean; 1 without any
};

struct PathLink {
  std::string port{};  // "leaf0/port3"
  std::string peer{};  // the node behind it
  std::string tier{};
  Rate rate{};
  double flows = 0;
  Rate demand{};
  double load = 0;
};

/// Flows that are there at the same time.
struct PathSet {
  std::string name{};
  std::uint64_t flows = 0;
  std::uint64_t senders = 0;
  double slowest = 1;  // max-min share of what a flow asks for, of those with a path
  double mean = 1;
  bool has_shares = true;     // false: too many flows, or none with a path
  std::uint64_t cut_off = 0;  // flows without a path
  std::vector<PathTier> tiers{};
  std::vector<TierUse> uses{};
  std::vector<PathVariant> variants{};
  std::vector<PathLink> links{};  // between switches, in the order of their ports
};

struct PathReport {
  std::string version{};  // of weft
  std::string command{};  // that gives the same
  std::string scenario{};
  std::string policy{};
  std::string function{};
  std::string fields{};
  bool hashes = true;  // false: every packet, or a table, chooses; seeds change nothing
  std::uint32_t seeds = 0;
  std::vector<std::string> links_down{};  // "leaf0/port8 - spine0/port0"
  std::vector<std::string> notes{};       // what of a run is not foreseen, in sentences
  std::vector<PathSet> sets{};
};

[[nodiscard]] std::string path_text(const PathReport& report, LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json path_json(const PathReport& report);
/// tiers.csv, choices.csv, variants.csv, links.csv.
[[nodiscard]] std::vector<CsvFile> path_csv(const PathReport& report);

}  // namespace weft::study::results
