#include "cli/partition_output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv_writer.h"
#include "base/text_table.h"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kNamesShown = 4;    // of a group's ports
constexpr std::size_t kGroupsShown = 12;  // of the matrix

std::string key_text(std::uint16_t key) { return fmt::format("{:#06x}", key); }

std::vector<std::string> key_texts(const std::vector<std::uint16_t>& keys) {
  std::vector<std::string> texts;
  std::ranges::transform(keys, std::back_inserter(texts), key_text);
  return texts;
}

const char* membership_text(subnet::Membership membership) {
  return membership == subnet::Membership::kFull ? "full" : "limited";
}

std::size_t count_of(const subnet::Partition& partition, subnet::Membership membership) {
  return static_cast<std::size_t>(
      std::ranges::count_if(partition.members, [&](const auto& member) { return member.second == membership; }));
}

}  // namespace

PartitionView::PartitionView(const ManagedSubnet& managed, const subnet::Partitions& partitions)
    : managed_(managed), partitions_(partitions) {
  std::map<std::vector<std::uint16_t>, std::size_t> known;
  for (std::size_t port = 0; port < partitions.keys.size(); ++port) {
    const auto [group, is_new] = known.try_emplace(partitions.keys[port], groups_.size());
    if (is_new) {
      groups_.push_back({.keys = partitions.keys[port], .ports = {}});
    }
    groups_[group->second].ports.push_back(port);
    group_of_.push_back(group->second);
  }
}

std::string PartitionView::name_of(std::size_t port) const {
  const subnet::EndPort& end = managed_.view.end_ports[port];
  const subnet::Node& node = managed_.subnet[end.place.node];
  return end.is_switch() || node.ports.size() == 2 ? node.description
                                                   : fmt::format("{} port {}", node.description, end.place.port);
}

std::string PartitionView::partitions_text(LineWidth width) const {
  TextTable table({{.heading = "P_Key"},
                   {.heading = "partition", .wraps = true},
                   {.heading = "full", .align = TextTable::Align::kRight},
                   {.heading = "limited", .align = TextTable::Align::kRight},
                   {.heading = "IPoIB", .rank = 1}},
                  width);
  for (const subnet::Partition& partition : partitions_.all) {
    table.add({key_text(partition.p_key), partition.name,
               fmt::format("{}", count_of(partition, subnet::Membership::kFull)),
               fmt::format("{}", count_of(partition, subnet::Membership::kLimited)), partition.ipoib ? "yes" : "no"});
  }
  return table.text();
}

std::string PartitionView::groups_text(LineWidth width) const {
  TextTable table({{.heading = "group", .align = TextTable::Align::kRight},
                   {.heading = "ports", .align = TextTable::Align::kRight},
                   {.heading = "P_Keys", .wraps = true},
                   {.heading = "which", .wraps = true}},
                  width);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::vector<std::string> names;
    for (const std::size_t port : groups_[i].ports) {
      if (names.size() < kNamesShown) {
        names.push_back(name_of(port));
      }
    }
    const std::size_t others = groups_[i].ports.size() - names.size();
    table.add({fmt::format("{}", i + 1), fmt::format("{}", groups_[i].ports.size()),
               fmt::format("{}", fmt::join(key_texts(groups_[i].keys), " ")),
               fmt::format("{}{}", fmt::join(names, ", "), others > 0 ? fmt::format(" and {} more", others) : "")});
  }
  return table.text();
}

std::string PartitionView::matrix_text(LineWidth width) const {
  const std::size_t shown = std::min(groups_.size(), kGroupsShown);
  std::vector<TextTable::Column> columns{{.heading = "group", .align = TextTable::Align::kRight}};
  for (std::size_t i = 0; i < shown; ++i) {
    columns.push_back({.heading = fmt::format("{}", i + 1)});
  }
  TextTable table(std::move(columns), width);
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells{fmt::format("{}", row + 1)};
    for (std::size_t column = 0; column < shown; ++column) {
      const std::vector<std::uint16_t> keys = subnet::shared_keys(groups_[row].keys, groups_[column].keys);
      const bool alone = row == column && groups_[row].ports.size() == 1;
      cells.push_back(alone              ? "-"
                      : keys.empty()     ? "no"
                      : keys.size() == 1 ? "yes"
                                         : fmt::format("yes, {}", keys.size()));
    }
    table.add(std::move(cells));
  }
  const std::string rest =
      shown < groups_.size()
          ? fmt::format("of {} groups the first {}; --csv and --json have all\n", groups_.size(), shown)
          : "";
  return table.text() + rest;
}

