// Discovery of a subnet by directed routes, as OpenSM 3.3.23 does it.
//
// NodeInfo of the manager's own node; when all that follows from it has been answered, NodeInfo through its port. Each
// new node is asked for its NodeDescription, an adapter for PortInfo of the port that was reached, a switch for
// SwitchInfo and then PortInfo of all its ports. NodeInfo is asked through every port of a switch whose link is up, but
// for the one by which the switch was reached. P_Key tables of a new node are read whole; later only that of port 0 of
// switches, and those of ports at a switch that says its ports have changed. NodeDescription is asked once.
// Held against OpenSM's own requests, attribute by attribute (subnet_manager_test.cc).
#pragma once

#include <vector>

#include "subnet/manager/known_subnet.h"
#include "subnet/manager/smp_exchange.h"

namespace weft::subnet {

class Discovery {
 public:
  /// A manager that has just become the master reads all P_Key tables again.
  enum class Tables : std::uint8_t { kChanged, kAll };
  /// What the sweep before knew; both must outlive the discovery.
  Discovery(const KnownSubnet& before, SmpExchange& exchange, Tables tables = Tables::kChanged)
      : before_(before), exchange_(exchange), tables_(tables) {}

  /// Asks the manager's own node; to be called again when nothing is under way, until it returns false: all is found.
  [[nodiscard]] bool proceed();
  /// An answer to a Get; a status other than 0 counts as none.
  void on_answer(const SmpExchange::Answered& answered);

  [[nodiscard]] const KnownSubnet& found() const { return found_; }
  [[nodiscard]] KnownSubnet take() { return std::move(found_); }
  /// Ports at which another subnet manager runs.
  [[nodiscard]] const std::vector<PortPlace>& managers() const { return managers_; }

 private:
  enum class Stage : std::uint8_t { kBegin, kOwnNode, kAround };

  void get(NodeIndex node, std::uint16_t attribute, std::uint32_t modifier, PortNumber port);
  void probe(NodeIndex node, PortNumber port);
  void on_node_info(const SmpExchange::Answered& answered);
  void on_switch_info(const SmpExchange::Answered& answered);
  void on_port_info(const SmpExchange::Answered& answered);
  void get_p_keys(NodeIndex node, PortNumber port);
  void adopt(NodeIndex node, bool at_changed_switch);

  const KnownSubnet& before_;
  SmpExchange& exchange_;
  KnownSubnet found_;
  std::vector<PortPlace> managers_;
  Tables tables_;
  Stage stage_ = Stage::kBegin;
};

}  // namespace weft::subnet
