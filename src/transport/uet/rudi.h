// RUDI: reliable delivery, unordered, of idempotent requests, without a context.
//
// The initiator numbers its requests (packet ids), keeps them, and sends each again until its response has come. The
// target keeps nothing: it executes what comes, each time, and answers; a response that is lost costs another
// execution, which is why only WRITEs and READs of one packet travel so. Responses that wait to leave are bounded; what
// is beyond is refused (no packet buffer). There is no congestion control but the bound on requests under way.
// Source: Ultra Ethernet Specification 1.0, PDS, RUDI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ring.h"
#include "transport/uet/pds_client.h"

namespace weft::transport {

/// What a target answers: an error, or success, with the data of a READ.
struct RudiAnswer {
  std::uint64_t address = 0;  // of the data
  std::uint32_t key = 0;
  std::uint32_t length = 0;  // of the data, at most a packet's payload
  std::uint32_t domain = 0;  // the client's own: whose memory it is
  std::uint32_t job = 0;
  std::uint16_t message_id = 0;
  std::uint8_t return_code = 0;  // wire::uet::SesReturnCode
  bool has_data = false;
};

/// What RUDI asks of whoever makes and executes requests.
class RudiClient {
 public:
  virtual ~RudiClient() = default;
  [[nodiscard]] virtual SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) = 0;
  [[nodiscard]] virtual std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) = 0;
  /// The response, success or error, with the data of a READ.
  virtual void on_rudi_response(const SesPacket& packet, const ReceivedPacket& response, Time now) = 0;
  /// There is none, and there will be none.
  virtual void on_rudi_failure(const SesPacket& packet, Time now) = 0;
  /// Executes a request, for the first time or once more.
  [[nodiscard]] virtual RudiAnswer execute(const ReceivedPacket& request) = 0;
  /// Puts the data into the slot; false: the memory may not be read any more.
  [[nodiscard]] virtual bool fill_data(const RudiAnswer& answer, const TransmitSlot& slot) const = 0;
};

class RudiExchange {
 public:
  struct Setup {
    EndpointId endpoint{};
    wire::Encapsulation encapsulation = wire::Encapsulation::kUetUdpIpv4;
    std::uint32_t first_id = 0;
  };
  /// The client must outlive it.
  RudiExchange(const Setup& setup, RudiClient& client) : setup_(setup), client_(client), first_id_(setup.first_id) {}

  struct Call {
    const UetOptions& options;
    UetCounters& counters;
    Time now;
  };

  // Initiator.

  /// An owner has packets to send, all with these addresses. It stays until it has none.
  void enqueue(std::uint32_t owner, const wire::PacketCommon& common) { owners_.push_back({owner, common}); }
  void on_response(const ReceivedPacket& received, const Call& call);
  void on_nack(const wire::Packet& packet, const Call& call);
  void on_timeout(const Call& call);
  [[nodiscard]] Time next_timeout() const { return deadline_; }
  [[nodiscard]] Time next_data(const UetOptions& options) const {
    return !lost_.empty() || (!owners_.empty() && requests_.size() < options.max_rudi_requests) ? Time::zero()
                                                                                                : Time::never();
  }
  [[nodiscard]] std::uint32_t under_way() const { return requests_.size(); }

  // Target.

  void on_request(const ReceivedPacket& received, const Call& call);
  [[nodiscard]] bool response_pending() const { return !replies_.empty(); }

  /// Replies come before requests.
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, const Call& call);
  [[nodiscard]] std::size_t heap_bytes() const {
    return owners_.heap_bytes() + requests_.heap_bytes() + lost_.heap_bytes() + replies_.heap_bytes();
  }

 private:
  enum class State : std::uint8_t { kInFlight, kLost, kWaiting, kDone };
  struct Owner {
    std::uint32_t owner;
    wire::PacketCommon common;
  };
  struct Request {
    SesPacket packet;
    wire::PacketCommon common;
    Time due;
    std::uint8_t retries = 0;
    State state = State::kInFlight;
  };
  struct Reply {
    RudiAnswer answer;
    EndpointId destination;
    std::uint32_t id = 0;
    std::uint16_t entropy = 0;
    std::uint8_t traffic_class = 0;
    wire::UetNack nack = wire::UetNack::kNone;  // in place of an answer
    bool marked = false;
    bool again = false;  // the request had been sent before
  };

  [[nodiscard]] Request* find(const wire::Packet& packet);
  [[nodiscard]] bool send_again(const TransmitSlot& slot, const Call& call);
  [[nodiscard]] bool send_new(const TransmitSlot& slot, const Call& call);
  void depart(const TransmitSlot& slot, Request& request, std::uint32_t id, std::uint16_t header, const Call& call);
  void lose(std::uint32_t id, Request& request);
  void finish(Request& request);
  void fail(Request& request, const Call& call);
  void send_reply(const TransmitSlot& slot, const Call& call);
  void fill_nack(const Reply& reply, const TransmitSlot& slot, const Call& call) const;
  void fill_answer(const Reply& reply, const TransmitSlot& slot, const Call& call) const;

  Setup setup_;
  RudiClient& client_;
  Ring<Owner> owners_;
  Ring<Request> requests_;    // of [first_id_, first_id_ + size)
  Ring<std::uint32_t> lost_;  // ids to send again; some may be done since
  Ring<Reply> replies_;
  std::uint32_t first_id_;
  Time deadline_ = Time::never();  // not after that of any request under way
};

}  // namespace weft::transport
