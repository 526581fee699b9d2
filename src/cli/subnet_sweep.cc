#include "cli/subnet_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/file.h"
#include "base/format_quantity.h"
#include "base/parse_quantity.h"
#include "subnet/partitions/partition_file.h"

namespace weft::cli {
namespace {

constexpr ReadLimit kLargestPartitions{.bytes = std::uint64_t{1} << 26};
constexpr std::int64_t kMostSmps = 1'024;
constexpr std::int64_t kHighestPriority = 15;
constexpr std::int64_t kMostRetries = 1'000;
constexpr std::int64_t kLargestBuffer = 1'000'000;
constexpr Duration kLongestTime = Duration::seconds(3'600);

struct TimeOption {
  std::string_view name;
  const std::string* text;
  Duration* value;
  Duration least;
};

Result<void> take_times(const SubnetSweepText& text, subnet::SweepPlan& plan) {
  const std::array options = {
      TimeOption{"--agent-time", &text.agent_time, &plan.times.switch_agent, Duration::zero()},
      TimeOption{"--agent-time", &text.agent_time, &plan.times.hca_agent, Duration::zero()},
      TimeOption{"--switch-sma-time", &text.switch_sma_time, &plan.times.switch_agent, Duration::zero()},
      TimeOption{"--hca-sma-time", &text.hca_sma_time, &plan.times.hca_agent, Duration::zero()},
      TimeOption{"--pass-time", &text.pass_time, &plan.times.pass, Duration::zero()},
      TimeOption{"--forward-time", &text.forward_time, &plan.times.forward, Duration::zero()},
      TimeOption{"--cable-time", &text.cable_time, &plan.times.cable, Duration::zero()},
      TimeOption{"--signal-time", &text.signal_time, &plan.signal, Duration::zero()},
      TimeOption{"--mad-time", &text.mad_time, &plan.options.mad_time, Duration::zero()},
      TimeOption{"--entry-time", &text.entry_time, &plan.options.entry_time, Duration::zero()},
      TimeOption{"--timeout", &text.timeout, &plan.options.smps.timeout, Duration::microseconds(1)},
      TimeOption{"--sweep-interval", &text.sweep_interval, &plan.options.sweep_interval, Duration::milliseconds(1)},
  };
  for (const TimeOption& option : options) {
    if (option.text->empty()) {
      continue;
    }
    const Result<Duration> value = parse_duration(*option.text);
    if (!value) {
      return fail("{}: {}", option.name, value.error().message);
    }
    if (*value < option.least || *value > kLongestTime) {
      return fail("{}: {} is out of range; write {} to {}", option.name, *value, option.least, kLongestTime);
    }
    *option.value = *value;
  }
  return {};
}

void take(const std::optional<std::int64_t>& given, std::uint32_t& value) {
  if (given) {
    value = static_cast<std::uint32_t>(*given);
  }
}

/// "NODE" or "NODE[3]"; a node of a scenario also as its ports are named there, from 0: "leaf0/port2".
Result<subnet::SweepFailure> failure_of(const std::string& word, const subnet::Subnet& subnet) {
  constexpr std::string_view kPort = "/port";
  std::string name = word;
  std::optional<std::size_t> port;
  const std::size_t open = word.rfind('[');
  const std::size_t slash = word.rfind(kPort);
  const bool is_bracketed = open != std::string::npos && word.ends_with(']');
  if (is_bracketed || slash != std::string::npos) {
    const std::size_t at = is_bracketed ? open + 1 : slash + kPort.size();
    const char* const end = word.data() + word.size() - (is_bracketed ? 1 : 0);
    std::size_t number = 0;
    const std::from_chars_result read = std::from_chars(word.data() + at, end, number);
    if (read.ec == std::errc() && read.ptr == end) {
      port = is_bracketed ? number : number + 1;
      name = word.substr(0, is_bracketed ? open : slash);
    }
  }
  const Result<subnet::NodeIndex> node = subnet::find_node(subnet, name);
  if (!node) {
    return fail("--fail: {}", node.error().message);
  }
  const std::vector<subnet::Port>& ports = subnet[*node].ports;
  subnet::SweepFailure failure{.name = word, .ports = {}};
  if (port && (*port == 0 || *port >= ports.size())) {
    return fail("--fail: {} has no port {}; write {}[1] to {}[{}]", name, *port, name, name, ports.size() - 1);
  }
  for (std::size_t number = port.value_or(1); number <= port.value_or(ports.size() - 1); ++number) {
    if (ports[number].peer) {
      failure.ports.push_back({.node = *node, .port = static_cast<subnet::PortNumber>(number)});
    }
  }
  if (failure.ports.empty()) {
    return fail("--fail: there is no cable at {}", word);
  }
  return failure;
}

/// A manager that starts later, at another node.
Result<void> take_later(const SubnetSweepText& text, const subnet::Subnet& subnet, subnet::SweepPlan& plan) {
  if (text.later.empty()) {
    return {};
  }
  const Result<subnet::NodeIndex> node = subnet::find_node(subnet, text.later);
  if (!node) {
    return fail("--later: {}", node.error().message);
  }
  if (*node == plan.manager.node) {
    return fail("--later: the first manager runs at {}; name another node", text.later);
  }
  const std::vector<subnet::Port>& ports = subnet[*node].ports;
  const auto cable = std::ranges::find_if(ports, [](const subnet::Port& port) { return port.peer.has_value(); });
  if (cable == ports.end()) {
    return fail("--later: '{}' has no cable; name a node that has one", text.later);
  }
  const bool is_switch = subnet[*node].type == subnet::NodeType::kSwitch;
  plan.later = subnet::LaterManager{
      .at = {.node = *node, .port = static_cast<subnet::PortNumber>(is_switch ? 0 : cable - ports.begin())},
      .priority = static_cast<std::uint8_t>(text.later_priority)};
  return {};
}

/// When failures come, where they do not wait for one another.
Result<void> take_interval(const std::string& text, subnet::SweepPlan& plan) {
  if (text.empty()) {
    return {};
  }
  const Result<Duration> interval = parse_duration(text);
  if (!interval) {
    return fail("--fail-interval: {}", interval.error().message);
  }
  if (*interval < Duration::zero() || *interval > kLongestTime) {
    return fail("--fail-interval: {} is out of range; write {} to {}", *interval, Duration::zero(), kLongestTime);
  }
  if (plan.failures.size() < 2) {
    return fail("--fail-interval: it is between failures, and there {} {}; give --fail twice or more",
                plan.failures.size() == 1 ? "is" : "are", plan.failures.size());
  }
  for (std::size_t i = 0; i < plan.failures.size(); ++i) {
    plan.failures[i].at = *interval * static_cast<std::int64_t>(i);
  }
  return {};
}

Result<void> take_partitions(const std::string& file, subnet::SweepPlan& plan) {
  if (file.empty()) {
    return {};
  }
  const Result<std::string> contents = read_file(file, kLargestPartitions);
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  Result<subnet::PartitionFile> read = subnet::parse_partitions({.text = *contents, .name = file});
  if (!read) {
    return tl::unexpected(read.error());
  }
  plan.options.partitions = std::move(read->rules);
  return {};
}

/// What everybody takes; all defaults but the cable's are guesses.
void add_time_options(CLI::App& app, SubnetSweepText& sweep) {
  app.add_option("--agent-time", sweep.agent_time,
                 "A subnet management agent needs for an answer; default: the scenario's, else 20 us");
  app.add_option("--switch-sma-time", sweep.switch_sma_time, "The same of switches alone");
  app.add_option("--hca-sma-time", sweep.hca_sma_time, "The same of adapters alone");
  app.add_option("--pass-time", sweep.pass_time,
                 "A switch passes a directed request on; default: the scenario's, else 1 us");
  app.add_option("--forward-time", sweep.forward_time,
                 "A switch forwards a MAD by its LID; default: the scenario's, else 200 ns");
  app.add_option("--cable-time", sweep.cable_time,
                 "Along a cable; default: the longest of the scenario, else 25 ns, which is 5 m");
  app.add_option("--signal-time", sweep.signal_time,
                 "Until switches notice a failure; default: the scenario's, else 1 ms");
  app.add_option("--mad-time", sweep.mad_time, "The manager needs for each MAD; default: the scenario's, else 5 us");
  app.add_option("--entry-time", sweep.entry_time,
                 "Its engine needs for each entry; default: the scenario's, else 100 ns");
}

}  // namespace

void add_sweep_options(CLI::App& app, SubnetText& text) {
  SubnetSweepText& sweep = text.sweep;
  add_engine_options(app, text);
  app.add_option("--fail", sweep.failures, "Pull the cable NODE[PORT], or all of NODE; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--fail-interval", sweep.fail_interval,
                 "Between failures, whatever the manager does; default: each when the one before is dealt with");
  app.add_option("--later", sweep.later, "Another manager starts at this node when the first has swept");
  app.add_option("--later-priority", sweep.later_priority, "Its priority, where the first has 0; default: 1")
      ->check(CLI::Range(std::int64_t{0}, kHighestPriority));
  app.add_option("--conf", text.conf, "Partitions as OpenSM reads them (partitions.conf)");
  app.add_flag("--qos", sweep.qos, "Write tables of virtual lanes and their arbitration");
  app.add_option("--smps", sweep.smps, "Requests under way at once; default: the scenario's, else 4")
      ->check(CLI::Range(std::int64_t{1}, kMostSmps));
  app.add_option("--timeout", sweep.timeout, "Until a request is sent again; default: the scenario's, else 200 ms");
  app.add_option("--retries", sweep.retries, "How often; default: the scenario's, else 3")
      ->check(CLI::Range(std::int64_t{0}, kMostRetries));
  app.add_option("--sweep-interval", sweep.sweep_interval, "Between light sweeps; default: the scenario's, else 10 s");
  add_time_options(app, sweep);
  app.add_option("--buffer", sweep.buffer, "MADs that a node holds, others are lost; default: the scenario's, else 64")
      ->check(CLI::Range(std::int64_t{1}, kLargestBuffer));
}

Result<subnet::SweepPlan> sweep_plan(const SubnetText& text, const ManagedSubnet& managed) {
  const SubnetSweepText& sweep = text.sweep;
  const Result<subnet::EngineKind> engine = subnet::engine_by_name(managed.engine.name);
  if (!engine) {
    return fail("--engine: {}", engine.error().message);
  }
  subnet::SweepPlan plan = managed.plan;
  plan.manager = managed.view[managed.view.manager].place;
  plan.options.engine = *engine;
  plan.options.routing = managed.engine.options;
  plan.options.lmc = managed.view.lmc;
  plan.options.qos = plan.options.qos || sweep.qos;
  take(sweep.smps, plan.options.smps.most_on_wire);
  take(sweep.retries, plan.options.smps.retries);
  take(sweep.buffer, plan.times.buffer);
  if (Result<void> taken = take_times(sweep, plan); !taken) {
    return pass_on(taken);
  }
  if (Result<void> taken = take_partitions(text.conf, plan); !taken) {
    return pass_on(taken);
  }
  for (const std::string& word : sweep.failures) {
    Result<subnet::SweepFailure> failure = failure_of(word, managed.subnet);
    if (!failure) {
      return pass_on(failure);
    }
    plan.failures.push_back(std::move(*failure));
  }
  if (Result<void> taken = take_interval(sweep.fail_interval, plan); !taken) {
    return pass_on(taken);
  }
  if (Result<void> taken = take_later(sweep, managed.subnet, plan); !taken) {
    return pass_on(taken);
  }
  return plan;
}

}  // namespace weft::cli
