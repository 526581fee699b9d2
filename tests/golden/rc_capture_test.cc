// The RC engine in the place of Linux's soft-RoCE, on either side of captured connections: as responder it gives the
// same answers (opcode, PSN, syndrome, MSN, length), as requester it makes the same requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "tests/golden/rc_conversation.h"
#include "transport/operations.h"
#include "transport/rc_queue_pair.h"
#include "transport/segmentation.h"
#include "wire/aeth_syndrome.h"

namespace weft::testing {
namespace {

using verbs::QpState;
using verbs::WcStatus;
using wire::NakCode;
using wire::Operation;
using wire::SyndromeKind;

/// Memory of the program on our side, large enough for every message of the captures.
constexpr std::size_t kMemory = 256 * 1024;

/// A queue pair connected as the conversation shows, and its device's tables.
struct Device {
  explicit Device(const RcConversation& conversation);

  void connect(const RcConversation& conversation, std::uint8_t rnr_retry);
  std::uint32_t region(std::uint64_t address, std::uint64_t length, verbs::AccessMask access) {
    return context.reg_mr({.pd = pd, .address = address, .length = length, .bytes = memory.data(), .access = access})
        .value();
  }
  /// Takes everything that the queue pair sends now.
  template <class Take>
  void transmit(Take take) {
    std::array<std::byte, 4096> room;
    wire::Packet packet;
    wire::ColdPacket cold;
    while (qp.next_transmit() <= now && qp.poll_transmit({packet, cold, room}, context, now)) {
      take(packet, cold);
    }
  }
  std::vector<verbs::WorkCompletion> completions(verbs::CqHandle queue) {
    std::vector<verbs::WorkCompletion> all(1'000);
    all.resize(context.find_cq(queue)->poll(all));
    return all;
  }

  verbs::Context context{1};
  verbs::PdHandle pd = context.alloc_pd().value();
  verbs::CqHandle send_cq = context.create_cq(1'000).value();
  verbs::CqHandle recv_cq = context.create_cq(1'000).value();
  std::vector<std::byte> memory = std::vector<std::byte>(kMemory);
  transport::RcQueuePair qp;
  Time now;
};

Device::Device(const RcConversation& conversation)
    : qp({.qpn = Qpn(conversation.qpn), .endpoint = EndpointId(1)},
         {.type = verbs::QpType::kRc, .pd = pd, .send_cq = send_cq, .recv_cq = recv_cq},
         {.short_receive_nak = transport::ShortReceiveNak::kRemoteOperational}) {}

void Device::connect(const RcConversation& conversation, std::uint8_t rnr_retry) {
  verbs::QpAttributes to;
  to.access_flags = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic;
  to.path_mtu = conversation.path_mtu();
  to.destination_qpn = Qpn(conversation.qpn);
  to.address.destination = EndpointId(2);
  to.rq_psn = to.sq_psn = conversation.first_psn();
  to.max_rd_atomic = to.max_dest_rd_atomic = 16;
  to.timeout = 0;  // only what the capture holds makes anything happen
  to.rnr_retry = rnr_retry;
  for (const CapturedRcPacket& one : conversation.packets) {
    const std::uint8_t syndrome = one.info().aeth ? one.packet.ib.aeth.syndrome : std::uint8_t{0};
    if (wire::syndrome_kind(syndrome) == SyndromeKind::kRnrNak) {
      to.min_rnr_timer = wire::syndrome_code(syndrome);
    }
  }
  const auto step = [&](QpState state, verbs::QpAttributeMask mask) {
    to.state = state;
    ASSERT_TRUE(qp.modify(to, verbs::kQpState | mask, context, now));
  };
  step(QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags);
  step(QpState::kRtr, verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                          verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer);
  step(QpState::kRts,
       verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic);
}

/// The syndrome with which the next answer that names `psn` refuses the request; nothing if none does.
std::optional<std::uint8_t> refusal_after(const RcConversation& conversation, std::size_t index) {
  const Psn psn = conversation.packets[index].psn();
  for (std::size_t i = index + 1; i < conversation.packets.size(); ++i) {
    const CapturedRcPacket& one = conversation.packets[i];
    if (one.request && one.psn() == psn) {
      return std::nullopt;
    }
    if (one.request || !one.info().aeth || one.psn() < psn) {
      continue;
    }
    const std::uint8_t syndrome = one.packet.ib.aeth.syndrome;
    return wire::syndrome_kind(syndrome) == SyndromeKind::kAck || one.psn() != psn ? std::nullopt
                                                                                   : std::optional(syndrome);
  }
  return std::nullopt;
}

// Our side as responder.

class ResponderReplay {
 public:
  explicit ResponderReplay(const RcConversation& conversation) : conversation_(conversation), device_(conversation) {
    device_.connect(conversation, 7);
    register_memory();
    set_atomic_words();
  }

  std::vector<std::string> run() {
    std::vector<std::string> answers;
    for (std::size_t i = 0; i < conversation_.packets.size(); ++i) {
      if (!conversation_.packets[i].request) {
        continue;
      }
      CapturedRcPacket packet = conversation_.packets[i];
      post_receive_for(i);
      wire::IbTransportHeader& header = packet.packet.ib;
      if ((packet.info().reth || packet.info().atomic) && header.reth.remote_key == captured_key_) {
        header.reth.remote_key = key_;
      }
      device_.qp.on_packet({packet.packet, packet.cold, packet.payload}, device_.context, device_.now);
      device_.transmit(
          [&answers](const wire::Packet& answer, const wire::ColdPacket&) { answers.push_back(answer_text(answer)); });
    }
    return answers;
  }

 private:
  // The program's memory is whatever its peer used; where Linux refused, what the session was made to show.
  void register_memory() {
    std::uint64_t from = ~std::uint64_t{0};
    std::uint64_t to = 0;
    bool refused = false;
    for (std::size_t i = 0; i < conversation_.packets.size(); ++i) {
      const CapturedRcPacket& one = conversation_.packets[i];
      if (!one.request || !(one.info().reth || one.info().atomic)) {
        continue;
      }
      const wire::RethFields& reth = one.packet.ib.reth;
      captured_key_ = reth.remote_key;
      from = std::min(from, reth.virtual_address);
      to = std::max(to, reth.virtual_address + reth.dma_length);
      refused = refused || refusal_after(conversation_, i).has_value();
    }
    if (from > to) {
      return;
    }
    base_ = from;
    verbs::AccessMask access = verbs::kAccessAll;
    if (refused && captured_key_ == kInventedKey) {
      captured_key_ = 0;  // nothing stands for it
    } else if (refused && to / kPage != from / kPage) {
      to = to / kPage * kPage;  // across the end of the region
    } else if (refused) {
      access = verbs::kAccessLocalWrite | verbs::kAccessRemoteRead;  // WRITE to a region for reading
    }
    key_ = device_.region(from, to - from, access);
  }

  // What the first atomic at an address found there.
  void set_atomic_words() {
    for (const CapturedRcPacket& one : conversation_.packets) {
      if (!one.request || !one.info().atomic) {
        continue;
      }
      for (const CapturedRcPacket& answer : conversation_.packets) {
        if (!answer.request && answer.psn() == one.psn()) {
          const std::uint64_t word = answer.packet.ib.aeth.original_data;
          std::memcpy(device_.memory.data() + (one.packet.ib.reth.virtual_address - base_), &word, sizeof word);
          return;
        }
      }
    }
  }

  // The program had posted a receive request for a message that Linux accepted, a short one where Linux found it short,
  // and none where the receiver was not ready.
  void post_receive_for(std::size_t index) {
    const CapturedRcPacket& one = conversation_.packets[index];
    const bool takes_receive = (transport::is_send(one.operation()) && one.info().first) ||
                               (one.info().immediate && transport::is_write(one.operation()));
    if (!takes_receive || one.psn() != device_.qp.responder().expected_psn()) {
      return;
    }
    const std::optional<std::uint8_t> refusal = refusal_after(conversation_, index);
    if (refusal.has_value() && wire::syndrome_kind(*refusal) == SyndromeKind::kRnrNak) {
      return;
    }
    const std::uint32_t length = refusal.has_value() ? one.packet.common.payload_bytes - 1U : kMemory / 2;
    const std::uint64_t address = 1;
    if (receive_key_ == 0) {
      receive_key_ = device_.region(address, kMemory, verbs::kAccessLocalWrite);
    }
    const verbs::Sge element{.address = address, .length = length, .lkey = receive_key_};
    ASSERT_TRUE(
        device_.qp.post_recv({.wr_id = one.number, .sg_list = std::span(&element, 1)}, device_.context, device_.now));
  }

  static constexpr std::uint32_t kInventedKey = 0x12345678;
  static constexpr std::uint64_t kPage = 4096;
  const RcConversation& conversation_;
  Device device_;
  std::uint32_t captured_key_ = 0;
  std::uint32_t key_ = 0;
  std::uint32_t receive_key_ = 0;
  std::uint64_t base_ = 0;
};

/// What Linux answered. One kind of answer is left out and counted: after an RNR NAK, Linux answers the packets that
/// follow with a NAK for a PSN sequence error besides. The specification has one NAK for the packet that is missing and
/// silence until it comes, and the second tells the requester nothing new: weft keeps silent.
struct LinuxAnswers {
  explicit LinuxAnswers(const RcConversation& conversation) {
    bool not_ready = false;
    for (const CapturedRcPacket& one : conversation.packets) {
      if (one.request) {
        continue;
      }
      const std::uint8_t syndrome = one.info().aeth ? one.packet.ib.aeth.syndrome : wire::kSyndromeAckNoCredits;
      if (not_ready && syndrome == wire::nak_syndrome(NakCode::kPsnSequenceError)) {
        ++after_not_ready;
        continue;
      }
      not_ready = wire::syndrome_kind(syndrome) == SyndromeKind::kRnrNak;
      texts.push_back(answer_text(one.packet));
    }
  }
  std::vector<std::string> texts;
  int after_not_ready = 0;
};

class RcCapture : public ::testing::TestWithParam<const char*> {};

//= ibta-1.7 9.7.5
TEST_P(RcCapture, ResponderGivesTheAnswersThatLinuxGave) {
  const auto conversations = rc_conversations(GetParam());
  ASSERT_FALSE(conversations.empty());
  int left_out = 0;
  for (const RcConversation& conversation : conversations) {
    SCOPED_TRACE(::testing::Message() << "QPN " << conversation.qpn);
    const LinuxAnswers expected(conversation);
    left_out += expected.after_not_ready;
    EXPECT_THAT(ResponderReplay(conversation).run(), ::testing::ElementsAreArray(expected.texts));
  }
  EXPECT_EQ(left_out, std::string(GetParam()) == "rxe_rc_all_opcodes_errors_rnr.pcap" ? 2 : 0);
}

// Our side as requester.

class RequesterReplay {
 public:
  explicit RequesterReplay(const RcConversation& conversation)
      : conversation_(conversation), device_(conversation), next_new_(conversation.first_psn()) {
    device_.connect(conversation, rnr_retries());
    key_ = device_.region(kBase, kMemory, verbs::kAccessLocalWrite);
  }

  void run() {
    for (std::size_t i = 0; i < conversation_.packets.size(); ++i) {
      const CapturedRcPacket& one = conversation_.packets[i];
      if (one.request) {
        expect_request(i);
      } else {
        device_.qp.on_packet({one.packet, one.cold, one.payload}, device_.context, device_.now);
        collect();
      }
    }
    EXPECT_TRUE(made_.empty());
    check_completions();
  }

 private:
  static constexpr std::uint64_t kBase = 0x1000;

  // A capture that ends with an RNR NAK shows a requester that gave up: its retries are the NAKs but one.
  [[nodiscard]] std::uint8_t rnr_retries() const {
    const CapturedRcPacket& last = conversation_.packets.back();
    if (last.request || !last.info().aeth ||
        wire::syndrome_kind(last.packet.ib.aeth.syndrome) != SyndromeKind::kRnrNak) {
      return 7;
    }
    const auto refusals = std::ranges::count_if(conversation_.packets, [](const CapturedRcPacket& one) {
      return !one.request && wire::syndrome_kind(one.packet.ib.aeth.syndrome) == SyndromeKind::kRnrNak;
    });
    return static_cast<std::uint8_t>(refusals - 1);
  }

  void collect() {
    device_.transmit([this](const wire::Packet& packet, const wire::ColdPacket& cold) {
      made_.push_back(request_text(packet, cold));
    });
  }

  // The packet was sent by ours too, at the latest when the wait of an RNR NAK is over.
  void expect_request(std::size_t index) {
    const CapturedRcPacket& one = conversation_.packets[index];
    if (one.psn() == next_new_) {
      if (one.info().first) {
        post(index);
      }
      next_new_ += psns_of(one);
    }
    if (made_.empty() && !device_.qp.next_transmit().is_never()) {
      device_.now = later(device_.now, device_.qp.next_transmit());
    }
    collect();
    ASSERT_FALSE(made_.empty()) << "packet " << one.number;
    EXPECT_EQ(made_.front(), request_text(one.packet, one.cold)) << "packet " << one.number;
    made_.erase(made_.begin());
  }

  [[nodiscard]] std::int64_t psns_of(const CapturedRcPacket& one) const {
    return one.operation() == Operation::kReadRequest ? static_cast<std::int64_t>(transport::packet_count(
                                                            one.packet.ib.reth.dma_length, conversation_.path_mtu()))
                                                      : 1;
  }

  /// The request whose first packet this is.
  void post(std::size_t index) {
    const CapturedRcPacket& first = conversation_.packets[index];
    std::uint32_t length = 0;
    const CapturedRcPacket* last = &first;
    if (first.info().payload) {
      Psn psn = first.psn();
      for (std::size_t i = index; i < conversation_.packets.size(); ++i) {
        const CapturedRcPacket& one = conversation_.packets[i];
        if (!one.request || one.psn() != psn) {
          continue;
        }
        length += one.packet.common.payload_bytes;
        last = &one;
        ++psn;
        if (one.info().last) {
          break;
        }
      }
    } else {
      length = first.packet.ib.reth.dma_length;
    }
    const verbs::Sge element{.address = kBase, .length = length, .lkey = key_};
    verbs::SendWr request;
    request.wr_id = ++posted_;
    request.opcode = opcode_of(*last);
    request.send_flags = verbs::kSendSignaled;
    request.sg_list = std::span(&element, 1);
    request.imm_data = request.invalidate_rkey = last->packet.ib.immediate;
    request.rdma = {first.packet.ib.reth.virtual_address, first.packet.ib.reth.remote_key};
    const bool swaps = request.opcode == verbs::WrOpcode::kAtomicCmpAndSwp;
    request.atomic = {swaps ? first.cold.atomic.compare : first.cold.atomic.swap_or_add,
                      swaps ? first.cold.atomic.swap_or_add : 0};
    ASSERT_TRUE(device_.qp.post_send(request, device_.context, device_.now));
  }

  static verbs::WrOpcode opcode_of(const CapturedRcPacket& last) {
    using verbs::WrOpcode;
    const Operation operation = last.operation();
    if (operation == Operation::kReadRequest) {
      return WrOpcode::kRdmaRead;
    }
    if (transport::is_atomic(operation)) {
      return operation == Operation::kCompareSwap ? WrOpcode::kAtomicCmpAndSwp : WrOpcode::kAtomicFetchAndAdd;
    }
    if (transport::is_write(operation)) {
      return last.info().immediate ? WrOpcode::kRdmaWriteWithImm : WrOpcode::kRdmaWrite;
    }
    return last.info().immediate    ? WrOpcode::kSendWithImm
           : last.info().invalidate ? WrOpcode::kSendWithInv
                                    : WrOpcode::kSend;
  }

  /// Every request succeeded, but the last one if Linux's final word was a refusal.
  void check_completions() {
    const auto completions = device_.completions(device_.send_cq);
    ASSERT_EQ(completions.size(), posted_);
    for (const verbs::WorkCompletion& completion : completions) {
      const bool final_one = completion.wr_id == posted_;
      EXPECT_EQ(completion.status, final_one ? final_status() : WcStatus::kSuccess);
    }
  }
  [[nodiscard]] WcStatus final_status() const {
    const wire::Packet& last = conversation_.packets.back().packet;
    const std::uint8_t syndrome = last.ib.aeth.syndrome;
    if (!wire::describe(last.ib.opcode).aeth || wire::syndrome_kind(syndrome) == SyndromeKind::kAck) {
      return WcStatus::kSuccess;
    }
    if (wire::syndrome_kind(syndrome) == SyndromeKind::kRnrNak) {
      return WcStatus::kRnrRetryExcErr;
    }
    return wire::nak_code(syndrome) == NakCode::kRemoteAccessError ? WcStatus::kRemAccessErr : WcStatus::kRemOpErr;
  }

  const RcConversation& conversation_;
  Device device_;
  std::vector<std::string> made_;  // by ours and not yet met in the capture
  Psn next_new_;
  std::uint64_t posted_ = 0;
  std::uint32_t key_ = 0;
};

//= ibta-1.7 9.7.3
TEST_P(RcCapture, RequesterMakesTheRequestsThatLinuxMade) {
  const auto conversations = rc_conversations(GetParam());
  ASSERT_FALSE(conversations.empty());
  for (const RcConversation& conversation : conversations) {
    SCOPED_TRACE(::testing::Message() << "QPN " << conversation.qpn);
    RequesterReplay(conversation).run();
  }
}

INSTANTIATE_TEST_SUITE_P(SoftRoce, RcCapture,
                         ::testing::Values("rxe_rc_send_first48.pcap", "rxe_rc_write.pcap", "rxe_rc_read.pcap",
                                           "rxe_rc_atomic.pcap", "rxe_rc_all_opcodes_errors_rnr.pcap"));

}  // namespace
}  // namespace weft::testing
