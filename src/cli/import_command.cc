#include "cli/import_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/file.h"
#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "study/import/htsim_scenario.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

using study::import::HtsimInputs;
using study::import::HtsimProtocol;
using study::import::HtsimSettings;
using study::import::HtsimTopology;

struct Bounds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

Result<std::uint64_t> whole_number(const std::string& text, const Bounds& bounds) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < bounds.least || number > bounds.most) {
    return fail("'{}' is not a whole number from {} to {}", excerpt(text), bounds.least, bounds.most);
  }
  return number;
}

/// Reads options one after the other, and keeps the first fault.
class OptionReader {
 public:
  /// The number, or what stands for it where the option is not given.
  std::uint64_t number(std::string_view option, const std::string& text, std::uint64_t otherwise,
                       const Bounds& bounds) {
    return take(option, text.empty() ? Result<std::uint64_t>(otherwise) : whole_number(text, bounds), otherwise);
  }
  Rate rate(std::string_view option, const std::string& text, Rate otherwise) {
    const Rate found = take(option, text.empty() ? Result<Rate>(otherwise) : parse_rate(text), otherwise);
    return found > Rate::zero() ? found : take<Rate>(option, fail("must be above 0"), otherwise);
  }
  Duration duration(std::string_view option, const std::string& text, Duration otherwise) {
    return take(option, text.empty() ? Result<Duration>(otherwise) : parse_duration(text), otherwise);
  }
  void refuse(std::string_view option, Error error) {
    if (!fault_) {
      fault_ = std::move(error).at(option);
    }
  }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  template <class T>
  T take(std::string_view option, Result<T> value, T otherwise) {
    if (!value) {
      refuse(option, std::move(value.error()));
      return otherwise;
    }
    return *value;
  }

  std::optional<Error> fault_;
};

constexpr std::uint64_t kMostFailed = 4'096;

constexpr Bounds kPackets{.least = 1, .most = 1'000'000};

Result<HtsimSettings> settings_of(const ImportText& text) {
  OptionReader read;
  HtsimSettings settings;
  settings.mtu = Bytes(static_cast<std::int64_t>(read.number("--mtu", text.mtu, 4150, {.least = 320, .most = 8256})));
  const auto packets = [&](std::string_view option, const std::string& own) {
    return static_cast<std::int64_t>(read.number(option, own, 0, kPackets));
  };
  if (!text.queue_size.empty()) {
    settings.queue_packets = packets("--queue-size", text.queue_size);
  }
  settings.queue_bdp_factor = packets("--queue-size-bdp-factor", text.queue_size_bdp_factor);
  if (!text.cwnd.empty()) {
    settings.window_packets = packets("--cwnd", text.cwnd);
  }
  if (!text.ecn.empty()) {
    settings.ecn_packets = {packets("--ecn", text.ecn.front()), packets("--ecn", text.ecn.back())};
  }
  if (!text.queue_size.empty() && !text.queue_size_bdp_factor.empty()) {
    read.refuse("--queue-size-bdp-factor", {"--queue-size gives the size already"});
  }
  settings.overflow = text.disable_trim ? study::import::HtsimOverflow::kDrop : study::import::HtsimOverflow::kTrim;
  return read.fault() ? Result<HtsimSettings>(tl::unexpected<Error>(*read.fault())) : settings;
}

/// An entropy value each; engines take powers of two.
std::int64_t paths_of(OptionReader& read, const std::string& text) {
  constexpr std::uint64_t kMost = 16'384;
  const std::uint64_t paths = read.number("--paths", text, 64, {.least = 1, .most = kMost});
  if (!std::has_single_bit(paths)) {
    read.refuse("--paths", {fmt::format("{} is no power of two; {} and {} are", paths, std::bit_floor(paths),
                                        std::min(std::bit_ceil(paths), kMost))});
  }
  return static_cast<std::int64_t>(paths);
}

study::scenario::PathRule algorithm_of(OptionReader& read, const std::string& text) {
  using study::scenario::PathRule;
  static constexpr std::array<std::pair<std::string_view, PathRule>, 4> kAlgorithms{
      {{"oblivious", PathRule::kOblivious},
       {"bitmap", PathRule::kBitmap},
       {"reps", PathRule::kReps},
       {"mixed", PathRule::kMixed}}};
  if (text.empty()) {
    return PathRule::kMixed;
  }
  for (const auto& [word, algorithm] : kAlgorithms) {
    if (word == text) {
      return algorithm;
    }
  }
  static constexpr std::array<std::string_view, 4> kWords{"oblivious", "bitmap", "reps", "mixed"};
  const std::string shown = excerpt(text);
  read.refuse("--load-balancing-algo", unknown_word({.kind = "algorithm", .word = shown, .valid = kWords}));
  return PathRule::kMixed;
}

