#include "study/import/htsim_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/format_quantity.h"
#include "base/printable.h"
#include "study/import/htsim_protocol.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::import {
namespace {

constexpr std::int64_t kSlower = 4;  // of a failed link's speed

constexpr std::array<std::string_view, 3> kLinkTables{"host", "leaf", "spine"};

class ScenarioWriter {
 public:
  ScenarioWriter(const HtsimInputs& inputs, const HtsimFileNames& names, const HtsimValues& values)
      : inputs_(inputs), topology_(inputs.topology), names_(names), values_(values) {}

  HtsimScenario write() && {
    write_head();
    write_topology();
    write_devices();
    text_.append(protocol_sections(inputs_, values_));
    write_traffic();
    write_failures();
    write_notes();
    made_.scenario = fmt::to_string(text_);
    made_.flows = flow_list_text(inputs_.matrix);
    return std::move(made_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void write_head() {
    add("# {} of htsim", terminal_text(inputs_.matrix_file));
    if (!inputs_.topology_file.empty()) {
      add(" on {}", terminal_text(inputs_.topology_file));
    }
    add(": {} flows, {} hosts, {} tiers of switches.\n", inputs_.matrix.connections.size(), topology_.nodes,
        topology_.tiers);
    add("# Round trip over all tiers {}, {} packets of {}; least timeout of the reference {}.\n", values_.round_trip,
        values_.bdp_packets, inputs_.settings.mtu, values_.minimum_rto);
    add("seed = {}\n", inputs_.seed);
    if (inputs_.end) {
      add("stop = \"{}\"\n", *inputs_.end);
    }
    // A multiple of 4, as simulated Ethernet wants it.
    const std::int64_t payload = (inputs_.settings.mtu - HtsimSettings::kHeader).count() / 4 * 4;
    add("\n[fabric]\nfamily = \"{}\"\nmtu = {}\n", scenario::word_of(inputs_.family), payload);
    text_.append(fabric_keys(inputs_));
  }

  void write_topology() {
    add("\n[topology]\n");
    if (topology_.tiers == 2) {
      add("kind = \"leaf-spine\"\nhosts = {}\nhosts_per_leaf = {}\nspines = {}\nparallel_links = {}\n", topology_.nodes,
          topology_.tier[0].radix_down, topology_.aggs_per_pod, topology_.tier[1].bundle);
    } else if (topology_.is_uniform()) {
      add("kind = \"fat-tree\"\ntiers = 3\nradix = {}\n", 2 * topology_.tier[0].radix_down);
    } else {
      add("kind = \"file\"\nfile = \"{}\"\n", names_.graph);
      made_.graph = graph_text(topology_);
      return;
    }
    for (std::uint32_t i = 0; i < topology_.tiers; ++i) {
      add("\n[link.{}]\nrate = \"{}\"\npropagation = \"{}\"\nbit_error_rate = 0\n", kLinkTables[i],
          topology_.tier[i].downlink_speed, topology_.tier[i].downlink_latency);
    }
  }

  void write_devices() {
    // Nothing is shared between queues there; the buffer is what all of them hold together.
    const std::int64_t ports = topology_.most_ports();
    add("\n[switch]\nports = {}\nport_rate = \"{}\"\nlatency = \"{}\"\nforwarding = \"store-and-forward\"\n"
        "buffer = \"{} B\"\n",
        ports, topology_.fastest(), topology_.tier[0].switch_latency, (values_.queue * (3 * ports)).count());
    add("\n[nic]\nport_rate = \"{}\"\ndoorbell_latency = \"0 ns\"\npcie_latency = \"0 ns\"\ntx_latency = \"0 ns\"\n"
        "rx_latency = \"0 ns\"\ncompletion_latency = \"0 ns\"\ncut_through = false\n",
        topology_.tier[0].downlink_speed);
  }

  void write_traffic() {
    add("\n[[traffic]]\nname = \"matrix\"\nkind = \"flows\"\nfile = \"{}\"\noperation = \"{}\"\n", names_.flows,
        inputs_.matrix.fires_on_arrival() ? "write-imm" : "write");
  }

  void write_failures() {
    for (std::uint32_t i = 1; i < topology_.tiers; ++i) {
      if (topology_.tier[i].switch_latency != topology_.tier[0].switch_latency) {
        add("\n[[override]]\nselect = \"{}\"\nswitch.latency = \"{}\"\n",
            i == 2                 ? "core*"
            : topology_.tiers == 2 ? "spine*"
                                   : "pod*/agg*",
            topology_.tier[i].switch_latency);
      }
    }
    for (const std::string& ports : slow_ports()) {
      write_slow(ports);
    }
    for (const MatrixFailure& failure : inputs_.matrix.failures) {
      add("\n[[event]]\nat = \"0 ns\"\nselect = \"{}\"\naction = \"fail\"\n",
          uplink(failure.switch_id, failure.link_id));
    }
  }

  /// Ports whose links `failed` means: with three tiers those of cores towards the first aggregation switches, in the
  /// reference's order, which counts from switch to switch by their number in a pod; with two tiers both ends of every
  /// link of the first spines.
  [[nodiscard]] std::vector<std::string> slow_ports() const {
    std::vector<std::string> ports;
    if (topology_.tiers == 2) {
      for (std::uint32_t spine = 0; spine < inputs_.failed; ++spine) {
        ports.push_back(fmt::format("spine{}", spine));
        for (std::uint32_t b = 0; b < topology_.tier[1].bundle; ++b) {
          ports.push_back(
              fmt::format("leaf*/port{}", topology_.tier[0].radix_down + b * topology_.aggs_per_pod + spine));
        }
      }
      return ports;
    }
    for (std::uint32_t agg = 0; agg < topology_.pods * topology_.aggs_per_pod; ++agg) {
      for (std::uint32_t link = 0; link < topology_.cores_per_agg(); ++link) {
        for (std::uint32_t b = 0; link + agg * topology_.aggs_per_pod < inputs_.failed && b < topology_.tier[2].bundle;
             ++b) {
          const std::uint32_t pod = agg / topology_.aggs_per_pod;
          ports.push_back(fmt::format("core{}/port{}", core_of(agg % topology_.aggs_per_pod, link),
                                      pod * topology_.tier[2].bundle + b));
        }
      }
    }
    return ports;
  }

  /// The core at a link of an aggregation switch that has that place in its pod: a whole tree is made by weft, which
  /// numbers cores by that place, any other from a graph (graph_text).
  [[nodiscard]] std::uint32_t core_of(std::uint32_t place, std::uint32_t link) const {
    return topology_.is_uniform() ? place * topology_.cores_per_agg() + link : place + topology_.aggs_per_pod * link;
  }

  void write_slow(const std::string& ports) {
    add("\n[[event]]\nat = \"0 ns\"\nselect = \"{}\"\naction = \"degrade\"\nrate = \"{}\"\ndirection = \"out\"\n",
        ports, topology_.tier[topology_.tiers - 1].downlink_speed / kSlower);
    add("\n[[override]]\nselect = \"{}\"\n", ports);
    for (const QueueKey& key : queue_keys(inputs_, values_, kSlower)) {
      add("ethernet.priority.{}.{}", key.priority, key.line);
    }
  }

  /// The port of an aggregation switch towards a core; of a bundle its first link.
  [[nodiscard]] std::string uplink(std::uint32_t agg, std::uint32_t link) const {
    const std::uint32_t port = topology_.tier[1].radix_down + link * topology_.tier[2].bundle;
    return fmt::format("pod{}/agg{}/port{}", agg / topology_.aggs_per_pod, agg % topology_.aggs_per_pod, port);
  }

  void write_notes() {
    const ConnectionMatrix& matrix = inputs_.matrix;
    const auto note = [this](std::string text) { made_.notes.push_back(std::move(text)); };
    if (matrix.priorities > 0) {
      note(fmt::format("{} flows have a priority, which htsim_uec reads and does not use", matrix.priorities));
    }
    if (matrix.messages > 0) {
      note(fmt::format("{} flows are messages of a connection that is used again; each has queue pairs of its own",
                       matrix.messages));
    }
    if (matrix.cut_starts > 0) {
      note(fmt::format("{} starts have parts of a microsecond, which htsim_uec drops, and so does this",
                       matrix.cut_starts));
    }
    if (!matrix.triggers.empty()) {
      note("a trigger that starts flows of another host takes the time of a message; in htsim it takes none");
    }
    for (std::string& own : protocol_notes(inputs_)) {
      note(std::move(own));
    }
  }

  const HtsimInputs& inputs_;
  const HtsimTopology& topology_;
  const HtsimFileNames& names_;
  const HtsimValues& values_;
  fmt::memory_buffer text_;
  HtsimScenario made_;
};

Result<void> check_failures(const HtsimInputs& inputs) {
  const HtsimTopology& topology = inputs.topology;
  const std::uint32_t aggs = topology.pods * topology.aggs_per_pod;
  const std::uint32_t most = topology.tiers == 2 ? topology.aggs_per_pod : aggs * topology.cores_per_agg();
  if (inputs.failed > most) {
    return fail("failed: {} links; {} {}", inputs.failed,
                topology.tiers == 2 ? "a leaf has" : "between aggregation switches and cores there are", most);
  }
  for (const MatrixFailure& failure : inputs.matrix.failures) {
    const std::string place = fmt::format("{}:{}", inputs.matrix_file, failure.line);
    if (topology.tiers == 2) {
      return fail("{}: failures are of aggregation switches below cores; two tiers have none", place);
    }
    if (failure.switch_id >= aggs || failure.link_id >= topology.cores_per_agg()) {
      return fail("{}: switch {}, link {}: there are {} aggregation switches with {} links upwards each", place,
                  failure.switch_id, failure.link_id, aggs, topology.cores_per_agg());
    }
  }
  return {};
}

}  // namespace

Result<HtsimScenario> make_scenario(const HtsimInputs& inputs, const HtsimFileNames& names) {
  if (inputs.matrix.nodes != inputs.topology.nodes) {
    return fail("{} has {} nodes, and the topology {}; they must be the same", inputs.matrix_file, inputs.matrix.nodes,
                inputs.topology.nodes);
  }
  if (Result<void> right = check_failures(inputs); !right) {
    return pass_on(right);
  }
  Result<HtsimValues> values = derive_values(inputs.topology, inputs.settings);
  if (!values) {
    return pass_on(values);
  }
  return ScenarioWriter(inputs, names, *values).write();
}

}  // namespace weft::study::import
