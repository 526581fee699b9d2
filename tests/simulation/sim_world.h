// One job on a simulated Ethernet: a rank on every endpoint, flows given one by one, every header checked.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/world/world.h"
#include "transport/congestion/dcqcn.h"
#include "workload/flow_list.h"
#include "workload/flow_program.h"
#include "workload/local_connector.h"

namespace weft::testing {

struct SimOptions {
  fabric::Graph graph;
  fabric::EthernetOptions ethernet;
  host::NicOptions nic;  // of every endpoint
  std::vector<workload::ListedFlow> flows;
  workload::ConnectionAttributes connection;
  workload::RankMemory memory;  // of every rank
  host::Service service = host::Service::kRdma;
  /// If there: the ranks are its ports, in their order, and the Ethernet lies idle beside it.
  std::optional<fabric::ScaleUpOptions> scale_up;
  /// What their NICs are like.
  std::function<host::NicOptions(EndpointId)> scale_up_nic;
  std::uint64_t seed = 1;
};

/// Priority 3 lossless for data and answers of DSCP 26, 6 strict above it for CNPs.
inline constexpr std::uint8_t kDataDscp = 26;
inline constexpr std::uint8_t kDataLane = 3;
inline constexpr std::uint8_t kNoticeLane = 6;

/// RoCEv2 with headers checked; congestion control if there are parameters, which must outlive the world.
[[nodiscard]] SimOptions roce(fabric::Graph graph, const transport::DcqcnParameters* dcqcn = nullptr);

/// The same network under kernel TCP or iWARP with CUBIC, in the data lane, which drops.
[[nodiscard]] SimOptions streams(fabric::Graph graph, host::Service service);

/// So many GPUs of 450 GB/s on a switch of 150 ns, in units of `unit` that are packets of 256 bytes, 17/16 as long on
/// the wire; 25 ns of propagation.
[[nodiscard]] SimOptions scale_up(std::uint32_t gpus, std::uint32_t unit = 4096);

/// A WRITE of `size` from one rank to another, at the start.
[[nodiscard]] workload::ListedFlow write(std::uint32_t from, std::uint32_t to, Bytes size);
/// WRITEs of `size` back to back from one rank to another until `stop`.
[[nodiscard]] workload::ListedFlow stream(std::uint32_t from, std::uint32_t to, Bytes size, Time stop);

class SimWorld final : private workload::MessageSink {
 public:
  explicit SimWorld(SimOptions options);

  /// Runs until nothing is left to happen or the next event is after `limit`; fails the test on an error.
  study::world::World::Stop run(Time limit = Time::never());
  /// The same; the first sum that does not add up after an event, or nothing.
  [[nodiscard]] std::string run_checked(Time limit = Time::never());

  [[nodiscard]] study::world::World& world() { return *world_; }
  [[nodiscard]] fabric::EthernetFabric& fabric() { return *world_->fabric().get_if<fabric::EthernetFabric>(); }
  [[nodiscard]] Time now() const { return world_->now(); }
  [[nodiscard]] const std::vector<workload::MessageRecord>& messages() const { return messages_; }
  [[nodiscard]] bool all_succeeded() const;
  /// Bytes of frames that this endpoint has sent on the data lane.
  [[nodiscard]] std::uint64_t bytes_from(std::uint32_t endpoint);
  [[nodiscard]] std::uint64_t pauses_sent();
  [[nodiscard]] std::uint64_t marks();

 private:
  void on_message(const workload::MessageRecord& record) override { messages_.push_back(record); }

  workload::JobOptions job_;
  transport::FramingHeaderLogs ledgers_;
  std::unique_ptr<study::world::World> world_;
  std::vector<workload::MessageRecord> messages_;
  workload::LocalConnector connector_;
  workload::DeliveryMatcher matcher_{*this};
  std::unique_ptr<workload::FlowList> flows_;
  std::deque<workload::RankPorts> ports_;
  std::deque<workload::Messenger> messengers_;
  std::deque<workload::FlowProgram> programs_;
};

}  // namespace weft::testing
