#include "cli/run_memory.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "study/assembly/build_topology.h"
#include "study/results/summary_text.h"
#include "study/run/simulation.h"

namespace weft::cli {

std::optional<std::uint64_t> available_memory(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  const std::size_t at = meminfo.find(kName);
  const std::size_t digits = at == std::string_view::npos ? at : meminfo.find_first_not_of(" \t", at + kName.size());
  if (digits == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(meminfo.data() + digits, meminfo.data() + meminfo.size(), kibibytes);
  return error == std::errc() ? std::optional(kibibytes * 1024) : std::nullopt;
}

Result<void> check_memory(const MemoryNeed& need) {
  if (need.estimated <= need.available) {
    return {};
  }
  const auto text = [](std::uint64_t bytes) {
    return study::results::short_text(Bytes(static_cast<std::int64_t>(bytes)));
  };
  return fail("the run needs about {} of memory; {} are available; use --force to run anyway", text(need.estimated),
              text(need.available));
}

std::optional<MemoryNeed> memory_need(const study::scenario::Scenario& scenario) {
  const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  return graph ? memory_need(scenario, *graph) : std::nullopt;
}

std::optional<MemoryNeed> memory_need(const study::scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::ifstream stream("/proc/meminfo");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const std::optional<std::uint64_t> available = available_memory(text);
  if (!available) {
    return std::nullopt;
  }
  return MemoryNeed{.estimated = study::run::estimate_memory(scenario, graph), .available = *available};
}

Result<void> check_memory(const study::scenario::Scenario& scenario) {
  Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return pass_on(graph);
  }
  const std::optional<MemoryNeed> need = memory_need(scenario, *graph);
  return need ? check_memory(*need) : Result<void>();
}

}  // namespace weft::cli
