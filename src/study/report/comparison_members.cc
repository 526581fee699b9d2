#include "study/report/comparison_members.h"

#include <fmt/core.h>

#include "base/assert.h"
#include "study/report/comparison_keys.h"

namespace weft::study::report {
namespace {

using enum MemberKind;
constexpr Need kMust = Need::kMust;

constexpr Member kDocument[] = {
    {"version", kText, "Version of weft that wrote it."},
    {"scenario", kObject, "What all fabrics have in common: `name`, `file`, `seed`, `seeds`, `hardware`, and more."},
    {"scenario.name", kText, "Name of the scenario."},
    {"scenario.job", kText, "The job that trains a model, in words."},
    {"scenario.topology", kText, "The topology, in words."},
    {"fabrics", kList, "The fabrics, in the order in which they were asked for.", "", kMust},
    {"fabrics[].name", kText, "Name, of no other fabric of the document.", "", kMust},
    {"fabrics[].possible", kFlag, "Whether the scenario runs on it.", "", kMust},
    {"verdict", kList, "Sentences that follow from the figures."},
    {"verdict[].text", kText, "The sentence.", "", kMust},
    {"verdict[].evidence", kText, "The figure that it rests on."},
    {"verdict[].origin", kText, "emerges, catalogue."},
    {"verdict[].weights", kText, "Name of the buyer's weights, where they chose."},
    {"reproduce", kText, "The command that gives the same numbers again."},
};

constexpr Member kStep[] = {
    {"family", kText, "Family of protocols."},
    {"stands_for", kText, "What the fabric stands for, of those that need other hardware."},
    {"needs", kObject, "What that hardware must do."},
    {"needs.nic", kText, "Of the NIC."},
    {"needs.switch", kText, "Of the switch."},
    {"reason", kText, "Why it is not possible."},
    {"link_rate_bps", kNumber, "Of the hosts' links.", "bit/s"},
    {key::kStepTime, kNumber, "Time of a step, mean over the seeds; of a run without steps, from start to end.", "s"},
    {key::kStepTimeLow, kNumber, "Lower end of its 95 % confidence interval over the seeds.", "s"},
    {key::kStepTimeHigh, kNumber, "Upper end.", "s"},
    {key::kStepTimes, kNumbers, "Of each seed.", "s"},
    {key::kRatioToBest, kNumber, "Step time over that of the fastest fabric.", "ratio"},
    {key::kDiffersFromBest, kFlag, "The confidence intervals do not overlap."},
    {key::kTokensPerSecond, kNumber, "Tokens of the model trained in a second.", "1/s"},
    {key::kModelFlopsUtilisation, kNumber, "Of the GPUs' peak, by the model's operations.", "share"},
    {key::kCompute, kNumber, "Computing, mean over ranks.", "s"},
    {key::kExposedCommunication, kNumber, "Waits for communication, of any kind.", "s"},
    {key::kBusBandwidth, kNumber,
     "Of the parallelism that sends most through the network: what its operations must send "
     "over what they took.",
     "GB/s"},
    {key::kBusBandwidthOf, kText, "Which parallelism that is."},
    {key::kCompositionError, kNumber, "Relative, against a run of every packet, measured on a smaller job.", "share"},
    {key::kCompositionCheck, kText, "Which smaller job, or why there is none."},
    {key::kSliceCaution, kText, "What of the slices has not converged."},
    {"interval", kNumber, "Half of the 95 % confidence interval of a composed step, relative to it.", "share"},
    {"settled", kFlag, "Every operation whose flows share links was run until its time had settled."},
    {"collectives", kList, "Operations of a composed step that go through the network."},
    {"collectives[].purpose", kText, "What communicates: `dp`.", "", kMust},
    {"collectives[].kind", kText, "Kind of operation: `all-reduce`.", "", kMust},
    {"collectives[].bytes", kNumber, "Of the operation.", "bytes", kMust},
    {"collectives[].time_s", kNumber, "Of the slowest communicator.", "s", kMust},
    {"collectives[].paths_allow_s", kNumber, "What its paths allow without any protocol.", "s", kMust},
    {"parts", kList, "Uses of a step's time, as in table `step_part`."},
    {"parts[].name", kText, "Name of the part.", "", kMust},
    {"parts[].communication", kFlag, "It communicates."},
    {"parts[].exposed_s", kNumber, "Mean over ranks; all parts add up to the step.", "s"},
    {"parts[].waiting_s", kNumber, "Of it, for other ranks to come.", "s"},
    {"parts[].busy_s", kNumber, "What it took, hidden or not.", "s"},
    {"parts[].sent_bytes", kNumber, "The least that its operations must send.", "bytes"},
    {"tiers", kList, "Kinds of links, as in table `step_tier`."},
    {"flows", kList, "Sizes of flows, as in table `step_flow`."},
    {key::kLostTimeReason, kText, "Why there is no `lost_time`."},
    {key::kLostTime, kList, "What each cause adds to computing; all add up to the step."},
    {"lost_time[].cause", kText, "Name of the cause.", "", kMust},
    {"lost_time[].s", kNumber, "Time lost to it.", "s", kMust},
    {"lost_time[].origin", kText, "emerges, catalogue."},
    {"path", kList, "What the step waited for, along its critical path."},
    {"path[].what", kText, "The work or operation.", "", kMust},
    {"path[].s", kNumber, "All add up to the step.", "s", kMust},
    {"timeline", kList, "What a few ranks did when, in one step."},
    {"timeline[].rank", kNumber, "The rank.", "number", kMust},
    {"timeline[].lane", kText, "compute, communication.", "", kMust},
    {"timeline[].name", kText, "What it did.", "", kMust},
    {"timeline[].begin_s", kNumber, "Since the start of the run.", "s", kMust},
    {"timeline[].end_s", kNumber, "Likewise.", "s", kMust},
};

constexpr Member kNetwork[] = {
    {key::kFct, kObject, "Flow completion times."},
    {"fct_us.p50", kNumber, "Median.", "us"},
    {"fct_us.p99", kNumber, "99th percentile.", "us"},
    {"fct_us.p999", kNumber, "99.9th percentile.", "us"},
    {key::kJitter, kNumber, "Latency of a small message under load, p99.9 - p50.", "us"},
    {key::kSmallMessage, kObject,
     "Latency of a small message: `bytes`, `idle_us`, and under load `loaded_p50_us`, "
     "`loaded_p99_us`, `loaded_p999_us`."},
    {key::kPacketHops, kNumber, "Packets, each counted on every link.", "packet-hops"},
    {"drops", kNumber, "By the fabric and by hosts.", "packets"},
    {"retransmissions", kNumber, "Sent again.", "packets"},
    {key::kPause, kNumber, "Paused by PFC, all ports and priorities together.", "s"},
    {key::kPauseFrames, kNumber, "XOFF frames.", "frames"},
    {key::kCreditStall, kNumber, "Without credits while something waited, all ports and lanes together.", "s"},
    {"marks", kNumber, "Marked CE or FECN.", "packets"},
    {key::kCpuCoresPerHost, kNumber, "Cores in use, mean over the run.", "cores"},
    {key::kGoodput, kNumber, "Payload of the first job, all senders together.", "bit/s"},
    {key::kNicTotals, kList, "Counters of the NICs, summed, that the summary shows on lines of their own."},
    {"nic_totals[].name", kText, "Name of the counter.", "", kMust},
    {"nic_totals[].value", kNumber, "The sum.", "as counted", kMust},
    {"fault", kObject, "What a failed link costs."},
    {"fault.link", kText, "Which link."},
    {"fault.outage_us", kNumber, "How long no data flowed.", "us"},
    {"fault.lost_s", kNumber, "Time that the job lost.", "s"},
    {"fault.reroute_delay_s", kNumber, "Until routes avoid the link.", "s"},
    {"fault.reason", kText, "Why it was not measured."},
    {"cdf", kObject, "Distributions, as pairs of microseconds and the share of all that is not above."},
    {"cdf.fct", kPoints, "Of flow completion times."},
    {"cdf.small_message", kPoints, "Of small messages under load."},
    {"topology", kObject, "The network, with its load over time."},
    {"topology.nodes", kList, "Hosts and switches."},
    {"topology.nodes[].name", kText, "Name of the node.", "", kMust},
    {"topology.nodes[].kind", kText, "host, switch."},
    {"topology.nodes[].tier", kNumber, "0: hosts.", "number", kMust},
    {"topology.links", kList, "A direction of a cable each."},
    {"topology.links[].from", kText, "Name of a node.", "", kMust},
    {"topology.links[].to", kText, "Name of a node.", "", kMust},
    {"topology.links[].rate_bps", kNumber, "Rate of the link.", "bit/s"},
    {"topology.links[].utilisation", kNumbers, "At each instant.", "share"},
    {"topology.instants_s", kNumbers, "When load was looked at.", "s"},
    {"queues", kList, "The fullest ports over time."},
    {"queues[].port", kText, "Name of the port.", "", kMust},
    {"queues[].at_s", kNumbers, "The instants.", "s", kMust},
    {"queues[].bytes", kNumbers, "Waiting to leave, at each.", "bytes"},
    {"queues[].held_s", kNumbers, "Paused or without credits, since the instant before.", "s"},
    {"pauses", kObject, "How pauses spread."},
    {"pauses.tree", kList, "Ports that were held."},
    {"pauses.tree[].port", kText, "Name of the port.", "", kMust},
    {"pauses.tree[].first_s", kNumber, "When it was first held.", "s"},
    {"pauses.tree[].held_s", kNumber, "For how long, in all.", "s"},
    {"pauses.tree[].cause", kText, "Port whose pause it follows from."},
};

constexpr Member kBuying[] = {
    {"settings", kObject, "Settings to get right: `count`, on how many `devices`, and a list."},
    {"settings.list", kList, "The settings."},
    {"settings.list[].key", kText, "Key of the scenario.", "", kMust},
    {"settings.list[].value", kText, "Its value."},
    {"settings.list[].devices", kText, "Devices that carry it."},
    {"settings_text", kText, "The resolved scenario, as `weft show` prints it."},
    {"vendors", kText, "Vendors in the catalogue."},
    {"rows", kList, "What buyers compare, in words."},
    {"rows[].label", kText, "What is compared.", "", kMust},
    {"rows[].value", kText, "Value of the fabric.", "", kMust},
    {"rows[].origin", kText, "emerges, catalogue, not measured."},
    {key::kTuningRisk, kObject, "What misconfigurations cost, in shares of the step time."},
    {"tuning_risk.median", kNumber, "Of all misconfigurations.", "share"},
    {"tuning_risk.worst", kNumber, "Of the worst.", "share"},
    {"tuning_risk.worst_setting", kText, "Which that is."},
    {"tuning_risk.worst_fails", kFlag, "With it the run does not end."},
    {"tuning_risk.cases", kList, "Each misconfiguration."},
    {"tuning_risk.cases[].setting", kText, "What is set wrongly.", "", kMust},
    {"tuning_risk.cases[].change", kText, "How."},
    {"tuning_risk.cases[].loss", kNumber, "What it adds to the step time.", "share"},
    {"tuning_risk.cases[].reason", kText, "Why there is no figure."},
    {"tuning_risk.cases[].unmeasured", kFlag, "It was not measured."},
    {"tuning_risk.reason", kText, "Why there are no figures."},
    {"tuning_risk.by_size", kList, "The same with other numbers of GPUs."},
    {"tuning_risk.by_size[].gpus", kNumber, "How many.", "GPUs", kMust},
    {key::kCost, kNumber, "Network, to buy.", "USD"},
    {key::kPower, kNumber, "Of the network.", "W"},
    {key::kCostPerUnit, kObject, "Cost for a thousand tokens a second (`usd_per_ktoken_s`), or for a run a second."},
    {"bill", kList, "Bill of materials: for each part `part`, `name`, `count`, prices, power, `mark` and `source`."},
    {"bill[].part", kText, "switch, nic, cable, ...", "", kMust},
    {"bill[].name", kText, "Name in the catalogue.", "", kMust},
    {"bill[].count", kNumber, "How many.", "parts", kMust},
    {"bill[].owned", kFlag, "The buyer has it already: it costs nothing."},
    {key::kRunningCost, kObject, "Over `years`: `energy_usd`, `upkeep_usd`, `staff_usd`; and what is `not_counted`."},
};

std::string rows_of(std::string_view prefix, std::span<const Member> members) {
  std::string text;
  for (const Member& member : members) {
    text += fmt::format("| `{}{}` | {} | {} | {}{} |\n", prefix, member.path, to_string(member.kind),
                        member.unit.empty() ? "—" : member.unit, member.about,
                        member.need == Need::kMust ? " Required." : "");
  }
  return text;
}

}  // namespace

std::span<const Member> document_members() { return kDocument; }

std::array<std::span<const Member>, 3> fabric_members() { return {kStep, kNetwork, kBuying}; }

std::string_view to_string(MemberKind kind) {
  switch (kind) {
    case kText:
      return "a text";
    case kNumber:
      return "a number";
    case kNumbers:
      return "a list of numbers";
    case kPoints:
      return "a list of pairs of numbers";
    case kFlag:
      return "true or false";
    case kObject:
      return "an object";
    case kList:
      return "a list of objects";
  }
  WEFT_ASSERT(false);
}

std::string comparison_reference() {
  std::string text = "| member | kind | unit | meaning |\n|---|---|---|---|\n" + rows_of("", kDocument);
  text += "\nOf each fabric:\n\n| member | kind | unit | meaning |\n|---|---|---|---|\n";
  for (const std::span<const Member> members : fabric_members()) {
    text += rows_of("", members);
  }
  return text;
}

}  // namespace weft::study::report
