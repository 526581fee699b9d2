#include "study/plan/cabling_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/csv_writer.h"

namespace weft::study::plan {
namespace {

/// The port of a NIC is part of the endpoint's name, or its only one.
std::string port_of(const fabric::Graph& graph, const fabric::LinkEnd& end, std::int64_t breakout) {
  if (end.node.value() < graph.endpoints) {
    return {};
  }
  return breakout > 1 ? fmt::format("port{}/{}", end.port / breakout, end.port % breakout)
                      : fmt::format("port{}", end.port);
}

std::string kind_of(const scenario::Scenario& scenario, std::size_t rate, std::int64_t metres) {
  const scenario::CablingSettings& own = scenario.cabling[rate];
  const std::int64_t length = metres * 1'000;
  const char* const medium = length <= own.copper_reach.count      ? "copper"
                             : length <= own.multimode_reach.count ? "multimode"
                                                                   : "single-mode";
  return fmt::format("{} {}", scenario::kCablingNames[rate], medium);
}

bool is_reducer(const fabric::Graph& graph, const fabric::LinkEnd& end) {
  return end.node.value() >= graph.host_endpoints() && end.node.value() < graph.endpoints;
}

}  // namespace

std::vector<CableRow> cabling_of(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                 std::int64_t breakout) {
  const std::int64_t metre = scenario::propagation_of(scenario::Length{1'000}).picoseconds();
  std::vector<CableRow> rows;
  for (const fabric::Link& link : graph.links) {
    if (is_reducer(graph, link.a) || is_reducer(graph, link.b)) {
      continue;
    }
    const std::size_t rate = scenario::cabling_class(link.rate);
    const std::int64_t of_part = scenario::kCablingRates[rate].bits_per_second();
    CableRow row{.from = graph[link.a.node].name,
                 .from_port = port_of(graph, link.a, breakout),
                 .to = graph[link.b.node].name,
                 .to_port = port_of(graph, link.b, breakout),
                 .kind = {},
                 .pieces = std::max<std::int64_t>((link.rate.bits_per_second() + of_part - 1) / of_part, 1),
                 .metres = (link.propagation.picoseconds() + metre - 1) / metre};
    row.kind = kind_of(scenario, rate, row.metres) + (breakout > 1 ? " breakout" : "");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string cabling_csv(const std::vector<CableRow>& rows) {
  CsvWriter csv;
  for (const char* const heading : {"from", "from_port", "to", "to_port", "kind", "pieces", "length_m"}) {
    csv.field(heading);
  }
  csv.end_line();
  for (const CableRow& row : rows) {
    csv.field(row.from);
    csv.field(row.from_port);
    csv.field(row.to);
    csv.field(row.to_port);
    csv.field(row.kind);
    csv.field(fmt::format("{}", row.pieces));
    csv.field(fmt::format("{}", row.metres));
    csv.end_line();
  }
  return csv.take();
}

}  // namespace weft::study::plan
