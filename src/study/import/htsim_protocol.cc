#include "study/import/htsim_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::import {
namespace {

// Those of catalogue entry qos/uet, and of all RoCE's.
constexpr int kData = 3;
constexpr int kControl = 6;

bool is_uet(const HtsimInputs& inputs) { return inputs.family == scenario::Family::kUet; }

bool trims(const HtsimInputs& inputs) { return inputs.settings.overflow == HtsimOverflow::kTrim; }

/// A context for each flow of one direction; the catalogue's 4,096 suffice for most matrices.
std::int64_t contexts_of(const HtsimInputs& inputs) {
  constexpr std::int64_t kLeast = 4'096;
  constexpr std::int64_t kMost = 65'535;
  std::vector<std::int64_t> flows(inputs.matrix.nodes);
  for (const MatrixConnection& connection : inputs.matrix.connections) {
    ++flows[connection.source];
    ++flows[connection.destination];
  }
  return std::clamp(flows.empty() ? 0 : *std::ranges::max_element(flows), kLeast, kMost);
}

std::string nscc_section(const HtsimInputs& inputs, const HtsimValues& values) {
  const HtsimProtocol& protocol = inputs.protocol;
  std::string text = fmt::format("\n[nscc]\nround_trip = \"{}\"\n", values.round_trip);
  if (protocol.target_delay) {
    text += fmt::format("target = \"{}\"\n", *protocol.target_delay);
  }
  if (protocol.quick_adapt_gate) {
    text += fmt::format("quick_adapt_fraction = {}\n", *protocol.quick_adapt_gate);
  }
  if (inputs.settings.window_packets) {
    text += fmt::format("first_window = \"{} B\"\n", values.window.count());
  }
  return text;
}

/// Credit says by itself that the last hop is not marked, and that it follows an oversubscribed core.
std::string control_sections(const HtsimInputs& inputs, const HtsimValues& values) {
  const HtsimControl control = inputs.protocol.control;
  std::string text =
      fmt::format("\n[congestion_control]\nalgorithm = \"{}\"\n", control == HtsimControl::kSender ? "nscc" : "rccc");
  if (control != HtsimControl::kSender) {
    text += fmt::format("\n[rccc]\nwith_nscc = {}\nround_trip = \"{}\"\n", control == HtsimControl::kBoth,
                        values.round_trip);
  }
  return control == HtsimControl::kReceiver ? text : text + nscc_section(inputs, values);
}

std::string uet_sections(const HtsimInputs& inputs, const HtsimValues& values) {
  const HtsimProtocol& protocol = inputs.protocol;
  // Switches that do not trim leave losses to timeouts, unless SLEEK looks for them.
  const bool sleek = protocol.losses == HtsimLosses::kSleek;
  std::string text = "\n[ethernet]\necn_moment = \"end\"\n";
  text += fmt::format("\n[ethernet.trimming]\nenabled = {}\nvictim = \"coin\"\nsize = \"{} B\"\n", trims(inputs),
                      protocol.trimmed.count());
  text += control_sections(inputs, values);
  text += fmt::format(
      "\n[uet]\ndelivery = \"rud\"\npath_selector = \"{}\"\npaths = {}\ntrimming = {}\nloss_by_count = {}\n"
      "probe_after = \"{}\"\nack_every = \"{} B\"\ntimeout = \"{}\"\nretries = 255\ncontexts = {}\n"
      "header_bytes = {}\ncontrol_bytes = {}\n",
      scenario::word_of(protocol.paths_by), protocol.paths, trims(inputs), sleek,
      sleek ? values.round_trip * 3 : Duration::zero(), protocol.sack_threshold.count(), values.minimum_rto,
      contexts_of(inputs), HtsimSettings::kHeader.count(), HtsimSettings::kHeader.count());
  return text;
}

}  // namespace

std::string fabric_keys(const HtsimInputs& inputs) {
  return is_uet(inputs) ? "qos = \"uet\"\nframe_gap = \"0 B\"\n" : "qos = \"ecn-only\"\n";
}

std::vector<QueueKey> queue_keys(const HtsimInputs& inputs, const HtsimValues& values, std::int64_t divisor) {
  const auto line = [divisor](std::string_view key, Bytes whole) {
    return fmt::format("{} = \"{} B\"\n", key, whole.count() / divisor);
  };
  std::vector<QueueKey> keys{{kData, line("kmin", values.ecn_low)}, {kData, line("kmax", values.ecn_high)}};
  if (is_uet(inputs)) {
    keys.push_back({kData, line("egress_limit", values.queue)});
    keys.push_back({kControl, line("egress_limit", 2 * values.queue)});
  }
  return keys;
}

std::string protocol_sections(const HtsimInputs& inputs, const HtsimValues& values) {
  std::string text;
  int section = -1;
  for (const QueueKey& key : queue_keys(inputs, values, 1)) {
    if (key.priority != section) {
      section = key.priority;
      text += fmt::format("\n[ethernet.priority.{}]\n", section);
      text += section == kData ? "ecn = true\npmax = \"100%\"\necn_reference_rate = \"none\"\n" : "";
    }
    text += key.line;
  }
  text += fmt::format("\n[routing]\npolicy = \"{}\"\n", is_uet(inputs) ? "ecmp" : "spray");
  if (!inputs.matrix.failures.empty()) {
    text += "reroute_delay = \"0 ns\"\n";
  }
  if (is_uet(inputs)) {
    return text + uet_sections(inputs, values);
  }
  text += "\n[transport]\nloss_recovery = \"selective-repeat\"\nout_of_order_placement = true\n";
  text +=
      fmt::format("\n[congestion_control]\nalgorithm = \"static-window\"\nwindow = \"{} B\"\n", values.window.count());
  return text;
}

std::vector<std::string> protocol_notes(const HtsimInputs& inputs) {
  std::vector<std::string> notes;
  if (!is_uet(inputs)) {
    notes.emplace_back(
        "packets have the headers of RoCEv2, preamble and gap; those of htsim 64 bytes and no gap. Its queues, "
        "trimming and congestion control are those of family uet");
  } else if (!trims(inputs)) {
    notes.emplace_back(
        "a full queue drops the packet that comes; in htsim by a coin that one or the last of the queue");
  }
  return notes;
}

}  // namespace weft::study::import
