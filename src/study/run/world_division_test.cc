// Divided worlds run through windows of their own, on any number of threads; nothing that a run prints may tell.
#include "study/world/world_division.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <thread>

#include "sim/peers_test_support.h"
#include "study/assembly/build_topology.h"
#include "study/results/results_json.h"
#include "study/run/collector.h"
#include "study/run/shared_results.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

enum class Way : std::uint8_t { kWhole, kWindows, kInOrder };

struct Outcome {
  nlohmann::ordered_json json;
  std::vector<std::pair<Time, Time>> messages;  // posted, finished
  std::uint64_t events = 0;
  bool is_divided = false;
  std::uint32_t threads = 1;
};

Outcome run(const scenario::Scenario& scenario, Way way, std::uint32_t threads = 1) {
  Collector collector;
  auto simulation =
      Simulation::create(scenario, collector, Payload::kLengths,
                         way == Way::kWhole ? world::Division::kNever : world::Division::kWhereverPossible, threads);
  Outcome outcome;
  if (!simulation.has_value()) {
    ADD_FAILURE() << simulation.error().message;
    return outcome;
  }
  outcome.is_divided = (*simulation)->world().kernel().is_divided();
  collector.watch(**simulation);
  if (way == Way::kInOrder) {
    (*simulation)->world().force_total_order();
  }
  (*simulation)->set_threads(threads);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  EXPECT_EQ((*simulation)->world().check_invariants(), "");
  const results::RunResults results = collector.finish(end, {.key = "key", .version = "1"});
  outcome.json = results::to_json(results, results::summarise(results), results::JsonDetail::kMessages);
  outcome.events = results.run.events;
  outcome.threads = (*simulation)->world().threads();
  for (const results::MessageRow& row : results.messages) {
    outcome.messages.emplace_back(row.record.posted, row.record.finished);
  }
  return outcome;
}

/// What one of several processes comes to, each a thread of this one; the others give the first their results.
struct SharedRun {
  std::string refused{};
  Outcome outcome{};
};

class Sharing {
 public:
  Sharing(const scenario::Scenario& scenario, std::uint32_t processes, std::uint32_t threads)
      : scenario_(scenario), place_(processes), threads_(threads), results_(processes) {}

  SharedRun run() {
    std::vector<std::thread> others;
    for (std::uint32_t number = 1; number < place_.processes(); ++number) {
      others.emplace_back([this, number] { take_part(number); });
    }
    take_part(0);
    for (std::thread& other : others) {
      other.join();
    }
    return first_;
  }

 private:
  void take_part(std::uint32_t number) {
    sim::ThreadPeers peers(place_, number);
    Collector collector;
    auto simulation = Simulation::create(scenario_, collector, Payload::kLengths, world::Division::kWhereverPossible);
    if (!simulation) {
      ADD_FAILURE() << simulation.error().message;
      return place_.leave();
    }
    collector.watch(**simulation);
    if (const std::string why = (*simulation)->share(peers, threads_); !why.empty()) {
      first_.refused = number == 0 ? why : first_.refused;
      return;
    }
    const auto end = (*simulation)->run([](const Progress&) { return true; });
    results_[number] = collector.finish(end, {.key = "key", .version = "1"});
    if (number != 0) {
      keep_own_results(**simulation, results_[number]);
    }
    std::vector<std::string> nothing;
    EXPECT_TRUE(peers.gather({}, nothing));
    if (number == 0) {
      results::RunResults all = std::move(results_[0]);
      join_results(**simulation, {results_.begin() + 1, results_.end()}, all);
      first_.outcome.json = results::to_json(all, results::summarise(all), results::JsonDetail::kMessages);
      first_.outcome.events = all.run.events;
    }
  }

  const scenario::Scenario& scenario_;
  sim::MeetingPlace place_;
  std::uint32_t threads_;
  std::vector<results::RunResults> results_;
  SharedRun first_;
};

struct Case {
  std::string name;
  std::string text;
  bool divides = true;
  std::vector<std::uint32_t> threads = {2, 3, 8};
  bool is_like_whole = true;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr std::string_view kTree = R"([topology]
kind = "fat-tree"
tiers = 2
radix = 8
[link.host]
propagation = "300 ns"
[link.leaf]
propagation = "700 ns"
)";

