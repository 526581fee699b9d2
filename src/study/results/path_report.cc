#include "study/results/path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/csv_writer.h"
#include "base/text_table.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

TextTable::Column number_column(std::string heading, std::uint8_t rank = 0) {
  return {.heading = std::move(heading), .align = TextTable::Align::kRight, .least = 5, .gap = 1, .rank = rank};
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string load_text(double load) { return fmt::format("{:.2f}", load); }

std::string path_tier_table(const PathReport& report, const PathSet& set, LineWidth width) {
  std::vector<TextTable::Column> columns = {{.heading = "links", .least = 14},
                                            number_column("used", 1),
                                            number_column("mean"),
                                            number_column("worst"),
                                            number_column("flows"),
                                            {.heading = "at", .least = 12},
                                            number_column("even")};
  if (report.hashes) {
    columns.push_back(number_column("seeds"));
    columns.push_back(number_column("p95"));
  }
  TextTable table(std::move(columns), width);
  for (const PathTier& tier : set.tiers) {
    std::vector<std::string> cells = {tier.name,
                                      fmt::format("{}/{}", tier.used, tier.links),
                                      load_text(tier.mean),
                                      load_text(tier.worst),
                                      fmt::format("{:.4g}", tier.flows),
                                      tier.at,
                                      load_text(tier.even)};
    if (report.hashes) {
      cells.push_back(load_text(tier.seeds.mean));
      cells.push_back(load_text(tier.seeds.p95));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string use_table(const PathSet& set, LineWidth width) {
  TextTable table({{.heading = "choices at", .least = 14},
                   number_column("switches"),
                   number_column("next hops"),
                   number_column("used"),
                   number_column("share"),
                   number_column("independent")},
                  width);
  for (const TierUse& use : set.uses) {
    const auto members = static_cast<double>(use.members);
    table.add({use.name, fmt::format("{}", use.switches), fmt::format("{}", use.members), fmt::format("{}", use.used),
               percent(static_cast<double>(use.used) / members), percent(use.independent / members)});
  }
  return table.text();
}

std::string variant_table(const PathSet& set, LineWidth width) {
  TextTable table({{.heading = "function", .least = 14},
                   {.heading = "fields", .gap = 1, .wraps = true},
                   number_column("worst"),
                   number_column("p95"),
                   number_column("least"),
                   number_column("most", 1),
                   number_column("fit"),
                   number_column("upper")},
                  width);
  for (const PathVariant& variant : set.variants) {
    table.add({variant.function + (variant.is_scenario ? " *" : ""), variant.fields, load_text(variant.worst.mean),
               load_text(variant.worst.p95), load_text(variant.worst.least), load_text(variant.worst.most),
               whole_percent(variant.free), whole_percent(variant.used)});
  }
  return table.text();
}

std::string links_down_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  const std::span<const std::string> shown(names.data(), std::min(names.size(), kShown));
  return fmt::format("{} link{} down: {}{}.", names.size(), names.size() == 1 ? " is" : "s are", fmt::join(shown, ", "),
                     names.size() > kShown ? ", ..." : "");
}

std::string set_text(const PathReport& report, const PathSet& set, LineWidth width) {
  std::string text = fmt::format("\n{}: {} flow{} of {} sender{}", set.name, set.flows, set.flows == 1 ? "" : "s",
                                 set.senders, set.senders == 1 ? "" : "s");
  text += set.has_shares ? fmt::format("\nMax-min shares of what flows ask for: mean {}, slowest {}\n",
                                       percent(set.mean), percent(set.slowest))
                         : "\n";
  if (set.cut_off > 0) {
    const bool one = set.cut_off == 1;
    text += fmt::format("{} flow{} no path: links that {} down.{}\n", set.cut_off, one ? " has" : "s have",
                        one ? "it needs are" : "they need are", set.has_shares ? " The shares are of the others." : "");
  }
  if (set.tiers.empty()) {
    return text + "No link between switches is used.\n";
  }
  text += path_tier_table(report, set, width);
  if (!set.uses.empty()) {
    text += "\n" + use_table(set, width);
  }
  if (!set.variants.empty()) {
    text += "\n" + variant_table(set, width);
  }
  return text;
}

Json to_json(const LoadStatistics& statistics) {
  return {{"mean", statistics.mean}, {"p95", statistics.p95}, {"least", statistics.least}, {"most", statistics.most}};
}

Json to_json(const PathTier& tier, bool hashes) {
  Json row{{"links", tier.name},       {"count", tier.links},       {"used", tier.used},     {"mean_load", tier.mean},
           {"worst_load", tier.worst}, {"worst_flows", tier.flows}, {"worst_port", tier.at}, {"even_load", tier.even}};
  if (hashes) {
    row["worst_over_seeds"] = to_json(tier.seeds);
  }
  return row;
}

Json to_json(const PathSet& set, bool hashes) {
  Json made{{"name", set.name}, {"flows", set.flows}, {"senders", set.senders}, {"without_path", set.cut_off}};
  if (set.has_shares) {
    made["max_min_mean"] = set.mean;
    made["max_min_slowest"] = set.slowest;
  }
  made["tiers"] = Json::array();
  for (const PathTier& tier : set.tiers) {
    made["tiers"].push_back(to_json(tier, hashes));
  }
  made["choices"] = Json::array();
  for (const TierUse& use : set.uses) {
    made["choices"].push_back({{"tier", use.name},
                               {"switches", use.switches},
                               {"next_hops", use.members},
                               {"used", use.used},
                               {"independent", use.independent}});
  }
  made["variants"] = Json::array();
  for (const PathVariant& variant : set.variants) {
    made["variants"].push_back({{"function", variant.function},
                                {"fields", variant.fields},
                                {"scenario", variant.is_scenario},
                                {"worst_load", to_json(variant.worst)},
                                {"no_overload", variant.free},
                                {"used_above_leaves", variant.used}});
  }
  made["links"] = Json::array();
  for (const PathLink& link : set.links) {
    made["links"].push_back({{"port", link.port},
                             {"to", link.peer},
                             {"tier", link.tier},
                             {"rate_bps", link.rate.bits_per_second()},
                             {"flows", link.flows},
                             {"demand_bps", link.demand.bits_per_second()},
                             {"load", link.load}});
  }
  return made;
}

/// Lines of a file, each beginning with the name of its set.
class SetLines {
 public:
  explicit SetLines(std::initializer_list<std::string_view> columns) {
    lines_.field("flows");
    for (const std::string_view column : columns) {
      lines_.field(column);
    }
    lines_.end_line();
  }
  template <class... Cells>
  void add(const PathSet& set, const Cells&... cells) {
    lines_.field(set.name);
    (lines_.field(fmt::format("{}", cells)), ...);
    lines_.end_line();
  }
  [[nodiscard]] std::string take() { return lines_.take(); }

 private:
  CsvWriter lines_;
};

}  // namespace

std::string path_text(const PathReport& report, LineWidth width) {
  std::string text = fmt::format("{}: routing {}", report.scenario, report.policy);
  text += report.hashes ? fmt::format(", hash {} of {}, {} seed{}\n", report.function, report.fields, report.seeds,
                                      report.seeds == 1 ? "" : "s")
                        : ", no hash: seeds change nothing\n";
  if (!report.links_down.empty()) {
    text += paragraph(links_down_text(report.links_down), {.columns = width.value_or(80)});
  }
  for (const std::string& note : report.notes) {
    text += paragraph(note, {.columns = width.value_or(80)});
  }
  for (const PathSet& set : report.sets) {
    text += set_text(report, set, width);
  }
  if (report.sets.empty()) {
    return text + "No flow goes through the network.\n";
  }
  std::string legend =
      "Loads are parts of a link's rate that its flows ask for, each its part of its sender's line. even: worst with "
      "flows spread over all paths.";
  legend += report.hashes ? " seeds, p95: worst of each tier over seeds. fit: seeds with no load above 1. upper: next "
                            "hops that the tiers above the leaves use. *: the scenario."
                          : "";
  text += "\n" + paragraph(legend, {.columns = width.value_or(80)});
  return text;
}

nlohmann::ordered_json path_json(const PathReport& report) {
  Json made{{"format", "weft-paths"},    {"format_version", 1},         {"weft", report.version},
            {"command", report.command}, {"scenario", report.scenario}, {"policy", report.policy}};
  if (report.hashes) {
    made["function"] = report.function;
    made["fields"] = report.fields;
    made["seeds"] = report.seeds;
  }
  made["links_down"] = report.links_down;
  made["notes"] = report.notes;
  made["sets"] = Json::array();
  for (const PathSet& set : report.sets) {
    made["sets"].push_back(to_json(set, report.hashes));
  }
  return made;
}

std::vector<CsvFile> path_csv(const PathReport& report) {
  SetLines tiers({"links", "count", "used", "mean_load", "worst_load", "worst_flows", "worst_port", "even_load",
                  "seeds_mean", "seeds_p95", "seeds_least", "seeds_most"});
  SetLines choices({"tier", "switches", "next_hops", "used", "independent"});
  SetLines variants({"function", "fields", "scenario", "mean", "p95", "least", "most", "no_overload", "used_above"});
  SetLines links({"port", "to", "tier", "rate_bps", "flow_count", "demand_bps", "load"});
  for (const PathSet& set : report.sets) {
    for (const PathTier& tier : set.tiers) {
      tiers.add(set, tier.name, tier.links, tier.used, tier.mean, tier.worst, tier.flows, tier.at, tier.even,
                tier.seeds.mean, tier.seeds.p95, tier.seeds.least, tier.seeds.most);
    }
    for (const TierUse& use : set.uses) {
      choices.add(set, use.name, use.switches, use.members, use.used, use.independent);
    }
    for (const PathVariant& variant : set.variants) {
      variants.add(set, variant.function, variant.fields, variant.is_scenario ? 1 : 0, variant.worst.mean,
                   variant.worst.p95, variant.worst.least, variant.worst.most, variant.free, variant.used);
    }
    for (const PathLink& link : set.links) {
      links.add(set, link.port, link.peer, link.tier, link.rate.bits_per_second(), link.flows,
                link.demand.bits_per_second(), link.load);
    }
  }
  return {{"tiers.csv", tiers.take()},
          {"choices.csv", choices.take()},
          {"variants.csv", variants.take()},
          {"links.csv", links.take()}};
}

}  // namespace weft::study::results
