// Names of a fabric's members in the comparison's document that code asks for, each written once.
//
// The document's other members are described in comparison_members.cc too. The page's JavaScript takes these names from
// this file (web/build.mjs): kStepTime is `key.StepTime` there.
#pragma once

namespace weft::study::report::key {

// The step.
inline constexpr const char* kStepTime = "step_time_s";
inline constexpr const char* kStepTimeLow = "step_time_low_s";
inline constexpr const char* kStepTimeHigh = "step_time_high_s";
inline constexpr const char* kStepTimes = "step_times_s";
inline constexpr const char* kRatioToBest = "ratio_to_best";
inline constexpr const char* kDiffersFromBest = "differs_from_best";
inline constexpr const char* kTokensPerSecond = "tokens_per_second";
inline constexpr const char* kModelFlopsUtilisation = "model_flops_utilisation";
inline constexpr const char* kCompute = "compute_s";
inline constexpr const char* kExposedCommunication = "exposed_communication_s";
inline constexpr const char* kBusBandwidth = "bus_bandwidth_gbytes_per_s";
inline constexpr const char* kBusBandwidthOf = "bus_bandwidth_of";
inline constexpr const char* kCompositionError = "composition_error";
inline constexpr const char* kCompositionCheck = "composition_check";
inline constexpr const char* kLostTime = "lost_time";
inline constexpr const char* kLostTimeReason = "lost_time_reason";
inline constexpr const char* kSliceCaution = "slice_caution";

// Messages.
inline constexpr const char* kFct = "fct_us";
inline constexpr const char* kSmallMessage = "small_message";
inline constexpr const char* kJitter = "jitter_us";
inline constexpr const char* kIdle = "idle_us";                // of kSmallMessage
inline constexpr const char* kLoadedMedian = "loaded_p50_us";  // likewise
inline constexpr const char* kLoadedP99 = "loaded_p99_us";     // likewise
inline constexpr const char* kLoadedP999 = "loaded_p999_us";   // likewise

// The network.
inline constexpr const char* kPause = "pause_s";
inline constexpr const char* kPauseFrames = "pause_frames";
inline constexpr const char* kCreditStall = "credit_stall_s";
inline constexpr const char* kGoodput = "goodput_bps";
inline constexpr const char* kPacketHops = "packet_hops";
inline constexpr const char* kCpuCoresPerHost = "cpu_cores_per_host";
inline constexpr const char* kNicTotals = "nic_totals";
inline constexpr const char* kOutage = "outage_us";                  // of `fault`
inline constexpr const char* kFaultLost = "lost_s";                  // likewise
inline constexpr const char* kRerouteDelay = "reroute_delay_s";      // likewise
inline constexpr const char* kConnectionsLost = "connections_lost";  // likewise
inline constexpr const char* kMessagesFailed = "messages_failed";    // likewise

// Cost and risk.
inline constexpr const char* kCost = "cost_usd";
inline constexpr const char* kPower = "power_w";
inline constexpr const char* kCostPerUnit = "cost_per_unit";
inline constexpr const char* kUsdPerKtoken = "usd_per_ktoken_s";  // of kCostPerUnit
inline constexpr const char* kUsdPerRun = "usd_per_run_per_s";    // likewise
inline constexpr const char* kRunningCost = "running_cost";
inline constexpr const char* kTuningRisk = "tuning_risk";
inline constexpr const char* kWorstSetting = "worst_setting";  // of kTuningRisk
inline constexpr const char* kWorstFails = "worst_fails";      // likewise
inline constexpr const char* kBySize = "by_size";              // likewise

}  // namespace weft::study::report::key
