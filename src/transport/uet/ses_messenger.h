// SES for the programs of jobs: matching sends in three forms, WRITE and READ, by relative and absolute address.
//
// Beside the queue pairs of verbs, whose packets share the same contexts. A message's packets are one owner of a
// context; its number, which is its id on the wire, is unique in the endpoint. A message is complete for its sender
// when its receiver has taken it, or with the code of an error response. A receiver knows a message by its source and
// number; what it has refused it remembers until the context is gone, so that packets of it that come late mean
// nothing. Deferred messages are found again by tokens, a rendezvous' READ names its message in its header data.
// Source: Ultra Ethernet Specification 1.0, SES. What is decided here: docs/decisions/0040.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "transport/uet/rudi.h"
#include "transport/uet/ses_job_types.h"
#include "verbs/context.h"

namespace weft::transport {

class UetEndpoint;

class SesMessenger final : public RudiClient {
 public:
  /// Both must outlive it.
  SesMessenger(UetEndpoint& endpoint, verbs::Context& context);
  SesMessenger(const SesMessenger&) = delete;
  SesMessenger& operator=(const SesMessenger&) = delete;

  // For the program. Messages that have begun and are not complete are at most 32,768.

  /// Errors: an address that is taken, or beyond its ranges.
  [[nodiscard]] Result<SesPortId> open(const SesPortSetup& setup);
  /// All that the port has under way completes with kCancelled.
  void close(SesPortId port, Time now);
  /// Errors: no such port; memory that may not be read (for a rendezvous: by the peer); a form that does not exist.
  [[nodiscard]] Result<void> send(SesPortId port, const SesSend& send, Time now);
  /// Errors: no such port; memory that may not be written; too many receives wait.
  [[nodiscard]] Result<void> receive(SesPortId port, const SesReceive& receive, Time now);
  [[nodiscard]] Result<void> write(SesPortId port, const SesAccess& access, Time now);
  [[nodiscard]] Result<void> read(SesPortId port, const SesAccess& access, Time now);
  /// What has this id and is not complete completes with kCancelled; false: there is nothing.
  bool cancel(SesPortId port, std::uint64_t id, Time now);
  /// How many completions it wrote.
  [[nodiscard]] std::size_t poll(std::span<SesCompletion> out);

  // For the endpoint.