std::string PartitionView::text(LineWidth width) const {
  return fmt::format(
      "{} partitions of {} end ports\n\n{}\nports with the same P_Keys:\n{}\nwho may talk to whom, and by "
      "how many P_Keys if by several:\n{}",
      partitions_.all.size(), partitions_.keys.size(), partitions_text(width), groups_text(width), matrix_text(width));
}

ordered_json PartitionView::json() const {
  ordered_json document;
  document["partitions"] = ordered_json::array();
  for (const subnet::Partition& partition : partitions_.all) {
    document["partitions"].push_back({{"p_key", key_text(partition.p_key)},
                                      {"name", partition.name},
                                      {"indx0", partition.index0},
                                      {"ipoib", partition.ipoib},
                                      {"full", count_of(partition, subnet::Membership::kFull)},
                                      {"limited", count_of(partition, subnet::Membership::kLimited)}});
  }
  document["ports"] = ordered_json::array();
  for (std::size_t port = 0; port < partitions_.keys.size(); ++port) {
    const subnet::EndPort& end = managed_.view.end_ports[port];
    document["ports"].push_back({{"node", managed_.subnet[end.place.node].description},
                                 {"port", end.place.port},
                                 {"guid", fmt::format("0x{:016x}", end.guid.value)},
                                 {"lid", end.lid},
                                 {"p_keys", key_texts(partitions_.keys[port])},
                                 {"group", group_of_[port] + 1}});
  }
  document["talk"] = ordered_json::array();
  for (std::size_t row = 0; row < groups_.size(); ++row) {
    for (std::size_t column = row; column < groups_.size(); ++column) {
      if (row == column && groups_[row].ports.size() == 1) {
        continue;
      }
      document["talk"].push_back({{"groups", {row + 1, column + 1}},
                                  {"p_keys", key_texts(subnet::shared_keys(groups_[row].keys, groups_[column].keys))}});
    }
  }
  return document;
}

std::vector<study::results::CsvFile> PartitionView::csv() const {
  CsvWriter members;
  const auto line = [](CsvWriter& writer, const std::vector<std::string>& fields) {
    for (const std::string& field : fields) {
      writer.field(field);
    }
    writer.end_line();
  };
  line(members, {"p_key", "partition", "node", "port", "guid", "lid", "membership"});
  for (const subnet::Partition& partition : partitions_.all) {
    for (const auto& [index, membership] : partition.members) {
      const subnet::EndPort& end = managed_.view[index];
      line(members, {key_text(partition.p_key), partition.name, managed_.subnet[end.place.node].description,
                     fmt::format("{}", end.place.port), fmt::format("0x{:016x}", end.guid.value),
                     fmt::format("{}", end.lid), membership_text(membership)});
    }
  }
  CsvWriter matrix;
  std::vector<std::string> heading{"port"};
  for (std::size_t port = 0; port < group_of_.size(); ++port) {
    heading.push_back(name_of(port));
  }
  line(matrix, heading);
  for (std::size_t from = 0; from < group_of_.size(); ++from) {
    matrix.field(name_of(from));
    for (std::size_t to = 0; to < group_of_.size(); ++to) {
      const auto keys = subnet::shared_keys(groups_[group_of_[from]].keys, groups_[group_of_[to]].keys);
      matrix.field(from == to ? "" : fmt::format("{}", fmt::join(key_texts(keys), " ")));
    }
    matrix.end_line();
  }
  return {{"members.csv", members.take()}, {"matrix.csv", matrix.take()}};
}

}  // namespace weft::cli
