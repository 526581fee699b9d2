// What one run of the job says of a fabric: its step, its network, its curves.
#include "study/report/comparison_tables.h"

namespace weft::study::report {
namespace {

/// `path` leads from the record to its figures; empty: they are the record.
template <auto... path>
std::vector<MemberField> run_fields() {
  return {
      {"packet_hops", member<path..., &RunFigures::packet_hops>, "Packets, each counted on every link.", "packet-hops"},
      {"compute_s", member<path..., &RunFigures::compute>, "Computing, mean over ranks.", "s"},
      {"exposed_communication_s", member<path..., &RunFigures::exposed_communication>,
       "Waits for communication, of any kind.", "s"},
      {"tokens_per_second", member<path..., &RunFigures::tokens_per_second>, "Tokens trained in a second, by all jobs.",
       "1/s"},
      {"model_flops_utilisation", member<path..., &RunFigures::model_flops_utilisation>,
       "Of the GPUs' peak, by the model's operations.", "share"},
      {"composition_error", member<path..., &RunFigures::composition_error>,
       "Relative, against a run of every packet, measured on a smaller job.", "share"},
      {"composition_check", member<path..., &RunFigures::composition_check>,
       "Which smaller job, or why there is none."},
      {"interval", member<path..., &RunFigures::interval>,
       "Half of the 95 % confidence interval of a composed step, relative to it.", "share"},
      {"settled", member<path..., &RunFigures::settled>,
       "Every operation whose flows share links was run until its time had settled."},
      {"collectives", member<path..., &RunFigures::collectives>,
       "Operations of a composed step that go through the network."},
      {"jobs", member<path..., &RunFigures::jobs>, "Of several jobs that run steps: the step of each."},
      {"parts", member<path..., &RunFigures::parts>, "Uses of a step's time, as in table `step_part`."},
      {"tiers", member<path..., &RunFigures::tiers>, "Kinds of links, as in table `step_tier`."},
      {"flows", member<path..., &RunFigures::flows>, "Sizes of flows, as in table `step_flow`."},
      {"path", member<path..., &RunFigures::path>, "What the step waited for, along its critical path."},
      {"bus_bandwidth_gbytes_per_s", member<path..., &RunFigures::bus_bandwidth>,
       "Of the parallelism that sends most through the network: what its operations must send "
       "over what they took.",
       "GB/s"},
      {"bus_bandwidth_of", member<path..., &RunFigures::bus_bandwidth_of>, "Which parallelism that is."},
      {"fct_us", member<path..., &RunFigures::fct>, "Flow completion times."},
      {"drops", member<path..., &RunFigures::drops>, "By the fabric and by hosts.", "packets"},
      {"retransmissions", member<path..., &RunFigures::retransmissions>, "Sent again.", "packets"},
      {"nic_totals", member<path..., &RunFigures::nic_totals>,
       "Counters of the NICs, summed, that the summary shows on lines of their own."},
      {"credit_stall_s", member<path..., &RunFigures::credit_stall>,
       "Without credits while something waited, all ports and lanes together.", "s"},
      {"pause_s", member<path..., &RunFigures::pause>, "Paused by PFC, all ports and priorities together.", "s"},
      {"pause_frames", member<path..., &RunFigures::pause_frames>, "XOFF frames.", "frames"},
      {"marks", member<path..., &RunFigures::marks>, "Marked CE or FECN.", "packets"},
      {"cpu_cores_per_host", member<path..., &RunFigures::cpu_cores_per_host>, "Cores in use, mean over the run.",
       "cores"},
      {"goodput_bps", member<path..., &RunFigures::goodput>, "Payload of the first job, all senders together.",
       "bit/s"},
      {"slice_caution", member<path..., &RunFigures::slice_caution>, "What of the slices has not converged."},
      {"cdf", member<path..., &RunFigures::cdf>,
       "Distributions, as pairs of microseconds and the share of all that is not above."},
      {"topology", member<path..., &RunFigures::topology>, "The network, with its load over time."},
      {"queues", member<path..., &RunFigures::queues>, "The fullest ports over time."},
      {"decisions", member<path..., &RunFigures::decisions>, "What load balancing decided over time, by kind."},
      {"pauses", member<path..., &RunFigures::pauses>, "How pauses spread."},
      {"timeline", member<path..., &RunFigures::timeline>, "What a few ranks did when, in one step."},
  };
}

}  // namespace

template <>
const RecordTable& record_table<RunFigures>() {
  static const RecordTable kTable = table_of<RunFigures>(run_fields<>());
  return kTable;
}

std::vector<MemberField> run_fields_of_fabric() { return run_fields<&ComparedFabric::run>(); }

template <>
const RecordTable& record_table<StepCollective>() {
  static const RecordTable kTable = table_of<StepCollective>({
      {"purpose", member<&StepCollective::purpose>, "What communicates: `dp`.", "", kMust},
      {"kind", member<&StepCollective::kind>, "Kind of operation: `all-reduce`.", "", kMust},
      {"bytes", member<&StepCollective::bytes>, "Of the operation.", "bytes", kMust},
      {"time_s", member<&StepCollective::time>, "Of the slowest communicator.", "s", kMust},
      {"paths_allow_s", member<&StepCollective::paths_allow>,
       "What its paths allow without any protocol; of sends, if those of all stages leave at once.", "s", kMust},
      {"slowest_flow_share", member<&StepCollective::slowest_flow_share>},
      {"mean_flow_share", member<&StepCollective::mean_flow_share>},
      {"shares_links", member<&StepCollective::shares_links>},
      {"sample_bytes", member<&StepCollective::sample_bytes>},
      {"repetitions", member<&StepCollective::repetitions>},
      {"settled", member<&StepCollective::settled>},
      {"interval", member<&StepCollective::interval>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<StepPart>() {
  static const RecordTable kTable = table_of<StepPart>({
      {"name", member<&StepPart::name>, "Name of the part.", "", kMust},
      {"communication", member<&StepPart::communication>, "It communicates."},
      {"exposed_s", member<&StepPart::exposed>, "Mean over ranks; all parts add up to the step.", "s"},
      {"waiting_s", member<&StepPart::waiting>, "Of it, for other ranks to come.", "s"},
      {"busy_s", member<&StepPart::busy>, "What it took, hidden or not.", "s"},
      {"sent_bytes", member<&StepPart::sent_bytes>, "The least that its operations must send.", "bytes"},
      {"operations", member<&StepPart::operations>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<JobStep>() {
  static const RecordTable kTable = table_of<JobStep>({
      {"name", member<&JobStep::name>, "Name of the job.", "", kMust},
      {"step_time_s", member<&JobStep::time>, "Of one step, beside the other jobs.", "s"},
      {"alone_s", member<&JobStep::alone>, "Composed: without them.", "s"},
      {"interval", member<&JobStep::interval>, "Half of the 95 % confidence interval, relative.", "share"},
      {"composition_error", member<&JobStep::composition_error>, "Measured on smaller jobs.", "share"},
  });
  return kTable;
}

template <>
const RecordTable& record_table<StepTier>() {
  static const RecordTable kTable = table_of<StepTier>({
      {"name", member<&StepTier::name>},
      {"sent_bytes", member<&StepTier::sent_bytes>},
      {"wire_time_s", member<&StepTier::wire_time>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<StepFlow>() {
  static const RecordTable kTable = table_of<StepFlow>({
      {"purpose", member<&StepFlow::purpose>},
      {"kind", member<&StepFlow::kind>},
      {"operation_bytes", member<&StepFlow::operation_bytes>},
      {"flow_bytes", member<&StepFlow::flow_bytes>},
      {"flows", member<&StepFlow::flows>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<PathPart>() {
  static const RecordTable kTable = table_of<PathPart>({
      {"what", member<&PathPart::what>, "The work or operation.", "", kMust},
      {"s", member<&PathPart::time>, "All add up to the step.", "s", kMust},
      {"rank", member<&PathPart::rank>},
      {"flow", member<&PathPart::flow>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<FlowTimes>() {
  static const RecordTable kTable = table_of<FlowTimes>({
      {"p50", member<&FlowTimes::p50>, "Median.", "us"},
      {"p99", member<&FlowTimes::p99>, "99th percentile.", "us"},
      {"p999", member<&FlowTimes::p999>, "99.9th percentile.", "us"},
  });
  return kTable;
}

template <>
const RecordTable& record_table<NicCounter>() {
  static const RecordTable kTable = table_of<NicCounter>({
      {"name", member<&NicCounter::name>, "Name of the counter.", "", kMust},
      {"value", member<&NicCounter::value>, "The sum.", "as counted", kMust},
  });
  return kTable;
}

template <>
const RecordTable& record_table<Distributions>() {
  static const RecordTable kTable = table_of<Distributions>({
      {"fct", member<&Distributions::fct>, "Of flow completion times."},
      {"small_message", member<&Distributions::small_message>, "Of small messages under load."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<NetworkNode>() {
  static const RecordTable kTable = table_of<NetworkNode>({
      {"name", member<&NetworkNode::name>, "Name of the node.", "", kMust},
      {"kind", member<&NetworkNode::kind>, "host, switch."},
      {"tier", member<&NetworkNode::tier>, "0: hosts.", "number", kMust},
  });
  return kTable;
}

template <>
const RecordTable& record_table<NetworkLink>() {
  static const RecordTable kTable = table_of<NetworkLink>({
      {"from", member<&NetworkLink::from>, "Name of a node.", "", kMust},
      {"to", member<&NetworkLink::to>, "Name of a node.", "", kMust},
      {"rate_bps", member<&NetworkLink::rate>, "Rate of the link.", "bit/s"},
      {"utilisation", member<&NetworkLink::utilisation>, "At each instant.", "share"},
  });
  return kTable;
}

template <>
const RecordTable& record_table<NetworkMap>() {
  static const RecordTable kTable = table_of<NetworkMap>({
      {"nodes", member<&NetworkMap::nodes>, "Hosts and switches."},
      {"links", member<&NetworkMap::links>, "A direction of a cable each."},
      {"instants_s", member<&NetworkMap::instants>, "When load was looked at.", "s"},
  });
  return kTable;
}

template <>
const RecordTable& record_table<PortQueue>() {
  static const RecordTable kTable = table_of<PortQueue>({
      {"port", member<&PortQueue::port>, "Name of the port.", "", kMust},
      {"at_s", member<&PortQueue::at>, "The instants.", "s", kMust},
      {"bytes", member<&PortQueue::bytes>, "Waiting to leave, at each.", "bytes"},
      {"held_s", member<&PortQueue::held>, "Paused or without credits, since the instant before.", "s"},
  });
  return kTable;
}

template <>
const RecordTable& record_table<DecisionCourse>() {
  static const RecordTable kTable = table_of<DecisionCourse>({
      {"decision", member<&DecisionCourse::decision>, "Its kind, as in table `decision`.", "", kMust},
      {"at_s", member<&DecisionCourse::at>, "The instants.", "s", kMust},
      {"count", member<&DecisionCourse::count>, "Since the instant before, all devices together.", "times", kMust},
  });
  return kTable;
}

template <>
const RecordTable& record_table<HeldPort>() {
  static const RecordTable kTable = table_of<HeldPort>({
      {"port", member<&HeldPort::port>, "Name of the port.", "", kMust},
      {"by", member<&HeldPort::by>},
      {"first_s", member<&HeldPort::first>, "When it was first held.", "s"},
      {"held_s", member<&HeldPort::held>, "For how long, in all.", "s"},
      {.name = "cause",
       .access = member<&HeldPort::cause>,
       .about = "Port whose pause it follows from.",
       .when_absent = WhenAbsent::kNull},
  });
  return kTable;
}

template <>
const RecordTable& record_table<PauseTree>() {
  static const RecordTable kTable = table_of<PauseTree>({
      {"tree", member<&PauseTree::tree>, "Ports that were held."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<TimelineSpan>() {
  static const RecordTable kTable = table_of<TimelineSpan>({
      {"rank", member<&TimelineSpan::rank>, "The rank.", "number", kMust},
      {"lane", member<&TimelineSpan::lane>, "compute, communication.", "", kMust},
      {"name", member<&TimelineSpan::name>, "What it did.", "", kMust},
      {"begin_s", member<&TimelineSpan::begin>, "Since the start of the run.", "s", kMust},
      {"end_s", member<&TimelineSpan::end>, "Likewise.", "s", kMust},
  });
  return kTable;
}

}  // namespace weft::study::report