std::string fabric(std::string_view family) { return fmt::format("[fabric]\nfamily = \"{}\"\n{}", family, kTree); }
std::string traffic(std::string_view kind, std::string_view more) {
  return fmt::format("[[traffic]]\nkind = \"{}\"\n{}\n", kind, more);
}

/// Two ports of a NIC, one of which fails for a while.
Case bond() {
  return {"rocev2_bond",
          "[fabric]\nfamily = \"rocev2\"\n[nic]\nports = 2\n[topology]\nkind = \"rail-optimised\"\nhosts = 8\n"
          "hosts_per_leaf = 4\nnics_per_host = 1\nports_per_nic = 2\nspines = 2\n[routing]\nport_failover = true\n"
          "port_failover_delay = \"1 us\"\nreroute_delay = \"2 us\"\n[[event]]\nat = \"5 us\"\nselect = "
          "\"host1/nic0/port0\"\naction = \"fail\"\n[[event]]\nat = \"20 us\"\nselect = \"host1/nic0/port0\"\n"
          "action = \"restore\"\n" +
              traffic("permutation", "size = \"300 kB\"")};
}

/// Ultra Ethernet, retries and credits of Ethernet's links, and congestion control by what packets bring back.
void add_other_links(std::vector<Case>& all) {
  const std::string incast = traffic("incast", "fan_in = 12\nsize = \"200 kB\"");
  all.push_back({"uet_permutation", fabric("uet") + traffic("permutation", "size = \"300 kB\"")});
  all.push_back({"uet_incast", fabric("uet") + incast});
  all.push_back({"uet_poisson",
                 "stop = \"200 us\"\n" + fabric("uet") + traffic("poisson", "load = \"50%\"\ncdf = \"websearch\"")});
  all.push_back({"rocev2_llr", fabric("rocev2") + "[ethernet.llr]\nenabled = true\nreplays = 20\n[link]\n" +
                                   "bit_error_rate = 1e-7\n" + incast});
  all.push_back({"rocev2_cbfc", fabric("rocev2") +
                                    "[ethernet.priority.3]\nlossless = false\ncredits = true\ncredit_buffer = "
                                    "\"64 KiB\"\n" +
                                    incast});
  // For longer than it takes until deadlocks are searched, with pauses in all parts.
  all.push_back({"rocev2_pauses", fabric("rocev2") + "[congestion_control]\nalgorithm = \"none\"\n" +
                                      traffic("incast", "fan_in = 12\nsize = \"5 MB\"") +
                                      traffic("permutation", "size = \"10 MB\"\nshift = 5")});
  // Hosts that take in a quarter of their lines: NICs pause, or hold credits back, across the parts.
  const std::string slow =
      "[host]\nprofile = \"modern\"\npcie = \"gen4\"\npcie_lanes = 8\nreceive_buffer = \"300 KiB\"\n" +
      traffic("incast", "fan_in = 12\nsize = \"400 kB\"") + traffic("permutation", "size = \"1 MB\"\nshift = 5");
  all.push_back({"rocev2_slow_hosts", fabric("rocev2") + slow});
  all.push_back({"infiniband_slow_hosts", fabric("infiniband") + slow});
  all.push_back({"rocev2_cbfc_slow_hosts",
                 fabric("rocev2") + "[ethernet.priority.3]\nlossless = false\ncredits = true\n" + slow});
  for (const std::string_view algorithm : {"swift", "hpcc"}) {
    all.push_back({fmt::format("rocev2_{}", algorithm),
                   fabric("rocev2") + fmt::format("[congestion_control]\nalgorithm = \"{}\"\n", algorithm) + incast});
  }
}

