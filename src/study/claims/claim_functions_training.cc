#include <fmt/core.h>

#include <algorithm>

#include "study/claims/claim_functions.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr double kHoursOfAMonth = 30 * 24;
constexpr double kHoursOfAYear = 365 * 24;

double exposed_share(const results::ScalePoint& point) {
  return point.step->exposed_communication().seconds() / point.step->time.seconds();
}

/// What the extra latency adds to a step, of the step.
double slower_share(const results::ScalePoint& point) {
  return (*point.slower - point.step->time).seconds() / point.step->time.seconds();
}

struct Flows {
  double count = 0;
  double bytes = 0;
  double elephant_bytes = 0;  // in flows of at least 10 MB
  double gpus = 0;

  [[nodiscard]] double elephant_share() const { return elephant_bytes / bytes; }
  [[nodiscard]] double per_gpu() const { return count / gpus; }
};

Flows flows_of(Readings& runs, std::string_view case_name) {
  constexpr double kElephant = 10e6;
  Flows sum;
  const std::vector<results::StepRow>& steps = runs.at(case_name).results.steps;
  if (steps.empty()) {
    runs.miss(fmt::format("case '{}' has no training step", case_name));
    return sum;
  }
  sum.gpus = static_cast<double>(steps.front().gpus);
  for (const results::StepFlow& flow : steps.front().flows) {
    const double bytes = static_cast<double>(flow.flows) * static_cast<double>(flow.size.count());
    sum.count += static_cast<double>(flow.flows);
    sum.bytes += bytes;
    sum.elephant_bytes += static_cast<double>(flow.size.count()) >= kElephant ? bytes : 0;
  }
  return sum;
}

/// MiB on the links of one kind for each of so many GPUs.
double tier_mib(Readings& runs, std::string_view case_name, std::string_view tier, double gpus) {
  for (const results::TierRow& row : runs.at(case_name).results.tiers) {
    if (row.name == tier) {
      return static_cast<double>(row.sent.count()) / gpus / (1 << 20);
    }
  }
  runs.miss(fmt::format("case '{}' has no {} links", case_name, tier));
  return 0;
}

}  // namespace

Finding network_bottleneck(Readings& runs) {
  constexpr double kMost = 0.5;
  const ScaleRequest request{.gpus = {16, 64}};
  const auto share = [&](const char* name, std::int64_t gpus) {
    return exposed_share(runs.point(request, name, gpus));
  };
  const double slow_small = share("100g", 16);
  const double slow = share("100g", 64);
  const double usual = share("400g", 64);
  const double fast = share("800g", 64);
  const double crossing = share("400g-tensor-parallel", 64);
  Finding finding;
  finding.verdict = usual > kMost ? Verdict::kHolds : by(crossing > kMost || slow > kMost, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = slow > kMost ? "a GPU has 100 Gb/s" : "every layer's exchange crosses the network";
  }
  finding.figure = fmt::format(
      "waits on 64 GPUs: {:.0f} % of a step at 400 Gb/s, {:.0f} % at 100; {:.0f} % if layers are split over the "
      "network",
      100 * usual, 100 * slow, 100 * crossing);
  finding.text = fmt::format(
      "Llama-3 8B, one batch on ever more H100. Waiting for communication takes {:.0f} % of the step on 16 GPUs and "
      "{:.0f} % on 64 with 100 Gb/s per GPU, {:.0f} % on 64 with 400 and {:.0f} % with 800 Gb/s: the share grows "
      "with the cluster, but computing stays the larger part while tensor parallelism has NVLink. Without it, each "
      "layer split over 8 GPUs across 400 Gb/s, waits are {:.0f} %. Limits: more than half of the step.",
      100 * slow_small, 100 * slow, 100 * usual, 100 * fast, 100 * crossing);
  finding.figures = {{"exposed_100g_16", slow_small, ""},
                     {"exposed_100g_64", slow, ""},
                     {"exposed_400g_64", usual, ""},
                     {"exposed_800g_64", fast, ""},
                     {"exposed_tensor_parallel_over_network", crossing, ""}};
  return finding;
}

Finding microsecond_to_hours(Readings& runs) {
  const ScaleRequest request{.gpus = {16},
                             .scaling = assembly::Scaling::kWeak,
                             .question = {.extra_latency = Duration::microseconds(1), .job_steps = 1'000'000}};
  const results::ScalePoint& network = runs.point(request, "tensor-parallel-over-network", 16);
  const results::ScalePoint& nvlink = runs.point(request, "tensor-parallel-over-nvlink", 16);
  if (!network.slower || !nvlink.slower) {
    runs.miss("no step with the extra latency");
    return {};
  }
  const double share_network = slower_share(network);
  const double share_nvlink = slower_share(nvlink);
  const double hours = results::added_hours(network, request.question);
  const double days = 1 / (share_network * 24);  // of a job that takes an hour more
  const auto adds = [](double share, double job_hours) { return share * job_hours >= 1; };
  Finding finding;
  finding.verdict = adds(share_nvlink, kHoursOfAMonth) ? Verdict::kHolds
                                                       : by(adds(share_network, kHoursOfAYear), Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = fmt::format("every layer waits for the network and the job takes {:.0f} days or more", days);
  }
  finding.figure = fmt::format("+{:.2f} % with layers split over the network, +{:.4f} % over NVLink",
                               100 * share_network, 100 * share_nvlink);
  finding.text = fmt::format(
      "Llama-3 8B on 16 H100, every message of the network a microsecond later. Where each layer is split over the "
      "network a step takes {:.2f} % longer: {:.2f} h for a million steps of {:.2f} s, {:.2f} h in a job of a month. "
      "Where layers are split over NVLink and gradients alone cross the network it is {:.4f} %, {:.2f} h in a month. "
      "It holds without condition if that is an hour, and under a condition if the former is one in a year.",
      100 * share_network, hours, network.step->time.seconds(), share_network * kHoursOfAMonth, 100 * share_nvlink,
      share_nvlink * kHoursOfAMonth);
  finding.figures = {{"added_over_network", share_network, ""},
                     {"added_over_nvlink", share_nvlink, ""},
                     {"hours_of_a_million_steps", hours, "h"}};
  return finding;
}

