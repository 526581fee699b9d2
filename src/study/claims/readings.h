// What the function of one claim reads: figures of its scenario's runs, by the names of cases and traffic.
//
// Everything runs when it is first asked for. Whatever is missing (a case, a traffic, a figure) reads as zero, and the
// first such thing is kept in fault(): a finding with a fault counts for nothing. Scenarios are files that their reader
// may change, so that none of this is a programmer's error.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "study/claims/claim_runner.h"

namespace weft::study::claims {

class Readings {
 public:
  Readings(ClaimRunner& runner, std::string scenario) : runner_(runner), scenario_(std::move(scenario)) {}

  [[nodiscard]] const std::string& fault() const { return fault_; }

  /// All cases, in the order of the file, and those that mistakes() has added. References stay good.
  [[nodiscard]] const std::deque<ClaimCase>& cases();
  /// Runs the plausible mistakes in setting up "NAME 1", "NAME 2" and so on, and names them in their order; each is a
  /// case "NAME, MISTAKE 1" from then on. The first ask counts.
  [[nodiscard]] std::vector<std::string> misconfigurations(std::string_view name);
  [[nodiscard]] const ClaimCase& at(std::string_view case_name);
  /// Of the job of that name; of the first one for an empty name.
  [[nodiscard]] const results::JobSummary& job(std::string_view case_name, std::string_view job = {});
  [[nodiscard]] const results::NetworkSummary& network(std::string_view case_name);

  /// Goodput of all flows together, Gb/s.
  [[nodiscard]] double gbps(std::string_view case_name, std::string_view job = {});
  /// Of the median message, us.
  [[nodiscard]] double latency_us(std::string_view case_name, std::string_view job = {});
  /// p99.9 - p50 of latency, us.
  [[nodiscard]] double jitter_us(std::string_view case_name, std::string_view job = {});
  /// Until the last message or operation was complete, ms: the longest completion time, of collectives the longest
  /// operation.
  [[nodiscard]] double longest_ms(std::string_view case_name, std::string_view job = {});
  /// Of one operation of a collective in steady state, ms: from the end of the first to that of the last, for each
  /// after the first.
  [[nodiscard]] double operation_ms(std::string_view case_name);
  /// When the run ended, ms.
  [[nodiscard]] double ended_ms(std::string_view case_name);
  /// Packets that were sent again, of all packets with data.
  [[nodiscard]] double retransmitted_share(std::string_view case_name);
  /// Why the case is not possible; empty if it is.
  [[nodiscard]] const std::string& refusal(std::string_view case_name);

  /// The first ask counts.
  [[nodiscard]] const results::ScalePoint& point(const ScaleRequest& request, std::string_view fabric,
                                                 std::int64_t gpus);

  /// Null, or what `weft compare` has found.
  [[nodiscard]] const report::Comparison* comparison() const { return runner_.comparison(); }

  /// Notes what is missing.
  void miss(std::string what);

 private:
  /// Notes a run that went wrong.
  void check_end(const ClaimCase& one);

  ClaimRunner& runner_;
  std::string scenario_;
  std::deque<ClaimCase> cases_;
  std::map<std::string, std::vector<std::string>, std::less<>> mistakes_;  // by the name of what was set up
  std::vector<results::ScalePoint> points_;
  bool ran_ = false;
  bool scaled_ = false;
  std::string fault_;
};

}  // namespace weft::study::claims