/// Domains of GPUs, whose links are work of their hosts' partitions, and jobs on them.
void add_scale_up(std::vector<Case>& all) {
  const auto rails = [](std::string_view family, std::string_view entry) {
    return fmt::format(
        "[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"rail-optimised\"\nhosts = 8\nhosts_per_leaf = 4\n"
        "nics_per_host = 2\ngpus_per_host = 2\nspines = 2\n[link.host]\npropagation = \"300 ns\"\n[link.leaf]\n"
        "propagation = \"300 ns\"\n[scale_up]\nentry = \"{}\"\n",
        family, entry);
  };
  const std::string step =
      "[[job]]\nname = \"train\"\nmodel = \"megatron-1_7b\"\ngpus = 16\ntp = 8\npp = 2\nlayers = 2\nsequence = 8\n"
      "global_batch = 1\nfidelity = \"packet\"\n";
  for (const std::string_view family : {"rocev2", "infiniband"}) {
    const std::string name(family);
    all.push_back({name + "_domains", rails(family, "nvlink4") + traffic("collective", "size = \"400 kB\"")});
    all.push_back({name + "_wide_domains",
                   rails(family, "nvlink4") + "domain = 4\n" + traffic("collective", "size = \"400 kB\"")});
    all.push_back({name + "_mesh", rails(family, "nvlink2-mesh") + traffic("all-to-all", "size = \"20 kB\"")});
    all.push_back({name + "_step", rails(family, "nvlink4") + step, true, {2}});
  }
  // Whole, it opens connections when they are needed, and then the ports are others.
  all.push_back({"tcp_step", rails("tcp", "nvlink4") + step, true, {2}, false});
}

/// TCP and iWARP, whose connections all open at the start.
void add_streams(std::vector<Case>& all) {
  for (const std::string_view family : {"iwarp", "tcp"}) {
    const std::string name(family);
    all.push_back({name + "_ring", fabric(family) + traffic("collective", "size = \"1 MB\"\nalgorithm = \"ring\"")});
    all.push_back(
        {name + "_staged", fabric(family) + "[host]\nprofile = \"modern\"\n" + traffic("incast", "size = \"100 kB\"")});
    all.push_back({name + "_errors",
                   fabric(family) + "[link]\nbit_error_rate = 1e-7\n" + traffic("permutation", "size = \"300 kB\"")});
  }
  all.push_back({"tcp_handshakes",
                 fabric("tcp") + "[tcp]\nsetup = \"on-the-wire\"\n" + traffic("permutation", "size = \"300 kB\""),
                 false});
}

/// What fails in all ways at once, and jobs that are lost.
void add_failures(std::vector<Case>& all, std::string_view family) {
  const std::string name(family);
  all.push_back(
      {name + "_failures",
       "stop = \"300 us\"\n" + fabric(family) +
           "[[failure]]\nkind = \"flapping\"\nselect = \"leaf0/port4\"\nat = \"5 us\"\nperiod = \"20 us\"\n"
           "down = \"3 us\"\n[[failure]]\nkind = \"link-down\"\nfit = 3600000000000000\nduration = \"5 us\"\n"
           "[[failure]]\nkind = \"degraded-lanes\"\nselect = \"leaf1/port5\"\nat = \"7 us\"\nduration = \"60 us\"\n"
           "width = \"50%\"\nbit_error_rate = 1e-7\nfec_latency = \"200 ns\"\n[[failure]]\nkind = "
           "\"switch-reboot\"\nselect = \"spine1\"\nat = \"40 us\"\nduration = \"30 us\"\n" +
           traffic("incast", "fan_in = 12\nsize = \"200 kB\"")});
  all.push_back({name + "_lost", fabric(family) +
                                     "[transport]\nack_timeout = 3\nretry_count = 2\n[[failure]]\nkind = \"nic-port\"\n"
                                     "select = \"host1\"\nat = \"20 us\"\n" +
                                     traffic("collective", "size = \"1 MB\"")});
  all.push_back({name + "_watched", fabric(family) +
                                        "[library]\nwatchdog = \"100 us\"\n[[failure]]\nkind = \"nic-port\"\n"
                                        "select = \"host1\"\nat = \"20 us\"\n" +
                                        traffic("collective", "size = \"1 MB\"")});
}

