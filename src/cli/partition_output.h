// What `weft subnet partitions` says: who is in which partition, and who may talk to whom, as text, JSON and tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "cli/subnet_input.h"
#include "study/results/results_csv.h"
#include "subnet/partitions/partitions.h"

namespace weft::cli {

/// Partitions of a subnet. Ports whose P_Keys are the same are one group: what holds for one holds for all.
class PartitionView {
 public:
  /// Both must outlive this.
  PartitionView(const ManagedSubnet& managed, const subnet::Partitions& partitions);

  [[nodiscard]] std::string text(LineWidth width) const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// members.csv, one line per member of a partition; matrix.csv, a line and a column for each port, with the P_Keys by
  /// which the two may talk.
  [[nodiscard]] std::vector<study::results::CsvFile> csv() const;

 private:
  struct Group {
    std::vector<std::uint16_t> keys;
    std::vector<std::size_t> ports;  // in RoutingView::end_ports
  };

  [[nodiscard]] std::string name_of(std::size_t port) const;
  [[nodiscard]] std::string partitions_text(LineWidth width) const;
  [[nodiscard]] std::string groups_text(LineWidth width) const;
  [[nodiscard]] std::string matrix_text(LineWidth width) const;

  const ManagedSubnet& managed_;
  const subnet::Partitions& partitions_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  // per end port
};

}  // namespace weft::cli