  static constexpr std::uint32_t kOwnerBit = 0x8000'0000;  // of owners that are messages
  [[nodiscard]] SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) override;
  [[nodiscard]] std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) override;
  /// Bytes that an owner has still to send, counted in whole packets.
  [[nodiscard]] Bytes backlog(std::uint32_t owner) const;
  void on_delivered(const SesPacket& packet, Time now);
  void on_response(const SesPacket& packet, const wire::UetExtension& response, Time now);
  [[nodiscard]] Duration on_refused(const SesPacket& packet) const;
  /// Whether an address is one of its ports'.
  [[nodiscard]] bool has(std::uint32_t resource) const { return absolute_.contains(resource); }
  [[nodiscard]] SesReception on_request(const ReceivedPacket& received, std::uint16_t pdc, Time now);
  /// Data, or an error in their place, for a READ.
  void on_answer(const ReceivedPacket& received, Time now);
  [[nodiscard]] AnswerState answer_state(EndpointId peer, std::uint16_t message_id) const;
  void on_room(std::uint32_t owner, Time now);
  /// How a context ends: in good order its peer has had all answers, whether it has acknowledged them or not.
  enum class ContextEnd : std::uint8_t { kClosed, kFailed };
  void on_context_gone(std::uint16_t pdc, ContextEnd end, Time now);

  // RudiClient.
  void on_rudi_response(const SesPacket& packet, const ReceivedPacket& response, Time now) override;
  void on_rudi_failure(const SesPacket& packet, Time now) override;
  [[nodiscard]] RudiAnswer execute(const ReceivedPacket& request) override;
  [[nodiscard]] bool fill_data(const RudiAnswer& answer, const TransmitSlot& slot) const override;

  // For reports and tests.
  [[nodiscard]] std::size_t outgoing() const { return outgoing_.size(); }
  /// Messages of which something is kept.
  [[nodiscard]] std::size_t incoming() const { return incoming_.size(); }
  [[nodiscard]] std::size_t answers() const { return answers_.size(); }
  /// Bytes that wait for a receive; the port must exist.
  [[nodiscard]] std::uint64_t unexpected_bytes(SesPortId port) const { return ports_.at(port).unexpected_bytes; }

 private:
  using Code = wire::uet::SesReturnCode;
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // source and number of a message
  /// The same as a number, for matching.
  [[nodiscard]] static constexpr std::uint64_t name_of(const Key& key) {
    return static_cast<std::uint64_t>(key.first) << 32 | key.second;
  }
  static constexpr std::uint32_t kNumberedHere = 0x1'0000;  // of messages whose header has no number
  static constexpr std::uint32_t kAnswerBits = 0xC000'0000;
  static constexpr std::size_t kMostMessages = 32'768;  // out, and in

  struct Port {
    SesPortSetup setup;
    MatchList tagged;
    MatchList untagged;
    std::uint64_t unexpected_bytes = 0;
    std::uint32_t reads = 0;  // of peers, under way

    [[nodiscard]] MatchList& list(bool is_tagged) { return is_tagged ? tagged : untagged; }
  };
  struct Outgoing {
    enum class Stage : std::uint8_t { kSending, kDeferred, kServed, kAnswered };
    std::uint64_t id = 0;
    SesPortId port = 0;
    std::uint32_t attempt = 0;  // stands in packets: those of earlier ones are nobody's
    wire::PacketCommon common{};
    SesAddress to{};
    verbs::Sge local{};
    std::uint64_t remote_address = 0;
    std::uint32_t remote_key = 0;
    std::uint64_t tag = 0;
    std::optional<std::uint64_t> header_data{};
    wire::UetOperation operation{};
    SesDelivery delivery = SesDelivery::kRud;
    std::uint32_t eager = 0;  // bytes that its packets carry
    std::uint32_t packets = 1;
    std::uint32_t cursor = 0;     // packet that is made next
    std::uint32_t delivered = 0;  // packets
    std::uint32_t received = 0;   // bytes, of a READ
    wire::uet::RestartToken restart{};
    std::optional<Key> serves{};  // of one that the receiver of a message has begun
    std::uint16_t pdc = 0;
    Stage stage = Stage::kSending;
    bool uses_context = false;
  };
  struct Incoming {
    enum class Stage : std::uint8_t { kArriving, kArrived, kDeferred, kReading, kRefused, kDone };
    SesPortId port = 0;
    SesMessageFields fields{};
    std::optional<std::uint64_t> header_data{};
    std::optional<SesReceive> receive{};  // once it has one
    std::vector<std::byte> data{};        // until then
    std::uint32_t eager = 0;
    std::uint32_t received = 0;   // bytes
    std::uint32_t reserved = 0;   // of the port's bytes for unexpected messages
    wire::PacketCommon back{};    // addresses of what its receiver sends about it
    std::uint16_t pdc = 0;        // that its packets come through
    std::uint16_t first_pdc = 0;  // that packets of a first attempt may still come through; 0: it is gone
    wire::UetOperation operation{};
    Stage stage = Stage::kArriving;
    bool tagged = false;
  };
  /// To a READ of a peer.
  struct Answer {
    SesPortId port = 0;
    Key read{};
    std::uint64_t address = 0;
    std::uint32_t key = 0;
    std::uint32_t length = 0;
    std::uint32_t packets = 1;
    std::uint32_t cursor = 0;
    std::uint32_t delivered = 0;
    std::uint32_t serial = 0;
    std::uint32_t job = 0;
    std::optional<std::uint16_t> message{};  // of ours, that it is the rest of
    Code code = Code::kOk;
    std::uint16_t pdc = 0;
  };

  // ses_messenger.cc
  [[nodiscard]] Result<Port*> find(SesPortId port);
  [[nodiscard]] bool allowed(const Port& port, const verbs::Sge& range, verbs::AccessMask access) const;
  [[nodiscard]] Result<void> check_local(const Port& port, const verbs::Sge& local, verbs::AccessMask access) const;
  [[nodiscard]] Result<void> access(SesPortId port, const SesAccess& access, wire::UetOperation operation, Time now);
  void complete(SesCompletion completion) { completions_.push_back(completion); }
  void complete_receive(const Incoming& message, const SesReceive& receive, Code status, Key key);
  [[nodiscard]] wire::PacketCommon common_to(const SesPeer& peer) const;

  // ses_messenger_send.cc
  [[nodiscard]] Result<void> start(Outgoing message, Time now);
  void go_on(std::uint16_t number, Outgoing& message, Time now);
  [[nodiscard]] Outgoing* find(const SesPacket& packet);
  [[nodiscard]] Outgoing* outgoing_to(EndpointId peer, std::uint16_t number);
  void finish(std::uint16_t number, Code status, Time now);
  [[nodiscard]] std::uint16_t fill(const Outgoing& message, std::uint16_t number, std::uint32_t index,
                                   const TransmitSlot& slot);
  [[nodiscard]] SesMessageFields fields_of(const Outgoing& message, const Port* port, std::uint32_t index) const;
  void end_service(Key key, Code status, Time now);

  // ses_messenger_receive.cc
  [[nodiscard]] static SesReception answer(Code code, std::uint32_t taken = 0);
  /// Of the message that a packet belongs to.
  [[nodiscard]] Key key_of(const wire::Packet& packet);
  [[nodiscard]] Code find_port(const wire::Packet& packet, const SesMessageFields& fields, SesPortId& port) const;
  [[nodiscard]] SesReception on_send(const ReceivedPacket& received, const SesMessageFields& fields, std::uint16_t pdc,
                                     Time now);
  [[nodiscard]] SesReception begin(Key key, Incoming message, Time now, bool& taken);
  [[nodiscard]] SesReception begin_unexpected(Key key, Incoming message, bool& taken);
  [[nodiscard]] SesReception place(Key key, Incoming& message, const ReceivedPacket& received, Time now);
  void on_eager_arrived(Key key, Incoming& message, Time now);
  void accept(Key key, const SesReceive& receive, Time now);
  void read_rest(Key key, Incoming& message, Time now);
  void refuse(Key key, Incoming& message, Code status);
  void tell_sender(Key key, const Incoming& message, wire::UetOperation operation, Code status, Time now);
  void release_bytes(Incoming& message);
  void forget(Key key, Incoming& message);

  // ses_messenger_serve.cc
  [[nodiscard]] SesReception on_write(const ReceivedPacket& received, const SesMessageFields& fields);
  [[nodiscard]] SesReception on_read(const ReceivedPacket& received, const SesMessageFields& fields, std::uint16_t pdc,
                                     Time now);
  [[nodiscard]] SesReception on_restart(const ReceivedPacket& received, const SesMessageFields& fields, Time now);
  [[nodiscard]] SesReception on_message_error(const ReceivedPacket& received, const SesMessageFields& fields, Time now);
  [[nodiscard]] Code put(const ReceivedPacket& received, const SesMessageFields& fields);
  [[nodiscard]] Code code_of(const Port& port, std::uint32_t key, std::uint64_t address, std::uint32_t length,
                             verbs::AccessMask access) const;
  [[nodiscard]] SesNext next_answer(std::uint32_t owner, const TransmitSlot& slot);
  [[nodiscard]] std::uint16_t fill(const Answer& answer, std::uint32_t index, const TransmitSlot& slot) const;
  void on_answer_delivered(const SesPacket& packet, Time now);
  void end_answer(std::uint16_t number, Code status, Time now);
  /// The payload goes to the local memory; false: it may not.
  [[nodiscard]] bool copy_in(const Port& port, const verbs::Sge& local, std::uint64_t offset,
                             const ReceivedPacket& received) const;
  [[nodiscard]] bool copy_out(const Port& port, std::uint32_t key, std::uint64_t address, std::uint32_t length,
                              const TransmitSlot& slot) const;

  UetEndpoint& endpoint_;
  verbs::Context& context_;
  std::map<SesPortId, Port> ports_;
  std::map<std::uint64_t, SesPortId> relative_;   // by job and resource
  std::map<std::uint32_t, SesPortId> absolute_;   // by resource
  std::map<std::uint64_t, SesReceive> receives_;  // that wait, by name
  std::map<std::uint16_t, Outgoing> outgoing_;
  std::map<Key, Incoming> incoming_;
  std::map<std::uint16_t, Answer> answers_;
  Ring<SesCompletion> completions_;
  std::uint64_t next_name_ = 1;
  SesPortId next_port_ = 1;
  std::uint32_t next_serial_ = 1;    // attempts, tokens, answers
  std::uint32_t next_incoming_ = 0;  // of those numbered here
  std::uint16_t next_number_ = 1;
  std::uint16_t next_answer_ = 1;
};

}  // namespace weft::transport