study::import::HtsimControl control_of(OptionReader& read, const ImportText& text) {
  using study::import::HtsimControl;
  if (text.receiver_alone && (text.sender_alone || text.receiver_too)) {
    read.refuse("--receiver-cc-only",
                {fmt::format("{} says otherwise", text.sender_alone ? "--sender-cc-only" : "--receiver-cc")});
  }
  if (text.sender_alone && text.receiver_too) {
    read.refuse("--sender-cc-only", {"--receiver-cc says otherwise"});
  }
  return text.receiver_alone ? HtsimControl::kReceiver
         : text.receiver_too ? HtsimControl::kBoth
                             : HtsimControl::kSender;
}

/// Options that say nothing to other families, and that are given.
std::string_view option_of_uet(const ImportText& text) {
  const std::array<std::pair<std::string_view, bool>, 10> options{
      {{"--paths", !text.paths.empty()},
       {"--load-balancing-algo", !text.load_balancing.empty()},
       {"--sack-threshold", !text.sack_threshold.empty()},
       {"--target-q-delay", !text.target_delay.empty()},
       {"--qa-gate", !text.quick_adapt_gate.empty()},
       {"--trimsize", !text.trim_size.empty()},
       {"--sender-cc-only", text.sender_alone},
       {"--receiver-cc-only", text.receiver_alone},
       {"--receiver-cc", text.receiver_too},
       {"--sleek", text.sleek}}};
  const auto* given = std::ranges::find(options, true, &std::pair<std::string_view, bool>::second);
  return given == options.end() ? std::string_view() : given->first;
}

