// One claim as `weft claims` judges it: the verdict, its figures, and what the runs of its scenario gave.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::test {

class JudgedClaim {
 public:
  enum class Failures : std::uint8_t { kNone, kExpected };  // of messages
  /// Runs `weft claims ID` with more options, and checks the form of what it says.
  explicit JudgedClaim(const std::string& id, const std::string& options = {}, Failures failures = Failures::kNone);

  [[nodiscard]] const nlohmann::json& judged() const { return judged_; }
  [[nodiscard]] std::string verdict() const { return judged_.value("verdict", ""); }
  [[nodiscard]] std::string origin() const { return judged_.value("origin", ""); }
  /// Of the finding.
  [[nodiscard]] double figure(const std::string& name) const;

  /// As `weft run --json` or `weft scale --json` write it, with "refused".
  [[nodiscard]] const nlohmann::json& json() const { return json_; }
  [[nodiscard]] const nlohmann::json& run(const std::string& case_name) const;
  /// The first job for an empty name.
  [[nodiscard]] const nlohmann::json& job(const std::string& case_name, const std::string& job) const;
  /// Bits per second.
  [[nodiscard]] double goodput(const std::string& case_name, const std::string& of = {}) const;
  /// Of the median message, seconds.
  [[nodiscard]] double latency(const std::string& case_name, const std::string& of = {}) const;
  /// Of `weft scale`.
  [[nodiscard]] const nlohmann::json& row(const std::string& fabric, int gpus) const;

 private:
  void check_form(const std::string& id) const;
  void check_runs() const;

  nlohmann::json judged_;
  nlohmann::json json_;
};

}  // namespace weft::test