/// Tables of a subnet manager, which sweeps again and again; where it changes service levels, the world stays whole.
void add_resweeps(std::vector<Case>& all) {
  all.push_back({"infiniband_resweeps",
                 "stop = \"300 us\"\n" + fabric("infiniband") +
                     "[routing]\nengine = \"minhop\"\nreroute_delay = \"4 us\"\n[transport]\nack_timeout = 3\n"
                     "[[failure]]\nkind = \"flapping\"\nselect = \"leaf0/port4\"\nat = \"5 us\"\nperiod = \"20 us\"\n"
                     "down = \"7 us\"\n[[failure]]\nkind = \"switch-reboot\"\nselect = \"spine1\"\nat = \"40 us\"\n"
                     "duration = \"30 us\"\n" +
                     traffic("permutation", "size = \"300 kB\"\nshift = 5")});
  all.push_back({"infiniband_levels",
                 "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [5, 3]\n[infiniband]\nvls = "
                 "8\n[routing]\npolicy = \"lft\"\nengine = \"dfsssp\"\nreroute_delay = \"4 us\"\n[transport]\n"
                 "ack_timeout = 3\n[[event]]\nat = \"10 us\"\nselect = \"switch0-0/port1\"\naction = \"fail\"\n" +
                     traffic("permutation", "size = \"300 kB\"\nshift = 2"),
                 false});
}

std::vector<Case> cases() {
  std::vector<Case> all = {bond()};
  add_resweeps(all);
  for (const std::string_view family : {"rocev2", "infiniband", "iwarp", "tcp"}) {
    const std::string name(family);
    all.push_back({name + "_permutation", fabric(family) + traffic("permutation", "size = \"300 kB\"")});
    all.push_back({name + "_incast", fabric(family) + traffic("incast", "fan_in = 12\nsize = \"200 kB\"")});
    all.push_back({name + "_all_to_all", fabric(family) + traffic("all-to-all", "size = \"20 kB\"")});
  }
  add_streams(all);
  add_scale_up(all);
  for (const std::string_view family : {"rocev2", "infiniband"}) {
    const std::string name(family);
    const std::string small = traffic("permutation", "size = \"300 kB\"");
    all.push_back({name + "_send", fabric(family) + traffic("permutation", "size = \"300 kB\"\noperation = \"send\"")});
    all.push_back({name + "_read", fabric(family) + traffic("permutation", "size = \"300 kB\"\noperation = \"read\"")});
    all.push_back({name + "_ring", fabric(family) + traffic("ring-all-reduce", "size = \"1 MB\"")});
    all.push_back({name + "_poisson",
                   "stop = \"200 us\"\n" + fabric(family) + traffic("poisson", "load = \"50%\"\ncdf = \"websearch\"")});
    all.push_back({name + "_controlled", "stop = \"200 us\"\n" + fabric(family) +
                                             fmt::format("[congestion_control]\nalgorithm = \"{}\"\n",
                                                         family == "rocev2" ? "dcqcn" : "ib-cc") +
                                             traffic("poisson", "load = \"70%\"\ncdf = \"websearch\"") +
                                             traffic("incast", "fan_in = 16\nsize = \"200 kB\"\nstart = \"20 us\"")});
    all.push_back({name + "_collective", fabric(family) + traffic("collective", "size = \"1 MB\"")});
    all.push_back(
        {name + "_staged", fabric(family) + "[host]\nprofile = \"modern\"\n" + traffic("incast", "size = \"100 kB\"")});
    all.push_back({name + "_spray", fabric(family) + "[routing]\npolicy = \"spray\"\n" + small});
    all.push_back({name + "_adaptive", fabric(family) + "[routing]\npolicy = \"adaptive\"\n" + small});
    all.push_back({name + "_drill", fabric(family) + "[routing]\npolicy = \"drill\"\n" + small});
    all.push_back(
        {name + "_letflow", fabric(family) + "[routing]\npolicy = \"letflow\"\nflowlet_gap = \"100 ns\"\n" + small});
    if (family == "rocev2") {
      all.push_back(
          {name + "_conga", fabric(family) + "[routing]\npolicy = \"conga\"\nflowlet_gap = \"100 ns\"\n" + small});
      all.push_back({name + "_conweave",
                     fabric(family) + "[routing]\npolicy = \"conweave\"\nreply_margin = \"100 ns\"\n" + small});
      all.push_back(
          {name + "_leaf_order", fabric(family) + "[routing]\npolicy = \"spray\"\nreorder = \"leaf\"\n" + small});
    }
    all.push_back({name + "_errors", fabric(family) + "[link]\nbit_error_rate = 1e-7\n" + small});
    all.push_back({name + "_failure", fabric(family) +
                                          "[[event]]\nat = \"5 us\"\nselect = \"leaf0/port4\"\naction = \"fail\"\n" +
                                          traffic("incast", "fan_in = 12\nsize = \"200 kB\"")});
    add_failures(all, family);
    all.push_back({name + "_samples", fabric(family) + "[output]\nsample_interval = \"3 us\"\n" + small});
  }
  add_other_links(all);
  constexpr std::string_view kGroups =
      "[topology]\nkind = \"dragonfly-plus\"\ngroups = 4\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\n"
      "global_links = 1\n[link.host]\npropagation = \"300 ns\"\n";
  const std::string shifted = traffic("permutation", "size = \"300 kB\"\nshift = 4");
  for (const std::string_view policy : {"valiant", "ugal"}) {
    all.push_back(
        {fmt::format("infiniband_{}", policy),
         fmt::format("[fabric]\nfamily = \"infiniband\"\n{}[infiniband]\nvls = 2\n[routing]\npolicy = \"{}\"\n{}",
                     kGroups, policy, shifted)});
    all.push_back({fmt::format("rocev2_{}", policy),
                   fmt::format("[fabric]\nfamily = \"rocev2\"\ntuning = \"lossy\"\n{}[routing]\npolicy = \"{}\"\n{}",
                               kGroups, policy, shifted)});
  }
  all.push_back({"infiniband_torus",
                 "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [5, 3]\n[infiniband]\nvls = "
                 "2\n[routing]\npolicy = \"dimension-order\"\n[[event]]\nat = \"10 us\"\nselect = "
                 "\"switch0-0/port1\"\naction = \"fail\"\n" +
                     traffic("permutation", "size = \"300 kB\"\nshift = 2")});
  return all;
}

