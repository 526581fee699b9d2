// What a subnet manager is told: what OpenSM 3.3.23 has options for, with its defaults, and how fast its host is.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "subnet/manager/smp_exchange.h"
#include "subnet/partitions/partition_file.h"
#include "subnet/routing/engine.h"

namespace weft::subnet {

struct ManagerOptions {
  EngineKind engine = EngineKind::kMinhop;
  EngineOptions routing{};
  std::uint8_t lmc = 0;
  /// Rules of a partitions.conf; none: every port is a full member of the default partition.
  std::vector<PartitionRule> partitions{};
  bool qos = false;  // writes SL to VL and arbitration tables; service level n takes lane n of those in use

  SmpExchange::Options smps{};  // with the M_Key, which all ports get
  std::uint8_t m_key_protect = 0;
  std::uint16_t m_key_lease = 0;  // seconds; 0: for ever
  std::uint64_t sa_key = 1;       // SM_Key with which requests to subnet administration are trusted

  Duration sweep_interval = Duration::seconds(10);
  std::uint8_t priority = 0;  // 0 to 15
  Duration poll_interval = Duration::seconds(10);
  std::uint32_t poll_retries = 4;

  /// Of the manager's one thread: for each MAD that comes in, with what follows from it; and of the routing engine, for
  /// each entry of a forwarding table. Requests cost nothing more. Guesses.
  Duration mad_time = Duration::microseconds(5);
  Duration entry_time = Duration::nanoseconds(100);
};

}  // namespace weft::subnet