Finding acceleration_ratio(Readings& runs) {
  const ScaleRequest request{.gpus = {16, 64}};
  const auto ratio = [&](const char* name, std::int64_t gpus) {
    return study::results::acceleration_ratio(*runs.point(request, name, gpus).step);
  };
  const double ib = ratio("infiniband", 64);
  const double roce = ratio("rocev2", 64);
  const double tcp = ratio("tcp", 64);
  Finding finding;
  finding.verdict = by(std::max({ib, roce, tcp}) < 1);
  finding.figure = fmt::format("speed-up per GPU on 64: InfiniBand {:.3f}, RoCEv2 {:.3f}, TCP {:.3f}", ib, roce, tcp);
  finding.text = fmt::format(
      "Llama-3 8B, one batch on 16 and 64 H100 with 400 Gb/s each; speed-up over one GPU that never waits, per GPU. "
      "InfiniBand {:.3f} and {:.3f}, RoCEv2 {:.3f} and {:.3f}, kernel TCP {:.3f} and {:.3f}. Part of what is lost is "
      "the tensor parallel exchange inside hosts, which no network changes; between InfiniBand and RoCEv2 lies "
      "{:.1f} %.",
      ratio("infiniband", 16), ib, ratio("rocev2", 16), roce, ratio("tcp", 16), tcp, 100 * (ib - roce) / ib);
  finding.figures = {{"infiniband_64", ib, ""}, {"rocev2_64", roce, ""}, {"tcp_64", tcp, ""}};
  return finding;
}

Finding elephant_flows(Readings& runs) {
  constexpr double kShare = 0.99;
  constexpr double kFew = 100;  // for each GPU and step
  const Flows dense = flows_of(runs, "dense");
  const Flows experts = flows_of(runs, "experts");
  const auto is_so = [](const Flows& flows) { return flows.elephant_share() > kShare && flows.per_gpu() < kFew; };
  Finding finding;
  finding.verdict = !is_so(dense) ? Verdict::kDoesNotHold : is_so(experts) ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "the model is dense";
  }
  finding.figure = fmt::format("flows of a GPU in a step: {:.0f} of a dense model, {:.0f} of experts", dense.per_gpu(),
                               experts.per_gpu());
  finding.text = fmt::format(
      "A step on 64 GPUs. Llama-3 8B sends {:.0f} flows per GPU through the network, and {:.1f} % of the bytes are "
      "in flows of at least 10 MB. Mixtral 8x7B sends {:.0f} per GPU, {:.1f} % of the bytes in such flows: many, and "
      "between every two of the GPUs that share experts. A few large flows: {:.0f} % of the bytes, fewer than {:.0f} "
      "flows per GPU.",
      dense.per_gpu(), 100 * dense.elephant_share(), experts.per_gpu(), 100 * experts.elephant_share(), 100 * kShare,
      kFew);
  finding.figures = {{"dense_flows_per_gpu", dense.per_gpu(), ""},
                     {"dense_share_of_bytes_in_large_flows", dense.elephant_share(), ""},
                     {"experts_flows_per_gpu", experts.per_gpu(), ""},
                     {"experts_share_of_bytes_in_large_flows", experts.elephant_share(), ""}};
  return finding;
}

Finding scale_up_out(Readings& runs) {
  constexpr double kGain = 2;
  constexpr double kGpus = 16;
  const double alone = runs.longest_ms("network-alone");
  const double nvlink = runs.longest_ms("two-tiers");
  const double roce = runs.longest_ms("two-tiers-rocev2");
  const double ualink = runs.longest_ms("two-tiers-ualink");
  const double pcie = runs.longest_ms("two-tiers-pcie");
  const auto gains = [alone](double time) { return alone > kGain * time; };
  Finding finding;
  finding.verdict = !gains(nvlink) ? Verdict::kDoesNotHold : gains(pcie) ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "the links inside are much faster than the NICs";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("64 MiB over 16 GPUs: {:.2f} ms with NVLink inside, {:.2f} ms without", nvlink, alone);
  finding.text = fmt::format(
      "An all-reduce of 64 MiB over 2 hosts of 8 GPUs, 400 Gb/s each. With NVLink 4 inside a GPU puts {:.0f} MiB on "
      "the links inside and {:.1f} MiB on the network, headers included, and it takes {:.2f} ms ({:.2f} ms with "
      "RoCEv2 between); with one UALink station {:.2f} ms, with PCI Express 5 {:.2f} ms, and over the network alone "
      "{:.2f} ms. A tier counts as worth having if it makes it {:.0f} times faster. Rates of the tiers are the "
      "catalogue's, the bytes emerge.",
      tier_mib(runs, "two-tiers", "scale-up", kGpus), tier_mib(runs, "two-tiers", "scale-out", kGpus), nvlink, roce,
      ualink, pcie, alone, kGain);
  finding.figures = {{"nvlink", nvlink, "ms"},
                     {"nvlink_rocev2", roce, "ms"},
                     {"ualink", ualink, "ms"},
                     {"pcie", pcie, "ms"},
                     {"network_alone", alone, "ms"}};
  return finding;
}

}  // namespace weft::study::claims