Result<HtsimProtocol> protocol_of(const ImportText& text, study::scenario::Family family) {
  if (family != study::scenario::Family::kUet) {
    const std::string_view given = option_of_uet(text);
    return given.empty() ? Result<HtsimProtocol>(HtsimProtocol{}) : fail("{}: of family uet alone", given);
  }
  OptionReader read;
  HtsimProtocol protocol;
  protocol.control = control_of(read, text);
  protocol.paths = paths_of(read, text.paths);
  protocol.paths_by = algorithm_of(read, text.load_balancing);
  protocol.sack_threshold = Bytes(static_cast<std::int64_t>(
      read.number("--sack-threshold", text.sack_threshold, 16'384, {.least = 1, .most = 1 << 20})));
  protocol.trimmed =
      Bytes(static_cast<std::int64_t>(read.number("--trimsize", text.trim_size, 64, {.least = 64, .most = 1'024})));
  if (!text.target_delay.empty()) {
    protocol.target_delay = read.duration("--target-q-delay", text.target_delay, 1_us);
    if (*protocol.target_delay < 1_ns) {
      read.refuse("--target-q-delay", {"must be at least 1 ns"});
    }
  }
  if (!text.quick_adapt_gate.empty()) {
    protocol.quick_adapt_gate =
        static_cast<std::int64_t>(read.number("--qa-gate", text.quick_adapt_gate, 3, {.least = 0, .most = 30}));
  }
  protocol.losses = text.sleek ? study::import::HtsimLosses::kSleek : study::import::HtsimLosses::kTimeouts;
  return read.fault() ? Result<HtsimProtocol>(tl::unexpected<Error>(*read.fault())) : protocol;
}

Result<HtsimTopology> topology_from_file(const ImportText& text) {
  constexpr std::array<std::pair<std::string_view, std::string ImportText::*>, 4> kOptions{
      {{"--tiers", &ImportText::tiers},
       {"--linkspeed", &ImportText::linkspeed},
       {"--hop-latency", &ImportText::hop_latency},
       {"--switch-latency", &ImportText::switch_latency}}};
  for (const auto& [option, member] : kOptions) {
    if (!(text.*member).empty()) {
      return fail("{}: the topology file says it", option);
    }
  }
  Result<std::string> contents = read_file(text.topology, {.bytes = study::import::kLargestTopologyFile});
  return contents ? study::import::parse_htsim_topology({.text = *contents, .name = text.topology})
                  : tl::unexpected<Error>(contents.error());
}

Result<HtsimTopology> topology_of(const ImportText& text, std::uint32_t nodes) {
  OptionReader read;
  const std::uint64_t said = read.number("--nodes", text.nodes, nodes, {.least = 2, .most = 1'000'000});
  if (said != nodes) {
    read.refuse("--nodes", {fmt::format("{}; the connection matrix has {}", said, nodes)});
  }
  if (!text.topology.empty()) {
    return read.fault() ? Result<HtsimTopology>(tl::unexpected<Error>(*read.fault())) : topology_from_file(text);
  }
  const study::import::HtsimTreeOptions tree{
      .nodes = nodes,
      .tiers = static_cast<std::uint32_t>(read.number("--tiers", text.tiers, 3, {.least = 2, .most = 3})),
      .linkspeed = read.rate("--linkspeed", text.linkspeed, 100_gbps),
      .hop_latency = read.duration("--hop-latency", text.hop_latency, 1_us),
      .switch_latency = read.duration("--switch-latency", text.switch_latency, Duration::zero())};
  if (tree.hop_latency == Duration::zero()) {
    read.refuse("--hop-latency", {"must be above 0"});
  }
  return read.fault() ? tl::unexpected<Error>(*read.fault()) : study::import::uniform_topology(tree);
}

Result<study::scenario::Family> family_of(const std::string& word) {
  static constexpr std::array<std::string_view, 2> kFamilies{"uet", "rocev2"};
  if (word == kFamilies[0]) {
    return study::scenario::Family::kUet;
  }
  if (word == kFamilies[1]) {
    return study::scenario::Family::kRoceV2;
  }
  const std::string shown = excerpt(word);
  return tl::unexpected<Error>(unknown_word({.kind = "family", .word = shown, .valid = kFamilies}).at("--family"));
}

Result<HtsimInputs> inputs_of(const ImportText& text) {
  static constexpr std::array<std::string_view, 2> kUnits{"us", "ps"};
  if (text.start_unit != kUnits[0] && text.start_unit != kUnits[1]) {
    const std::string shown = excerpt(text.start_unit);
    return tl::unexpected<Error>(unknown_word({.kind = "unit", .word = shown, .valid = kUnits}).at("--start-unit"));
  }
  Result<std::string> contents = read_file(text.matrix, {.bytes = study::import::kLargestMatrix});
  if (!contents) {
    return pass_on(contents);
  }
  auto matrix = study::import::parse_connection_matrix(
      {.text = *contents, .name = text.matrix}, text.start_unit == kUnits[0] ? study::import::HtsimStart::kMicroseconds
                                                                             : study::import::HtsimStart::kPicoseconds);
  if (!matrix) {
    return pass_on(matrix);
  }
  Result<HtsimTopology> topology = topology_of(text, matrix->nodes);
  if (!topology) {
    return pass_on(topology);
  }
  Result<HtsimSettings> settings = settings_of(text);
  if (!settings) {
    return pass_on(settings);
  }
  Result<study::scenario::Family> family = family_of(text.family);
  if (!family) {
    return pass_on(family);
  }
  Result<HtsimProtocol> protocol = protocol_of(text, *family);
  if (!protocol) {
    return pass_on(protocol);
  }
  OptionReader read;
  HtsimInputs inputs{
      .matrix_file = text.matrix,
      .topology_file = text.topology,
      .matrix = std::move(*matrix),
      .topology = *topology,
      .settings = *settings,
      .protocol = *protocol,
      .failed = static_cast<std::uint32_t>(read.number("--failed", text.failed, 0, {.least = 0, .most = kMostFailed})),
      .seed = read.number("--seed", text.seed, 13, {.least = 0, .most = std::numeric_limits<std::int32_t>::max()}),
      .family = *family};
  if (!text.end.empty()) {
    inputs.end = read.duration("--end", text.end, 1_us);
    if (*inputs.end < 1_ns) {
      read.refuse("--end", {"must be at least 1 ns"});
    }
  }
  return read.fault() ? Result<HtsimInputs>(tl::unexpected<Error>(*read.fault())) : inputs;
}

/// Files beside the scenario are named after it.
struct Outputs {
  std::filesystem::path scenario;
  std::filesystem::path flows;
  std::filesystem::path graph;
};

Outputs outputs_of(const std::string& scenario) {
  Outputs outputs{.scenario = scenario, .flows = scenario, .graph = scenario};
  outputs.flows.replace_extension(".flows.csv");
  outputs.graph.replace_extension(".graph");
  return outputs;
}

Result<void> write_all(const study::import::HtsimScenario& made, const Outputs& outputs, bool force) {
  const std::array<std::pair<const std::filesystem::path*, const std::string*>, 3> files{
      {{&outputs.flows, &made.flows}, {&outputs.graph, &made.graph}, {&outputs.scenario, &made.scenario}}};
  for (const auto& [path, text] : files) {
    std::error_code ignored;
    if (!force && !text->empty() && std::filesystem::exists(*path, ignored)) {
      return fail("{}: exists; --force replaces it", path->string());
    }
  }
  for (const auto& [path, text] : files) {
    if (text->empty()) {
      continue;
    }
    if (Result<void> written = write_file(path->string(), *text); !written) {
      return written;
    }
  }
  return {};
}

int run_import_htsim(const ImportText& text) {
  Result<HtsimInputs> inputs = inputs_of(text);
  if (!inputs) {
    return complain("import", inputs.error(), kUsageError);
  }
  const Outputs outputs = outputs_of(text.output);
  const auto made = study::import::make_scenario(
      *inputs, {.flows = outputs.flows.filename().string(), .graph = outputs.graph.filename().string()});
  if (!made) {
    return complain("import", made.error(), kUsageError);
  }
  if (const Result<void> written = write_all(*made, outputs, text.force); !written) {
    return complain("import", written.error(), kFault);
  }
  for (const std::string& note : made->notes) {
    fmt::print(stderr, "note: {}\n", terminal_text(note));
  }
  fmt::print("{} written; next: weft run {}\n", terminal_text(text.output), shell_word(text.output));
  return kSuccess;
}

void add_protocol_options(CLI::App& htsim, ImportText& text) {
  htsim.add_option("--trimsize", text.trim_size, "Bytes that are left of a packet that is cut; 64 if not given");
  htsim.add_option("--paths", text.paths, "Entropy values of a flow, a power of two; 64 if not given");
  htsim.add_option("--load-balancing-algo", text.load_balancing,
                   "Which of them a packet has: oblivious, bitmap, reps or mixed; mixed if not given");
  htsim.add_option("--sack-threshold", text.sack_threshold, "Bytes per acknowledgement; 16384 if not given");
  htsim.add_flag("--sender-cc-only", text.sender_alone, "NSCC, as if nothing is given");
  htsim.add_flag("--receiver-cc-only", text.receiver_alone, "RCCC in its place");
  htsim.add_flag("--receiver-cc", text.receiver_too, "RCCC beside NSCC");
  htsim.add_option("--target-q-delay", text.target_delay,
                   "Queueing delay that NSCC aims at; 0.75 round trips, or one without trimming, if not given");
  htsim.add_option("--qa-gate", text.quick_adapt_gate, "NSCC adapts at once below its window / 2^this; 3 if not given");
  htsim.add_flag("--sleek", text.sleek, "Packets out of order tell of losses");
}

}  // namespace

void add_import_command(CLI::App& app, ImportText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("import", "Inputs of other simulators as scenarios");
  command->require_subcommand(1);
  CLI::App* htsim = command->add_subcommand("htsim",
                                            "A connection matrix and a topology of htsim (Ultra Ethernet "
                                            "Consortium); options are those of htsim_uec, with units");
  htsim->add_option("--cm,--tm", text.matrix, "Connection matrix")->required()->type_name("FILE");
  htsim->add_option("--topo", text.topology, "Topology file; none: a whole fat-tree")->type_name("FILE");
  htsim->add_option("--output,-o", text.output, "The scenario to write; its flows go beside it")
      ->required()
      ->type_name("FILE");
  htsim->add_option("--nodes", text.nodes, "Hosts, to be checked against the matrix");
  htsim->add_option("--tiers", text.tiers, "Tiers of switches, 2 or 3; 3 if not given");
  htsim->add_option("--linkspeed", text.linkspeed, "Of every link; 100Gbps if not given");
  htsim->add_option("--hop-latency", text.hop_latency, "Of every cable; 1us if not given");
  htsim->add_option("--switch-latency", text.switch_latency, "Of every switch; 0ns if not given");
  htsim->add_option("--mtu", text.mtu, "Bytes of a packet, 64 of header included; 4150 if not given");
  htsim->add_option("--queue-size,-q", text.queue_size, "Packets of a queue; the bandwidth-delay product if not given");
  htsim->add_option("--queue-size-bdp-factor", text.queue_size_bdp_factor,
                    "Bandwidth-delay products of a queue; 1, or 5 without trimming, if not given");
  htsim
      ->add_option("--ecn", text.ecn,
                   "Packets from which on some and above which all are marked; 20 and 80 % of the "
                   "bandwidth-delay product if not given")
      ->expected(2)
      ->type_name("LOW HIGH");
  htsim->add_option("--cwnd", text.cwnd, "Packets of a flow's first window; 1.5 bandwidth-delay products if not given");
  htsim->add_flag("--disable-trim", text.disable_trim, "Queues that are full drop packets");
  htsim->add_option("--failed", text.failed, "Links that have a quarter of their speed");
  add_protocol_options(*htsim, text);
  htsim->add_option("--seed", text.seed, "Seed of the run; 13 if not given");
  htsim->add_option("--end", text.end, "Time at which the run ends; when all flows have ended if not given");
  htsim->add_option("--start-unit", text.start_unit, "What a start in the matrix counts: us, as for htsim_uec, or ps")
      ->capture_default_str();
  htsim->add_option("--family", text.family, "Protocols: uet or rocev2")->capture_default_str();
  htsim->add_flag("--force", text.force, "Replace files that exist");
  htsim->footer("Exit status: 0 written, 1 it cannot be written, 2 a file or an option is wrong.");
  htsim->callback([&text, &exit_status] { exit_status = run_import_htsim(text); });
}

}  // namespace weft::cli
