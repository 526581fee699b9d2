// Two reliable queue pairs, each with a device's tables, memory, and queues, joined by a TestNetwork.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/property/test_network.h"
#include "tests/property/traffic_ends.h"
#include "transport/rc_queue_pair.h"

namespace weft::testing {

struct RcPairOptions {
  TestNetwork::Options network{};
  transport::RcOptions rc{};
  transport::SelectiveRepeatOptions selective{};  // of `rc`, whose pointer is left null
  wire::Encapsulation encapsulation = wire::Encapsulation::kRoceV2Ipv4;
  verbs::PathMtu mtu = verbs::PathMtu::k1024;
  std::uint8_t timeout = 1;  // 8.192 us; short, so that lossy runs stay short
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry = 7;
  std::uint8_t max_rd_atomic = 4;
  std::uint8_t max_dest_rd_atomic = 4;
  verbs::AccessMask remote_access = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic;
  std::uint32_t memory_bytes = 1 << 20;
  std::uint32_t max_wr = 1024;
  std::uint32_t cq_capacity = 1 << 16;
  Psn first_psn{0xFFFFF0};  // wraps soon
  bool shared_receive_queue = false;
};

/// One side. Memory is one region at kBase with a guard of 64 bytes on either side that nobody may touch.
class RcSide {
 public:
  static constexpr std::uint64_t kBase = 0x10000;
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kGuardByte{0xA5};

  RcSide(int index, const RcPairOptions& options);

  void connect(const RcSide& peer, const RcPairOptions& options);
  [[nodiscard]] std::span<std::byte> memory() {
    return std::span(storage_).subspan(kGuard, storage_.size() - 2 * kGuard);
  }
  [[nodiscard]] bool guards_intact() const;
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_send();
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_recv();
  Result<void> post_recv(std::uint64_t wr_id, std::uint64_t offset, std::uint32_t length);
  /// One element at `offset` of the region.
  [[nodiscard]] verbs::Sge sge(std::uint64_t offset, std::uint32_t length) const {
    return {.address = kBase + offset, .length = length, .lkey = key};
  }

  verbs::Context context;
  verbs::PdHandle pd;
  std::uint32_t key = 0;
  verbs::CqHandle send_cq;
  verbs::CqHandle recv_cq;
  verbs::SrqHandle srq;
  transport::SelectiveRepeatOptions selective;
  std::unique_ptr<transport::RcQueuePair> qp;

 private:
  [[nodiscard]] std::vector<verbs::WorkCompletion> drain(verbs::CqHandle cq);
  std::vector<std::byte> storage_;
};

/// Both sides in RTS, and the network between them.
class RcPair final : public TrafficEnds {
 public:
  explicit RcPair(const RcPairOptions& both) : RcPair(both, both) {}
  /// Ends may have different options; those of the network are the first end's.
  RcPair(const RcPairOptions& first, const RcPairOptions& second);
  [[nodiscard]] RcSide& side(int index) { return *sides_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] TestNetwork& network() { return *network_; }
  [[nodiscard]] Result<void> post_send(int side, const verbs::SendWr& request) override {
    return this->side(side).qp->post_send(request, this->side(side).context, network_->now());
  }

  // For traffic.
  [[nodiscard]] std::span<std::byte> memory(int side) override { return this->side(side).memory(); }
  [[nodiscard]] std::uint32_t key(int side) const override { return sides_[static_cast<std::size_t>(side)]->key; }
  [[nodiscard]] Result<void> post_recv(int side, const verbs::RecvWr& request) override;
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_send(int side) override { return this->side(side).poll_send(); }
  [[nodiscard]] std::vector<verbs::WorkCompletion> poll_recv(int side) override { return this->side(side).poll_recv(); }
  [[nodiscard]] std::string fault(int side) override;
  [[nodiscard]] Time now() const override { return network_->now(); }
  void run_until(Time until) override { network_->run_until(until); }
  [[nodiscard]] bool run() override { return network_->run(); }

 private:
  std::array<std::unique_ptr<RcSide>, 2> sides_;
  std::array<std::unique_ptr<EngineEnd<transport::RcQueuePair>>, 2> ends_;
  std::unique_ptr<TestNetwork> network_;
};

}  // namespace weft::testing
