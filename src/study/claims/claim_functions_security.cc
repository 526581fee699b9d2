#include <fmt/core.h>

#include <string>

#include "study/claims/claim_functions.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

/// What a case adds to another: to the time of an all-reduce, as a share, and to the latency of a short message, us.
struct Cost {
  double slower = 0;
  double later = 0;

  /// "0.8 % and 1.20 us".
  [[nodiscard]] std::string text() const { return fmt::format("{:.2f} % and {:.2f} us", 100 * slower, later); }
};

Cost cost_of(Readings& runs, std::string_view name, std::string_view plain) {
  return {.slower = runs.operation_ms(name) / runs.operation_ms(plain) - 1,
          .later = runs.latency_us(name, "short") - runs.latency_us(plain, "short")};
}

}  // namespace

Finding zero_trust(Readings& runs) {
  const auto cost = [&runs](std::string_view name) { return cost_of(runs, name, "separate"); };
  const Cost in_band = cost("in-band");
  const Cost in_band_10g = cost("in-band 10g");
  const Cost macsec = cost("macsec");
  const Cost ipsec = cost("ipsec");
  const Cost psp = cost("psp");
  const Cost offloaded = cost("dpu-offloaded");
  const Cost cores = cost("dpu-cores");
  const Cost appliance = cost("appliance");
  const Cost both = cost("all in line");
  const Cost tss = cost_of(runs, "uet tss", "uet separate");
  const bool all_cost = in_band.slower > 0 && macsec.slower > 0 && psp.slower > 0 && tss.slower > 0 &&
                        offloaded.later > 0 && cores.slower > 0;
  Finding finding;
  finding.verdict = by(all_cost, Verdict::kHoldsWhen);
  if (all_cost) {
    finding.condition = "management is what is protected: a plane of its own neither encrypts nor filters data";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format(
      "an all-reduce takes longer by {:.1f} % with MACsec, {:.1f} % with PSP, {:.0f} % through "
      "firewalls on DPU cores; by {:.1f} % with 1 Gb/s of telemetry in band",
      100 * macsec.slower, 100 * psp.slower, 100 * cores.slower, 100 * in_band.slower);
  finding.text = fmt::format(
      "A ring all-reduce of 32 MiB over 16 hosts with 400 Gb/s and RoCEv2 takes {:.3f} ms, and a message of 64 bytes "
      "through the idle network {:.2f} us, with management on NICs and a network of its own: nothing of it is in the "
      "path. In the path it costs, of the all-reduce and of the message: 1 Gb/s of telemetry from each port {} and 10 "
      "Gb/s {:.2f} %; MACsec on each cable {}, IPsec {}, PSP {}, TSS of Ultra Ethernet {} (of its own run); a firewall "
      "in the flow tables of a DPU {}, on its cores at 100 Gb/s {}, a firewall of its own at 79.5 Gb/s {}; PSP and the "
      "first of these together {}. Bytes of headers follow from the standards and cost what they are of a packet; "
      "what is slower than the port costs the difference. Latencies and rates are the catalogue's, mostly guesses. "
      "Limit: more than nothing.",
      runs.operation_ms("separate"), runs.latency_us("separate", "short"), in_band.text(), 100 * in_band_10g.slower,
      macsec.text(), ipsec.text(), psp.text(), tss.text(), offloaded.text(), cores.text(), appliance.text(),
      both.text());
  finding.figures = {{"in_band", in_band.slower, ""},
                     {"in_band_10g", in_band_10g.slower, ""},
                     {"macsec", macsec.slower, ""},
                     {"ipsec", ipsec.slower, ""},
                     {"psp", psp.slower, ""},
                     {"tss", tss.slower, ""},
                     {"dpu_cores", cores.slower, ""},
                     {"appliance", appliance.slower, ""},
                     {"macsec_latency", macsec.later, "us"},
                     {"psp_latency", psp.later, "us"},
                     {"dpu_offloaded_latency", offloaded.later, "us"},
                     {"dpu_cores_latency", cores.later, "us"}};
  return finding;
}

}  // namespace weft::study::claims
