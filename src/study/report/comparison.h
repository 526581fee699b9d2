// A comparison of networks as a document: what `weft compare` makes, and what the report, its tables and `weft diff`
// are made from. docs/report.md describes its members; their names and units in JSON stand in the tables of
// study/report/comparison_tables*.cc.
//
// Times are in seconds unless a name says otherwise, sizes in bytes, shares and ratios relative. What was not measured
// is absent: an empty optional. Lists and texts that are not optional always belong to their record. `form` is how a
// record was read from a file, and empty in one that was made here (study/report/untyped_value.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/report/untyped_value.h"

namespace weft::study::report {

inline constexpr std::string_view kComparisonFormat = "weft-comparison";
inline constexpr int kComparisonVersion = 1;

template <class T>
using Maybe = std::optional<T>;
template <class T>
using MaybeList = std::optional<std::vector<T>>;

/// What all fabrics have in common.
struct ComparedScenario {
  Maybe<std::string> name{};
  Maybe<std::string> file{};
  Maybe<std::int64_t> seed{};
  MaybeList<std::int64_t> seeds{};
  Maybe<std::string> hardware{};
  Maybe<std::string> topology{};
  Maybe<std::string> weights{};  // name of the buyer's weights
  Maybe<double> start_jitter{};  // s
  Maybe<std::string> job{};
  Maybe<std::string> stragglers{};
  WrittenForm form{};
};

/// What hardware must do that the catalogue does not have.
struct HardwareNeeds {
  Maybe<std::string> of_nic{};
  Maybe<std::string> of_switch{};
  WrittenForm form{};
};

/// Of a step; of a run without steps, from its start to its end. In seconds.
struct StepTimes {
  Maybe<double> mean{};  // over the seeds
  Maybe<double> low{};   // 95 % confidence interval
  Maybe<double> high{};
  MaybeList<double> each{};  // of each seed
};

/// An operation of a composed step that goes through the network.
struct StepCollective {
  std::string purpose{};  // "dp"
  std::string kind{};     // "all-reduce"
  std::int64_t bytes = 0;
  double time = 0;                // s, of the slowest communicator
  double paths_allow = 0;         // s, without any protocol
  double slowest_flow_share = 0;  // of its sender's line
  double mean_flow_share = 0;
  bool shares_links = false;
  std::int64_t sample_bytes = 0;  // the largest that was run
  std::uint64_t repetitions = 0;
  bool settled = false;
  Maybe<double> interval{};  // half of the 95 % confidence interval, relative
  WrittenForm form{};
};

/// A use of a step's time; over all parts `exposed` adds up to the step.
struct StepPart {
  std::string name{};
  bool communication = false;
  double exposed = 0;  // s, mean over ranks
  double waiting = 0;  // s, of it, for other ranks to come
  double busy = 0;     // s, hidden or not
  std::int64_t sent_bytes = 0;
  std::uint64_t operations = 0;
  WrittenForm form{};
};

/// One of several jobs that run steps on one network.
struct JobStep {
  std::string name{};
  double time = 0;           // s, of a step, beside the others
  Maybe<double> alone{};     // s, composed: without them
  Maybe<double> interval{};  // share
  Maybe<double> composition_error{};
  WrittenForm form{};
};

struct StepTier {
  std::string name{};  // "scale-up", "network"
  std::int64_t sent_bytes = 0;
  double wire_time = 0;  // s
  WrittenForm form{};
};

struct StepFlow {
  std::string purpose{};
  std::string kind{};
  std::int64_t operation_bytes = 0;
  std::int64_t flow_bytes = 0;
  std::uint64_t flows = 0;  // in a step
  WrittenForm form{};
};

/// What the step waited for, along its critical path.
struct PathPart {
  std::string what{};
  double time = 0;  // s
  std::uint64_t rank = 0;
  std::string flow{};  // "3 -> 7"; empty: none
  WrittenForm form{};
};

/// Flow completion times, in microseconds. Empty without messages.
struct FlowTimes {
  Maybe<double> p50{};
  Maybe<double> p99{};
  Maybe<double> p999{};
  WrittenForm form{};
};

struct NicCounter {
  std::string name{};
  std::uint64_t value = 0;
  WrittenForm form{};
};

struct CurvePoint {
  double x = 0;
  double y = 0;
};

/// Pairs of microseconds and the share of all that is not above.
struct Distributions {
  MaybeList<CurvePoint> fct{};
  MaybeList<CurvePoint> small_message{};  // under load
  WrittenForm form{};
};

struct NetworkNode {
  std::string name{};
  std::string kind{};     // "host", "switch"
  std::int64_t tier = 0;  // 0: hosts
  WrittenForm form{};
};

/// A direction of a cable.
struct NetworkLink {
  std::string from{};
  std::string to{};
  std::int64_t rate = 0;            // bit/s
  MaybeList<double> utilisation{};  // share, at each instant
  WrittenForm form{};
};

struct NetworkMap {
  std::vector<NetworkNode> nodes{};
  std::vector<NetworkLink> links{};
  std::vector<double> instants{};  // s: when load was looked at
  WrittenForm form{};
};

/// The queue of a port over time: lists of one length.
struct PortQueue {
  std::string port{};
  std::vector<double> at{};  // s
  std::vector<std::uint64_t> bytes{};
  std::vector<double> held{};  // s, since the instant before
  WrittenForm form{};
};

/// Decisions of one kind over time: lists of one length.
struct DecisionCourse {
  std::string decision{};              // "flowlet-moved", "path-change", ...
  std::vector<double> at{};            // s
  std::vector<std::uint64_t> count{};  // since the instant before
  WrittenForm form{};
};

struct HeldPort {
  std::string port{};
  std::string by{};            // the port that held it
  double first = 0;            // s: when
  double held = 0;             // s: for how long, in all
  Maybe<std::string> cause{};  // port whose pause it follows from
  WrittenForm form{};
};

struct PauseTree {
  std::vector<HeldPort> tree{};
  WrittenForm form{};
};

/// What a rank did.
struct TimelineSpan {
  std::uint64_t rank = 0;
  std::string lane{};  // "compute", "communication"
  std::string name{};
  double begin = 0;  // s, since the start of the run
  double end = 0;
  WrittenForm form{};
};

/// What one run of the job says of a fabric.
struct RunFigures {
  Maybe<std::uint64_t> packet_hops{};
  Maybe<double> compute{};                // s, mean over ranks
  Maybe<double> exposed_communication{};  // s
  Maybe<double> tokens_per_second{};
  Maybe<double> model_flops_utilisation{};
  Maybe<double> composition_error{};  // share
  Maybe<std::string> composition_check{};
  Maybe<double> interval{};  // share: half of the 95 % confidence interval of a composed step
  Maybe<bool> settled{};
  MaybeList<StepCollective> collectives{};
  MaybeList<JobStep> jobs{};  // where there are several
  MaybeList<StepPart> parts{};
  MaybeList<StepTier> tiers{};
  MaybeList<StepFlow> flows{};
  MaybeList<PathPart> path{};
  Maybe<double> bus_bandwidth{};  // GB/s
  Maybe<std::string> bus_bandwidth_of{};
  Maybe<FlowTimes> fct{};
  Maybe<std::uint64_t> drops{};
  Maybe<std::uint64_t> retransmissions{};
  MaybeList<NicCounter> nic_totals{};
  Maybe<double> credit_stall{};  // s
  Maybe<double> pause{};         // s
  Maybe<std::uint64_t> pause_frames{};
  Maybe<std::uint64_t> marks{};
  Maybe<double> cpu_cores_per_host{};
  Maybe<std::int64_t> goodput{};  // bit/s
  Maybe<std::string> slice_caution{};
  Maybe<Distributions> cdf{};
  Maybe<NetworkMap> topology{};
  MaybeList<PortQueue> queues{};
  MaybeList<DecisionCourse> decisions{};
  Maybe<PauseTree> pauses{};
  MaybeList<TimelineSpan> timeline{};
  WrittenForm form{};  // of figures that stand by themselves; among a fabric's members, that of the fabric holds
};

struct LostTimeCause {
  std::string cause{};
  double time = 0;       // s
  std::string origin{};  // "emerges", "catalogue"
  WrittenForm form{};
};

/// Latency of a small message, in microseconds.
struct SmallMessage {
  Maybe<double> idle{};
  Maybe<std::int64_t> bytes{};
  Maybe<std::string> loaded_failed{};  // why there is none under load
  Maybe<double> loaded_p50{};
  Maybe<double> loaded_p99{};
  Maybe<double> loaded_p999{};
  Maybe<std::uint64_t> count{};
  WrittenForm form{};
};

/// What a failed link costs, or the reason alone.
struct LinkFault {
  Maybe<std::string> link{};
  Maybe<std::string> peer{};
  Maybe<double> outage_us{};
  Maybe<double> reroute_delay{};  // s
  Maybe<std::string> connections_lost{};
  Maybe<double> lost{};  // s
  Maybe<std::uint64_t> messages_failed{};
  Maybe<std::string> reason{};
  WrittenForm form{};
};

/// What failures leave of a month, or the reason alone.
struct FailureFigures {
  Maybe<double> goodput{};  // share of the time that becomes work which is kept
  Maybe<double> low{};      // 95 % confidence interval of the drawn months
  Maybe<double> high{};
  Maybe<double> formula{};
  Maybe<double> losses{};        // of the job in a month
  Maybe<std::string> lost_to{};  // failures of the network that end the job; empty: none does
  Maybe<std::string> rates{};    // of the catalogue
  Maybe<std::string> reason{};
  WrittenForm form{};
};

struct MisconfigurationCase {
  std::string setting{};
  std::string change{};
  Maybe<std::string> of{};  // which setting is wrong; absent: two at once, or a fault
  Maybe<bool> fault{};      // a link is broken: no misconfiguration
  Maybe<double> loss{};     // share of the step time
  Maybe<std::string> reason{};
  Maybe<bool> unmeasured{};
  WrittenForm form{};
};

/// Losses by misconfigurations, as shares of the step time; without figures, the reason.
struct RiskFigures {
  Maybe<std::string> reason{};
  Maybe<std::string> worst_setting{};
  Maybe<double> sum{};  // over settings, of each the mean of its mistakes
  Maybe<double> median{};
  Maybe<double> worst{};
  Maybe<bool> worst_fails{};  // with it the run does not end
};

struct TuningRiskOfSize {
  RiskFigures figures{};
  std::int64_t gpus = 0;
  WrittenForm form{};
};

struct TuningRisk {
  std::vector<MisconfigurationCase> cases{};
  RiskFigures figures{};
  MaybeList<TuningRiskOfSize> by_size{};
  WrittenForm form{};
};

struct ListedSetting {
  std::string key{};
  std::string value{};
  std::string devices{};   // "switches and NICs"
  std::int64_t count = 0;  // of these devices
  WrittenForm form{};
};

/// Settings to get right.
struct SettingsToGetRight {
  std::uint64_t count = 0;
  std::int64_t devices = 0;
  std::vector<ListedSetting> list{};
  WrittenForm form{};
};

/// Money for a thousand tokens a second, or for a run a second.
struct CostPerUnit {
  Maybe<double> usd_per_ktoken{};
  Maybe<double> usd_per_run{};
  WrittenForm form{};
};

struct BillLine {
  std::string part{};  // "switch", "nic", ...
  std::string name{};
  std::int64_t count = 0;
  double unit_price_usd = 0;
  double price_usd = 0;
  double unit_power = 0;  // W
  double power = 0;
  std::string mark{};
  std::string source{};  // of the price
  bool owned = false;
  WrittenForm form{};
};

struct RunningCost {
  Maybe<std::int64_t> years{};
  Maybe<double> energy_usd{};
  Maybe<double> upkeep_usd{};
  Maybe<double> staff_usd{};
  std::vector<std::string> not_counted{};
  WrittenForm form{};
};

/// The job on a cluster of another size.
struct WorkCostAtSize {
  std::int64_t gpus = 0;
  Maybe<double> step{};         // s
  Maybe<double> usd{};          // for a unit of work
  Maybe<std::string> reason{};  // why there are no figures
  WrittenForm form{};
};

/// Money for work done: what the cluster costs over its years, shared by what it does in them.
struct WorkCost {
  std::string unit{};  // "million tokens", "thousand steps", "run"
  double usd = 0;      // for a unit
  Maybe<double> low{};
  Maybe<double> high{};            // as far as the step time is known: seeds, slices and composition
  Maybe<std::string> uncertain{};  // why the interval may not cover it
  double total_usd = 0;            // over the years: everything below
  double network_usd = 0;          // to buy
  Maybe<double> other_usd{};       // gateway, second network
  Maybe<std::int64_t> hosts{};     // how many
  Maybe<double> hosts_usd{};
  Maybe<std::int64_t> gpus{};
  Maybe<double> gpus_usd{};
  Maybe<double> gpu_price_usd{};  // of one
  Maybe<double> energy_usd{};
  Maybe<double> upkeep_usd{};
  Maybe<double> staff_usd{};
  double power = 0;  // W, of everything that is counted
  std::int64_t years = 0;
  bool years_assumed = false;
  double availability = 1;                // share of the time in which it works
  double price_uncertainty = 0;           // share, of prices of the catalogue
  MaybeList<std::string> given_prices{};  // of "network", "hosts", "GPUs": those without a price of the catalogue
  Maybe<double> misconfiguration{};       // share of the work that misconfigurations are expected to cost
  std::vector<std::string> not_counted{};
  Maybe<double> to_recommended{};  // ratio
  MaybeList<WorkCostAtSize> by_size{};
  WrittenForm form{};
};

/// Where another fabric would cost as little as the recommended one.
struct TurningPoint {
  std::string fabric{};  // the other one
  std::string what{};    // "network price of rocev2"
  double now = 0;
  double then = 0;
  std::string unit{};  // "USD", "share", "GPUs"
  std::string text{};
  WrittenForm form{};
};

/// What a buyer should do.
struct Recommendation {
  std::string kind{};                  // "clear", "likely", "tie", "only", "none"
  std::string text{};                  // one sentence
  std::string sure{};                  // how sure it is, and why
  std::vector<std::string> fabrics{};  // the recommended one, or all that tie
  Maybe<std::string> next{};
  Maybe<double> saving{};  // against the next, share of its cost for a unit of work
  Maybe<double> saving_low{};
  Maybe<double> saving_high{};
  std::vector<TurningPoint> turning_points{};
  std::vector<std::string> choose_by{};  // of a tie: what they differ in
  WrittenForm form{};
};

/// What buyers compare, in words.
struct BuyerRow {
  std::string label{};
  std::string value{};
  std::string origin{};  // "emerges", "catalogue", "not measured"
  WrittenForm form{};
};

struct ComparedFabric {
  std::string name{};  // of no other fabric of the document
  Maybe<std::string> family{};
  bool possible = false;
  Maybe<std::string> stands_for{};
  Maybe<HardwareNeeds> needs{};
  Maybe<std::string> reason{};      // why it is not possible
  Maybe<std::string> left_out{};    // traffic that was not required and that it cannot carry
  Maybe<std::int64_t> link_rate{};  // bit/s
  StepTimes step{};
  RunFigures run{};
  Maybe<std::string> lost_time_reason{};
  MaybeList<LostTimeCause> lost_time{};
  Maybe<SmallMessage> small_message{};
  Maybe<double> jitter_us{};
  Maybe<LinkFault> fault{};
  Maybe<FailureFigures> failures{};
  Maybe<TuningRisk> tuning_risk{};
  Maybe<SettingsToGetRight> settings{};
  Maybe<double> cost_usd{};
  Maybe<double> power{};  // W
  Maybe<CostPerUnit> cost_per_unit{};
  MaybeList<BillLine> bill{};
  Maybe<RunningCost> running_cost{};
  Maybe<WorkCost> work_cost{};
  Maybe<std::string> vendors{};
  MaybeList<BuyerRow> rows{};
  Maybe<std::string> settings_text{};  // the resolved scenario, as `weft show` prints it
  Maybe<double> ratio_to_best{};
  Maybe<bool> differs_from_best{};
  WrittenForm form{};
};

struct VerdictSentence {
  std::string text{};
  std::string evidence{};
  std::string origin{};  // "emerges", "catalogue"
  std::string weights{};
  WrittenForm form{};
};

struct Comparison {
  std::string format{kComparisonFormat};
  int format_version = kComparisonVersion;
  Maybe<std::string> version{};  // of weft that made it
  Maybe<ComparedScenario> scenario{};
  std::vector<ComparedFabric> fabrics{};  // in the order in which they were asked for
  Maybe<Recommendation> recommendation{};
  MaybeList<VerdictSentence> verdict{};
  Maybe<std::string> reproduce{};  // the command that gives the same numbers again
  WrittenForm form{};
};

}  // namespace weft::study::report
