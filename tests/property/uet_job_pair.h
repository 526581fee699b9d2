// Two devices over Ultra Ethernet (uet_pair.h) with a port of a job each.
#pragma once

#include <array>
#include <vector>

#include "tests/property/uet_pair.h"
#include "transport/uet/ses_messenger.h"

namespace weft::testing {

class UetJobPair {
 public:
  static constexpr std::uint32_t kJob = 0x1234;

  explicit UetJobPair(const UetPairOptions& options, transport::SesPortSetup setup = {}) : pair(options) {
    for (std::uint32_t side = 0; side < 2; ++side) {
      setup.address = address(static_cast<int>(side));
      setup.pd = pair.side(static_cast<int>(side)).pd;
      setup.initiator = 100 + side;
      setup.mtu = options.mtu;
      ports[side] = messenger(static_cast<int>(side)).open(setup).value();
    }
  }
  [[nodiscard]] static transport::SesAddress address(int side, bool relative = true) {
    return {.job = kJob,
            .pid_on_fep = static_cast<std::uint16_t>(3 + side),
            .resource_index = 7,
            .generation = 2,
            .relative = relative};
  }
  [[nodiscard]] transport::SesPeer peer_of(int side, bool relative = true) const {
    return {.endpoint = EndpointId(static_cast<std::uint32_t>(1 - side)), .address = address(1 - side, relative)};
  }
  [[nodiscard]] transport::SesMessenger& messenger(int side) { return pair.side(side).device.uet_messenger(); }
  [[nodiscard]] verbs::Sge sge(int side, std::uint32_t offset, std::uint32_t length) {
    return pair.sge(side, offset, length);
  }

  Result<void> send(int side, transport::SesSend send) {
    send.peer = peer_of(side);
    return messenger(side).send(ports[static_cast<std::size_t>(side)], send, pair.now());
  }
  Result<void> receive(int side, const transport::SesReceive& receive) {
    return messenger(side).receive(ports[static_cast<std::size_t>(side)], receive, pair.now());
  }
  Result<void> write(int side, transport::SesAccess access) {
    access.peer = peer_of(side);
    return messenger(side).write(ports[static_cast<std::size_t>(side)], access, pair.now());
  }
  Result<void> read(int side, transport::SesAccess access) {
    access.peer = peer_of(side);
    return messenger(side).read(ports[static_cast<std::size_t>(side)], access, pair.now());
  }
  /// All completions that are there.
  std::vector<transport::SesCompletion> poll(int side) {
    std::vector<transport::SesCompletion> all;
    std::array<transport::SesCompletion, 16> some;
    while (const std::size_t count = messenger(side).poll(some))
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
    return all;
  }
  /// Nothing is kept of any message.
  [[nodiscard]] bool at_rest() {
    for (int side = 0; side < 2; ++side) {
      if (messenger(side).outgoing() + messenger(side).incoming() + messenger(side).answers() +
              messenger(side).unexpected_bytes(ports[static_cast<std::size_t>(side)]) !=
          0)
        return false;
    }
    return pair.live_contexts() == 0;
  }

  UetPair pair;
  std::array<transport::SesPortId, 2> ports{};
};

}  // namespace weft::testing