/// Where two results first differ; empty: nowhere. Shorter than what a comparison of whole documents prints.
std::string difference(const Outcome& a, const Outcome& b) {
  const nlohmann::json changes = nlohmann::json::diff(a.json, b.json);
  std::string text = changes.empty() ? std::string() : changes.front().dump().substr(0, 300);
  const auto [mine, others] = std::ranges::mismatch(a.messages, b.messages);
  if (mine != a.messages.end() || others != b.messages.end()) {
    text += fmt::format("; message {} of {} and {}", mine - a.messages.begin(), a.messages.size(), b.messages.size());
  }
  return text;
}

class DividedWorld : public testing::TestWithParam<Case> {};

TEST_P(DividedWorld, GivesTheResultsOfAWholeOne) {
  const auto scenario = scenario::parse_scenario(
      GetParam().text, {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const Outcome whole = run(*scenario, Way::kWhole);
  const Outcome windows = run(*scenario, Way::kWindows);
  const Outcome in_order = run(*scenario, Way::kInOrder);
  EXPECT_FALSE(whole.is_divided);
  EXPECT_EQ(windows.is_divided, GetParam().divides);
  EXPECT_EQ(in_order.is_divided, GetParam().divides);
  ASSERT_FALSE(whole.messages.empty());
  EXPECT_EQ(difference(windows, in_order), "");
  if (GetParam().is_like_whole) {
    EXPECT_TRUE(windows.messages == whole.messages) << difference(windows, whole);
  }
}

TEST_P(DividedWorld, GivesTheSameOnAnyNumberOfThreads) {
  const auto scenario = scenario::parse_scenario(
      GetParam().text, {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const Outcome alone = run(*scenario, Way::kWindows);
  for (const std::uint32_t threads : GetParam().threads) {
    const Outcome together = run(*scenario, Way::kWindows, threads);
    EXPECT_EQ(together.threads > 1, GetParam().divides);
    EXPECT_EQ(difference(together, alone), "");
    EXPECT_EQ(together.events, alone.events);
  }
}

TEST_P(DividedWorld, GivesTheSameInSeveralProcesses) {
  const auto scenario = scenario::parse_scenario(
      GetParam().text, {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  Outcome alone;
  for (const auto& [processes, threads] : {std::pair{2U, 1U}, {3U, 2U}}) {
    const SharedRun shared = Sharing(*scenario, processes, threads).run();
    if (!shared.refused.empty()) {
      GTEST_SKIP() << shared.refused;
    }
    alone = alone.events == 0 ? run(*scenario, Way::kWindows) : alone;
    const nlohmann::json changes = nlohmann::json::diff(shared.outcome.json, alone.json);
    EXPECT_TRUE(changes.empty()) << processes << " processes: " << changes.dump().substr(0, 300);
    EXPECT_EQ(shared.outcome.events, alone.events);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, DividedWorld, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

world::WorldOptions world_of(std::string_view text) {
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  world::WorldOptions options;
  options.graph = assembly::build_topology(*scenario).value();
  options.division = world::Division::kWhereItPays;
  return options;
}

std::string tree_with(std::string_view radix, std::string_view links) {
  return fmt::format("[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = {}\n{}", radix,
                     links);
}

// Large enough for every part of it to be dealt among threads.
TEST(SetUp, GivesTheSameWorldOnAnyNumberOfThreads) {
  for (const std::string_view family : {"rocev2", "infiniband"}) {
    const auto scenario = scenario::parse_scenario(
        fmt::format("stop = \"3 us\"\n[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = "
                    "16\n[output]\nsample_interval = \"1 us\"\n{}",
                    family, traffic("permutation", "size = \"40 kB\"")),
        {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
    ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
    const Outcome one = run(*scenario, Way::kWindows, 1);
    for (const std::uint32_t threads : {2U, 3U}) {
      const Outcome several = run(*scenario, Way::kWindows, threads);
      EXPECT_EQ(several.threads, threads);
      EXPECT_EQ(several.events, one.events);
      EXPECT_EQ(difference(several, one), "") << family << " on " << threads;
    }
  }
}

TEST(WorldDivision, CutsTheLongestCablesThatLeaveEnoughParts) {
  const world::WorldOptions options = world_of(tree_with("8", R"([link.host]
propagation = "10 ns"
[link.leaf]
propagation = "150 ns"
[link.spine]
propagation = "500 ns"
)"));
  const world::WorldDivision division = world::divide_world(options);
  EXPECT_EQ(division.lookahead, 500_ns);  // pods of 16 hosts, and core switches
  EXPECT_EQ(division.ports.size(), 1U + 8 + 16);
  EXPECT_EQ(division.of_node.size(), options.graph.nodes.size());
  for (const fabric::Link& link : options.graph.links) {
    const bool is_cut = division.of_node[link.a.node.value()] != division.of_node[link.b.node.value()];
    EXPECT_EQ(is_cut, link.propagation >= division.lookahead);
  }
}

TEST(WorldDivision, JoinsNeighboursThatWouldBeIdleAlone) {
  const world::WorldOptions options = world_of(tree_with("8", "[link]\npropagation = \"10 ns\"\n"));
  const world::WorldDivision division = world::divide_world(options);
  EXPECT_EQ(division.lookahead, 10_ns);
  for (std::size_t i = 1; i + 1 < division.ports.size(); ++i) {  // the last has what is left
    EXPECT_GE(division.ports[i], 40U);                           // four events of 100 ns in a window
    EXPECT_LE(division.ports[i], 48U);
  }
  EXPECT_EQ(std::accumulate(division.ports.begin(), division.ports.end(), 0U), 2 * options.graph.links.size());
}

TEST(WorldDivision, PutsAScaleUpDomainWithItsHosts) {
  world::WorldOptions options = world_of(R"([fabric]
family = "rocev2"
[topology]
kind = "rail-optimised"
hosts = 8
nics_per_host = 2
gpus_per_host = 2
[link]
propagation = "1 us"
)");
  options.division = world::Division::kWhereverPossible;
  options.scale_up.emplace();
  for (int domain = 0; domain < 4; ++domain) {
    fabric::ScaleUpDomain& made = options.scale_up->domains.emplace_back();
    for (int gpu = 0; gpu < 4; ++gpu) {
      made.ports.push_back({.name = fmt::format("host{}/gpu{}", 2 * domain + gpu / 2, gpu % 2)});
    }
  }
  const world::WorldDivision division = world::divide_world(options);
  ASSERT_EQ(division.of_domain.size(), 4U);
  for (std::uint32_t i = 0; i < options.graph.endpoints; ++i) {
    const int host = std::stoi(options.graph.nodes[i].name.substr(4));
    EXPECT_EQ(division.of_node[i], division.of_domain[static_cast<std::size_t>(host / 2)]);
  }
  for (const sim::PartitionIndex partition : division.of_domain) {
    EXPECT_EQ(std::ranges::count(division.of_domain, partition), 1);
    EXPECT_EQ(division.ports[partition], 2U * 2 + 2 * 4);  // NIC ports of two hosts, both ways of four links
  }
}

TEST(WorldDivision, LeavesWorldsWholeThatWouldFallIntoIdleOrFewParts) {
  EXPECT_EQ(world::divide_world(world_of(tree_with("8", "[link]\npropagation = \"100 ps\"\n"))).lookahead,
            Duration::zero());
  EXPECT_EQ(world::divide_world(world_of(tree_with("4", "[link]\npropagation = \"1 us\"\n"))).lookahead,
            Duration::zero());
  world::WorldOptions kept = world_of(tree_with("8", "[link]\npropagation = \"1 us\"\n"));
  EXPECT_EQ(world::divide_world(kept).lookahead, 1_us);
  kept.division = world::Division::kNever;
  EXPECT_EQ(world::divide_world(kept).lookahead, Duration::zero());
}

TEST(WorldDivision, KeepsAHostTogether) {
  world::WorldOptions options = world_of(R"([fabric]
family = "rocev2"
[topology]
kind = "rail-optimised"
hosts = 32
nics_per_host = 8
[link]
propagation = "1 us"
)");
  options.division = world::Division::kWhereverPossible;
  const world::WorldDivision division = world::divide_world(options);
  ASSERT_EQ(division.lookahead, 1_us);
  for (std::uint32_t i = 0; i < options.graph.endpoints; ++i) {
    const std::string& name = options.graph.nodes[i].name;
    const std::string host = name.substr(0, name.find('/'));
    for (std::uint32_t j = 0; j < i; ++j) {
      if (options.graph.nodes[j].name.starts_with(host + "/")) {
        EXPECT_EQ(division.of_node[i], division.of_node[j]);
      }
    }
  }
}

TEST(WorldDivision, DealsPartitionsThatAreAlikeEvenlyAndNeighboursTogether) {
  world::WorldDivision division{.lookahead = 1_us};
  division.ports = {0, 40, 40, 40, 40, 8, 8, 8, 8, 8, 100};
  EXPECT_EQ(world::deal_among_workers(division, 1), std::vector<WorkerIndex>(11, 0));
  EXPECT_EQ(world::deal_among_workers(division, 2), (std::vector<WorkerIndex>{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1}));
  const std::vector<WorkerIndex> many = world::deal_among_workers(division, 64);
  std::vector<bool> used(11, false);
  for (std::size_t i = 1; i < many.size(); ++i) {
    ASSERT_LT(many[i], 10U);  // no more than partitions
    used[many[i]] = true;
  }
  EXPECT_EQ(std::ranges::count(used, true), 10);
}

TEST(WorldDivision, GivesEveryProcessItsShareAndAllTheSamePicture) {
  world::WorldDivision division{.lookahead = 1_us};
  division.ports = {0, 40, 40, 40, 40, 8, 8, 8, 8, 8, 100};
  const std::vector<WorkerIndex> process_of = world::deal_among_workers(division, 3);
  for (std::uint32_t own = 0; own < 3; ++own) {
    const world::ProcessShare share = world::deal_among_processes(division, 3, own, 2);
    ASSERT_EQ(share.worker_of.size(), division.ports.size());
    EXPECT_EQ(share.workers, 2U);
    for (std::size_t i = 1; i < process_of.size(); ++i) {
      const WorkerIndex worker = share.worker_of[i];
      const std::uint32_t peer = process_of[i] - (process_of[i] > own ? 1 : 0);
      EXPECT_TRUE(process_of[i] == own ? worker < share.workers : worker == share.workers + peer) << i;
    }
  }
  EXPECT_TRUE(world::deal_among_processes(division, 11, 0, 1).worker_of.empty());
  EXPECT_FALSE(world::deal_among_processes(division, 10, 9, 1).worker_of.empty());
}

}  // namespace
}  // namespace weft::study::run
