// Requests that a correct peer would never send: each is answered with the NAK that the specification asks for, or
// with silence, and memory that the request has no right to stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "tests/property/bad_peer.h"
#include "wire/aeth_syndrome.h"

namespace weft::testing {

// For gtest's messages.
static std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << wire::opcode_name(answer.opcode) << " psn " << answer.psn << " " << wire::syndrome_text(answer.syndrome)
             << " msn " << answer.msn << " payload " << answer.payload;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using verbs::AsyncEventType;
using verbs::QpState;
using verbs::WcStatus;
using verbs::WrOpcode;
using wire::NakCode;
using wire::Operation;

constexpr Psn kFirst(100);  // the victim's expected PSN
constexpr std::uint32_t kMtu = Victim::kMtu;
constexpr std::uint64_t kBase = Victim::kBase;
constexpr std::uint64_t kLength = Victim::kLength;

/// An acknowledgement packet with this PSN and syndrome.
MATCHER_P2(Acknowledges, psn, syndrome, "") {
  return arg.opcode == wire::make_opcode(wire::Service::kRc, Operation::kAcknowledge) && arg.psn == psn &&
         arg.syndrome == syndrome && arg.payload == 0;
}
auto ack(Psn psn) { return Acknowledges(psn, wire::kSyndromeAckNoCredits); }
auto nak(Psn psn, NakCode code) { return Acknowledges(psn, wire::nak_syndrome(code)); }
MATCHER_P3(Responds, operation, psn, payload, "") {
  return arg.operation == operation && arg.psn == psn && arg.payload == payload;
}

Forged send(Operation operation, Psn psn, std::uint32_t payload) {
  return {.operation = operation, .psn = psn, .payload = payload};
}
Forged write(Operation operation, Psn psn, std::uint32_t payload, const wire::RethFields& reth = {}) {
  return {.operation = operation, .psn = psn, .payload = payload, .reth = reth};
}
Forged read(Psn psn, const wire::RethFields& reth) {
  return {.operation = Operation::kReadRequest, .psn = psn, .reth = reth};
}
Forged fetch_add(Psn psn, const wire::RethFields& reth, std::uint64_t addend = 1) {
  return {
      .operation = Operation::kFetchAdd, .psn = psn, .reth = reth, .operands = {.swap_or_add = addend, .compare = 0}};
}

/// The request is refused for good: this NAK for its PSN, the event of an affiliated error, ERR, and silence after.
void expect_fatal(Victim& victim, const Forged& forged, NakCode code) {
  EXPECT_THAT(victim.answers_to(forged), ElementsAre(nak(forged.psn, code)));
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
  EXPECT_EQ(victim.qp->counters().bad_requests, 1U);
  const auto events = victim.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0], code == NakCode::kRemoteAccessError ? AsyncEventType::kQpAccessErr : AsyncEventType::kQpReqErr);
  EXPECT_THAT(victim.answers_to(forged), IsEmpty());
}

/// The same, with no byte of memory changed and no receive request completed other than by the flush.
void expect_refused(Victim& victim, const Forged& forged, NakCode code) {
  expect_fatal(victim, forged, code);
  EXPECT_TRUE(victim.memory_untouched());
  for (const auto& completion : victim.received())
    EXPECT_EQ(completion.status, WcStatus::kWrFlushErr);
}

/// The packet changes nothing but the count of what was discarded.
void expect_dropped(Victim& victim, const Forged& forged) {
  const QpState state = victim.qp->state();
  const Psn expected = victim.qp->responder().expected_psn();
  EXPECT_THAT(victim.answers_to(forged), IsEmpty());
  EXPECT_EQ(victim.qp->counters().discarded, 1U);
  EXPECT_EQ(victim.qp->state(), state);
  EXPECT_EQ(victim.qp->responder().expected_psn(), expected);
  EXPECT_THAT(victim.received(), IsEmpty());
  EXPECT_THAT(victim.events(), IsEmpty());
  EXPECT_TRUE(victim.memory_untouched());
}

// Keys, ranges, rights.

//= ibta-1.7 9.7.4
TEST(RcBadPeer, KeyThatWasNeverGivenIsRemoteAccessError) {
  for (const std::uint32_t wrong : {0U, 0x12345678U, 0xFFFFFFFFU}) {
    Victim writes;
    expect_refused(writes, write(Operation::kWriteOnly, kFirst, 64, {kBase, wrong, 64}), NakCode::kRemoteAccessError);
    Victim reads;
    expect_refused(reads, read(kFirst, {kBase, wrong, 64}), NakCode::kRemoteAccessError);
    Victim adds;
    expect_refused(adds, fetch_add(kFirst, {kBase, wrong, 8}), NakCode::kRemoteAccessError);
  }
}

TEST(RcBadPeer, KeyOfAnotherProtectionDomainIsRemoteAccessError) {
  Victim victim;
  const std::uint32_t foreign = victim.foreign_region();
  expect_refused(victim, write(Operation::kWriteOnly, kFirst, 64, {kBase, foreign, 64}), NakCode::kRemoteAccessError);
}

TEST(RcBadPeer, DeregisteredKeyIsRemoteAccessError) {
  Victim victim;
  const std::uint32_t old = victim.region(verbs::kAccessAll);
  ASSERT_TRUE(victim.context.dereg_mr(old));
  expect_refused(victim, write(Operation::kWriteOnly, kFirst, 64, {kBase, old, 64}), NakCode::kRemoteAccessError);
}

TEST(RcBadPeer, RangeOutsideTheRegionIsRemoteAccessError) {
  const std::uint64_t top = ~std::uint64_t{0};
  const struct {
    std::uint64_t address;
    std::uint32_t length;
  } ranges[] = {{kBase - 1, 64}, {kBase + kLength - 63, 64}, {kBase + kLength, 1},
                {0, 64},         {kBase, kLength + 1},       {top - 31, 64},
                {top, 1},        {kBase - 64, 64},           {kBase + (1ULL << 32), 4}};
  for (const auto& range : ranges) {
    Victim reads;
    expect_refused(reads, read(kFirst, {range.address, reads.key, range.length}), NakCode::kRemoteAccessError);
    Victim writes;
    const bool only = range.length <= kMtu;
    expect_refused(writes,
                   write(only ? Operation::kWriteOnly : Operation::kWriteFirst, kFirst, only ? range.length : kMtu,
                         {range.address, writes.key, range.length}),
                   NakCode::kRemoteAccessError);
  }
}

TEST(RcBadPeer, AtomicOutsideTheRegionIsRemoteAccessError) {
  for (const std::uint64_t address : {kBase - 8, kBase + kLength, ~std::uint64_t{7}}) {
    Victim victim;
    expect_refused(victim, fetch_add(kFirst, {address, victim.key, 8}), NakCode::kRemoteAccessError);
  }
}

TEST(RcBadPeer, RegionWithoutTheRightIsRemoteAccessError) {
  {
    Victim victim;
    const auto key = victim.region(verbs::kAccessLocalWrite | verbs::kAccessRemoteRead | verbs::kAccessRemoteAtomic);
    expect_refused(victim, write(Operation::kWriteOnly, kFirst, 64, {kBase, key, 64}), NakCode::kRemoteAccessError);
  }
  {
    Victim victim;
    const auto key = victim.region(verbs::kAccessLocalWrite | verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic);
    expect_refused(victim, read(kFirst, {kBase, key, 64}), NakCode::kRemoteAccessError);
  }
  {
    Victim victim;
    const auto key = victim.region(verbs::kAccessLocalWrite | verbs::kAccessRemoteWrite | verbs::kAccessRemoteRead);
    expect_refused(victim, fetch_add(kFirst, {kBase, key, 8}), NakCode::kRemoteAccessError);
  }
  {
    Victim victim;
    const auto key = victim.region(0);
    expect_refused(victim, read(kFirst, {kBase, key, 1}), NakCode::kRemoteAccessError);
  }
}

TEST(RcBadPeer, QueuePairWithoutTheRightIsInvalidRequest) {
  Victim writes(Victim::Options{.qp_access = verbs::kAccessRemoteRead | verbs::kAccessRemoteAtomic});
  expect_refused(writes, write(Operation::kWriteOnly, kFirst, 64, writes.all(64)), NakCode::kInvalidRequest);
  Victim reads(Victim::Options{.qp_access = verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic});
  expect_refused(reads, read(kFirst, reads.all(64)), NakCode::kInvalidRequest);
  Victim adds(Victim::Options{.qp_access = verbs::kAccessRemoteWrite | verbs::kAccessRemoteRead});
  expect_refused(adds, fetch_add(kFirst, adds.all(8)), NakCode::kInvalidRequest);
}

TEST(RcBadPeer, RequestOfNoBytesNeedsNoKey) {
  Victim victim;
  const wire::RethFields nowhere{0xDEAD, 0xBEEF, 0};
  Forged empty_write = write(Operation::kWriteOnly, kFirst, 0, nowhere);
  empty_write.flags = wire::kBthAckRequest;
  EXPECT_THAT(victim.answers_to(empty_write), ElementsAre(ack(kFirst)));
  EXPECT_THAT(victim.answers_to(read(kFirst + 1, nowhere)),
              ElementsAre(Responds(Operation::kReadResponseOnly, kFirst + 1, 0U)));
  EXPECT_EQ(victim.qp->state(), QpState::kRts);
  EXPECT_TRUE(victim.memory_untouched());
}

TEST(RcBadPeer, RegionClosedDuringWriteStopsItThere) {
  Victim victim;
  const std::uint32_t key = victim.region(verbs::kAccessAll);
  EXPECT_THAT(victim.answers_to(write(Operation::kWriteFirst, kFirst, kMtu, {kBase, key, 2 * kMtu})), IsEmpty());
  ASSERT_TRUE(victim.context.dereg_mr(key));
  expect_fatal(victim, write(Operation::kWriteLast, kFirst + 1, kMtu), NakCode::kRemoteAccessError);
  EXPECT_TRUE(victim.touched_only(0, kMtu));
}

TEST(RcBadPeer, RegionClosedDuringReadEndsItWithRemoteAccessError) {
  Victim victim;
  const std::uint32_t key = victim.region(verbs::kAccessAll);
  victim.deliver(read(kFirst, {kBase, key, 2 * kMtu}));
  ASSERT_TRUE(victim.context.dereg_mr(key));
  EXPECT_THAT(victim.answers(), ElementsAre(nak(kFirst, NakCode::kRemoteAccessError)));
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
}

//= ibta-1.7 9.4.5
TEST(RcBadPeer, UnalignedAtomicIsInvalidRequest) {
  for (std::uint64_t offset = 1; offset < 8; ++offset) {
    Victim victim;
    expect_refused(victim, fetch_add(kFirst, {kBase + offset, victim.key, 8}), NakCode::kInvalidRequest);
  }
}

// Partitions and services: silence.

//= ibta-1.7 9.6.1.1.1
TEST(RcBadPeer, PacketOfAnotherPartitionIsDropped) {
  const struct {
    std::uint16_t own;
    std::uint16_t theirs;
    bool admitted;
  } cases[] = {{0xFFFF, 0xFFFF, true},  {0xFFFF, 0x7FFF, true},  {0x7FFF, 0xFFFF, true},  {0x7FFF, 0x7FFF, false},
               {0xFFFF, 0x8001, false}, {0x8001, 0xFFFF, false}, {0x8001, 0x0001, true},  {0x0001, 0x0001, false},
               {0xFFFF, 0x0000, false}, {0xFFFF, 0x8000, false}, {0x8002, 0x8001, false}, {0x1234, 0x9234, true}};
  for (const auto& one : cases) {
    SCOPED_TRACE(::testing::Message() << std::hex << one.own << " " << one.theirs);
    Victim victim(Victim::Options{.partition_key = one.own});
    Forged forged = write(Operation::kWriteOnly, kFirst, 64, victim.all(64));
    forged.partition_key = one.theirs;
    forged.flags = wire::kBthAckRequest;
    if (one.admitted) {
      EXPECT_THAT(victim.answers_to(forged), ElementsAre(ack(kFirst)));
      EXPECT_TRUE(victim.touched_only(0, 64));
    } else {
      expect_dropped(victim, forged);
    }
  }
}

TEST(RcBadPeer, PacketOfAnotherServiceIsDropped) {
  for (const auto service : {wire::Service::kUc, wire::Service::kRd, wire::Service::kUd, wire::Service::kXrc,
                             wire::Service::kReserved, wire::Service::kManufacturer}) {
    for (const Operation operation : {Operation::kSendOnly, Operation::kWriteOnly, Operation::kReadRequest}) {
      Victim victim;
      victim.post_recv(1, 1'000);
      Forged forged = write(operation, kFirst, operation == Operation::kReadRequest ? 0 : 64, victim.all(64));
      forged.service = service;
      expect_dropped(victim, forged);
    }
  }
}

//= ibta-1.7 9.7.4
TEST(RcBadPeer, ReservedOperationIsInvalidRequest) {
  for (const unsigned operation : {0x15U, 0x18U, 0x19U, 0x1AU, 0x1BU, 0x1CU, 0x1DU, 0x1EU, 0x1FU}) {
    SCOPED_TRACE(operation);
    Victim victim;
    expect_refused(victim, {.operation = static_cast<Operation>(operation), .psn = kFirst}, NakCode::kInvalidRequest);
  }
}

// Order of opcodes.

/// All requests that a message may begin with, all that may not.
constexpr Operation kBeginnings[] = {
    Operation::kSendFirst,   Operation::kSendOnly,  Operation::kSendOnlyImmediate,  Operation::kSendOnlyInvalidate,
    Operation::kWriteFirst,  Operation::kWriteOnly, Operation::kWriteOnlyImmediate, Operation::kReadRequest,
    Operation::kCompareSwap, Operation::kFetchAdd};
constexpr Operation kSendRests[] = {Operation::kSendMiddle, Operation::kSendLast, Operation::kSendLastImmediate,
                                    Operation::kSendLastInvalidate};
constexpr Operation kWriteRests[] = {Operation::kWriteMiddle, Operation::kWriteLast, Operation::kWriteLastImmediate};

std::uint32_t natural_payload(Operation operation) {
  return wire::describe(wire::make_opcode(wire::Service::kRc, operation)).payload ? kMtu : 0;
}

//= ibta-1.7 9.7.4
TEST(RcBadPeer, MessageThatBeginsInItsMiddleIsInvalidRequest) {
  const auto check = [](Operation operation) {
    SCOPED_TRACE(wire::opcode_name(wire::make_opcode(wire::Service::kRc, operation)));
    Victim victim;
    victim.post_recv(1, 4'096);
    expect_refused(victim, write(operation, kFirst, kMtu, victim.all(kMtu)), NakCode::kInvalidRequest);
  };
  for (const Operation operation : kSendRests)
    check(operation);
  for (const Operation operation : kWriteRests)
    check(operation);
}

/// `second` in the middle of a message that `first` began: refused, and only `first` has touched memory.
void expect_out_of_sequence(Operation first, Operation second) {
  SCOPED_TRACE(wire::opcode_name(wire::make_opcode(wire::Service::kRc, second)));
  Victim victim;
  victim.post_recv(1, 4'096);
  victim.post_recv(2, 4'096);
  EXPECT_THAT(victim.answers_to(write(first, kFirst, kMtu, victim.all(3 * kMtu))), IsEmpty());
  const bool atomic = second == Operation::kCompareSwap || second == Operation::kFetchAdd;
  expect_fatal(victim, write(second, kFirst + 1, natural_payload(second), victim.all(atomic ? 8 : kMtu)),
               NakCode::kInvalidRequest);
  EXPECT_TRUE(victim.touched_only(0, kMtu));
  EXPECT_EQ(victim.received().size(), 2U);
}

//= ibta-1.7 9.7.4
TEST(RcBadPeer, MessageBegunInsideAnotherIsInvalidRequest) {
  for (const Operation second : kBeginnings) {
    expect_out_of_sequence(Operation::kSendFirst, second);
    expect_out_of_sequence(Operation::kWriteFirst, second);
  }
}

TEST(RcBadPeer, SendContinuedAsWriteAndWriteContinuedAsSendAreInvalidRequests) {
  for (const Operation second : kWriteRests)
    expect_out_of_sequence(Operation::kSendFirst, second);
  for (const Operation second : kSendRests)
    expect_out_of_sequence(Operation::kWriteFirst, second);
}

// Lengths.

//= ibta-1.7 9.7.4
TEST(RcBadPeer, FirstPacketThatIsNotFullIsInvalidRequest) {
  for (const std::uint32_t payload : {0U, 1U, kMtu - 1, kMtu + 1, 4'096U}) {
    Victim sends;
    sends.post_recv(1, 4'096);
    EXPECT_THAT(sends.answers_to(send(Operation::kSendFirst, kFirst, payload)),
                ElementsAre(nak(kFirst, NakCode::kInvalidRequest)));
    EXPECT_TRUE(sends.memory_untouched());
    Victim writes;
    expect_refused(writes, write(Operation::kWriteFirst, kFirst, payload, writes.all(8'192)), NakCode::kInvalidRequest);
  }
}

TEST(RcBadPeer, MiddlePacketThatIsNotFullIsInvalidRequest) {
  for (const std::uint32_t payload : {0U, kMtu - 1, kMtu + 1}) {
    for (const bool sends : {true, false}) {
      Victim victim;
      victim.post_recv(1, 8'192);
      victim.deliver(write(sends ? Operation::kSendFirst : Operation::kWriteFirst, kFirst, kMtu, victim.all(8'192)));
      expect_fatal(victim, write(sends ? Operation::kSendMiddle : Operation::kWriteMiddle, kFirst + 1, payload),
                   NakCode::kInvalidRequest);
      EXPECT_TRUE(victim.touched_only(0, kMtu));
    }
  }
}

TEST(RcBadPeer, LastPacketThatIsEmptyOrAboveTheMtuIsInvalidRequest) {
  for (const std::uint32_t payload : {0U, kMtu + 1}) {
    for (const Operation last : {Operation::kSendLast, Operation::kSendLastImmediate, Operation::kSendLastInvalidate,
                                 Operation::kWriteLast, Operation::kWriteLastImmediate}) {
      Victim victim;
      victim.post_recv(1, 8'192);
      const bool writes = last == Operation::kWriteLast || last == Operation::kWriteLastImmediate;
      // One byte more than the first packet holds, so that only the last packet is wrong.
      const std::uint32_t rest = std::max(payload, 1U);
      victim.deliver(
          write(writes ? Operation::kWriteFirst : Operation::kSendFirst, kFirst, kMtu, victim.all(kMtu + rest)));
      expect_fatal(victim, write(last, kFirst + 1, payload), NakCode::kInvalidRequest);
      EXPECT_TRUE(victim.touched_only(0, kMtu));
    }
  }
}

TEST(RcBadPeer, OnlyPacketAboveTheMtuIsInvalidRequest) {
  Victim victim;
  victim.post_recv(1, 8'192);
  expect_refused(victim, send(Operation::kSendOnly, kFirst, kMtu + 1), NakCode::kInvalidRequest);
}

TEST(RcBadPeer, ReadOrAtomicWithPayloadIsInvalidRequest) {
  for (const Operation operation : {Operation::kReadRequest, Operation::kCompareSwap, Operation::kFetchAdd}) {
    Victim victim;
    expect_refused(victim, write(operation, kFirst, 4, victim.all(8)), NakCode::kInvalidRequest);
  }
}

TEST(RcBadPeer, WriteShorterOrLongerThanItsLengthIsInvalidRequest) {
  for (const std::uint32_t announced : {0U, 63U, 65U, kMtu, 2 * kMtu}) {
    Victim victim;
    expect_refused(victim, write(Operation::kWriteOnly, kFirst, 64, victim.all(announced)), NakCode::kInvalidRequest);
  }
  // The first packet already holds everything that was announced, or more.
  for (const std::uint32_t announced : {0U, kMtu - 1, kMtu}) {
    Victim victim;
    expect_refused(victim, write(Operation::kWriteFirst, kFirst, kMtu, victim.all(announced)),
                   NakCode::kInvalidRequest);
  }
  for (const std::uint32_t last : {99U, 101U, kMtu}) {
    Victim victim;
    victim.deliver(write(Operation::kWriteFirst, kFirst, kMtu, victim.all(kMtu + 100)));
    expect_fatal(victim, write(Operation::kWriteLast, kFirst + 1, last), NakCode::kInvalidRequest);
    EXPECT_TRUE(victim.touched_only(0, kMtu));
  }
}

TEST(RcBadPeer, WriteThatGoesOnBeyondItsLengthIsInvalidRequest) {
  Victim victim;
  victim.deliver(write(Operation::kWriteFirst, kFirst, kMtu, victim.all(2 * kMtu)));
  expect_fatal(victim, write(Operation::kWriteMiddle, kFirst + 1, kMtu), NakCode::kInvalidRequest);
  EXPECT_TRUE(victim.touched_only(0, kMtu));
}

TEST(RcBadPeer, RequestOfMoreThan2To31BytesIsInvalidRequest) {
  const std::uint32_t too_long = (1U << 31) + 1;
  Victim reads;
  expect_refused(reads, read(kFirst, reads.all(too_long)), NakCode::kInvalidRequest);
  Victim writes;
  expect_refused(writes, write(Operation::kWriteFirst, kFirst, kMtu, writes.all(too_long)), NakCode::kInvalidRequest);
}

//= ibta-1.7 9.7.4
TEST(RcBadPeer, SendLongerThanItsBufferFailsBothEnds) {
  const struct {
    transport::ShortReceiveNak option;
    NakCode code;
  } cases[] = {{transport::ShortReceiveNak::kInvalidRequest, NakCode::kInvalidRequest},
               {transport::ShortReceiveNak::kRemoteOperational, NakCode::kRemoteOperationalError}};
  for (const auto& one : cases) {
    Victim only(Victim::Options{.rc = {.short_receive_nak = one.option}});
    only.post_recv(1, 63);
    only.post_recv(2, 63);
    expect_fatal(only, send(Operation::kSendOnly, kFirst, 64), one.code);
    EXPECT_TRUE(only.memory_untouched());
    const auto completions = only.received();
    ASSERT_EQ(completions.size(), 2U);
    EXPECT_EQ(completions[0].status, WcStatus::kLocLenErr);
    EXPECT_EQ(completions[0].wr_id, 1U);
    EXPECT_EQ(completions[1].status, WcStatus::kWrFlushErr);

    Victim longer(Victim::Options{.rc = {.short_receive_nak = one.option}});
    longer.post_recv(1, kMtu + 63);
    longer.deliver(send(Operation::kSendFirst, kFirst, kMtu));
    expect_fatal(longer, send(Operation::kSendLast, kFirst + 1, 64), one.code);
    EXPECT_TRUE(longer.touched_only(0, kMtu));
    EXPECT_EQ(longer.received()[0].status, WcStatus::kLocLenErr);
  }
}

TEST(RcBadPeer, SendIntoMemoryThatWasClosedIsRemoteOperationalError) {
  Victim victim;
  victim.post_recv(1, 1'000);
  ASSERT_TRUE(victim.context.dereg_mr(victim.key));
  expect_fatal(victim, send(Operation::kSendOnly, kFirst, 64), NakCode::kRemoteOperationalError);
  EXPECT_EQ(victim.received()[0].status, WcStatus::kLocProtErr);
  EXPECT_TRUE(victim.memory_untouched());
}

// Invalidation.

TEST(RcBadPeer, SendMayInvalidateOnlyWhatAllowsIt) {
  {
    Victim victim;
    const std::uint32_t key = victim.invalidatable_region();
    victim.post_recv(1, 1'000);
    Forged forged = send(Operation::kSendOnlyInvalidate, kFirst, 64);
    forged.immediate = key;
    forged.flags = wire::kBthAckRequest;
    EXPECT_THAT(victim.answers_to(forged), ElementsAre(ack(kFirst)));
    const auto completions = victim.received();
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].invalidated_rkey, key);
    expect_fatal(victim, write(Operation::kWriteOnly, kFirst + 1, 64, {kBase, key, 64}), NakCode::kRemoteAccessError);
    EXPECT_TRUE(victim.touched_only(0, 64));
  }
  Victim probe;
  const std::uint32_t foreign = probe.foreign_region();
  for (const std::uint32_t key : {probe.key, foreign, 0U, 0x12345678U}) {
    Victim victim;
    ASSERT_EQ(victim.foreign_region(), foreign);
    victim.post_recv(1, 1'000);
    Forged forged = send(Operation::kSendOnlyInvalidate, kFirst, 64);
    forged.immediate = key;
    expect_fatal(victim, forged, NakCode::kRemoteAccessError);
    EXPECT_EQ(victim.received()[0].status, WcStatus::kRemInvReqErr);
    EXPECT_NE(victim.context.memory().find(victim.key), nullptr);
    EXPECT_TRUE(victim.touched_only(0, 64));
  }
}

// Packet sequence numbers.

//= ibta-1.7 9.7.5
TEST(RcBadPeer, GapIsAnsweredByOneNakUntilTheExpectedPacketComes) {
  for (const std::uint32_t ahead : {1U, 2U, 1'000U, (1U << 23) - 1}) {
    Victim victim;
    victim.post_recv(1, 1'000);
    const Forged early = write(Operation::kWriteOnly, kFirst + ahead, 64, victim.all(64));
    EXPECT_THAT(victim.answers_to(early), ElementsAre(nak(kFirst, NakCode::kPsnSequenceError)));
    EXPECT_THAT(victim.answers_to(early), IsEmpty());
    EXPECT_THAT(victim.answers_to(send(Operation::kSendMiddle, kFirst + 1, 3)), IsEmpty());
    EXPECT_TRUE(victim.memory_untouched());
    EXPECT_EQ(victim.qp->counters().out_of_sequence, 3U);
    Forged due = write(Operation::kWriteOnly, kFirst, 64, victim.all(64));
    due.flags = wire::kBthAckRequest;
    EXPECT_THAT(victim.answers_to(due), ElementsAre(ack(kFirst)));
    EXPECT_THAT(victim.answers_to(write(Operation::kWriteOnly, kFirst + 2, 64, victim.all(64))),
                ElementsAre(nak(kFirst + 1, NakCode::kPsnSequenceError)));
    EXPECT_EQ(victim.qp->state(), QpState::kRts);
  }
}

TEST(RcBadPeer, PsnHalfTheSpaceBehindIsStillADuplicate) {
  Victim victim;
  victim.post_recv(1, 1'000);
  for (const std::uint32_t behind : {1U, 99U, 101U, 1U << 23}) {
    EXPECT_THAT(victim.answers_to(send(Operation::kSendOnly, kFirst - behind, 64)), ElementsAre(ack(kFirst - 1)));
  }
  EXPECT_TRUE(victim.memory_untouched());
  EXPECT_THAT(victim.received(), IsEmpty());
  EXPECT_EQ(victim.qp->counters().duplicate_request, 4U);
}

//= ibta-1.7 9.7.5
TEST(RcBadPeer, RepeatedSendAndWriteAreAcknowledgedButNotExecuted) {
  Victim victim;
  victim.post_recv(1, 64);
  victim.post_recv(2, 64);
  Forged sends = send(Operation::kSendOnly, kFirst, 64);
  sends.flags = wire::kBthAckRequest;
  EXPECT_THAT(victim.answers_to(sends), ElementsAre(ack(kFirst)));
  Forged writes = write(Operation::kWriteOnly, kFirst + 1, 64, {kBase + 1'000, victim.key, 64});
  writes.flags = wire::kBthAckRequest;
  EXPECT_THAT(victim.answers_to(writes), ElementsAre(ack(kFirst + 1)));
  std::ranges::fill(victim.memory(), Victim::kUntouched);
  EXPECT_THAT(victim.answers_to(sends), ElementsAre(ack(kFirst + 1)));
  EXPECT_THAT(victim.answers_to(writes), ElementsAre(ack(kFirst + 1)));
  EXPECT_TRUE(victim.memory_untouched());
  EXPECT_EQ(victim.received().size(), 1U);
  EXPECT_EQ(victim.qp->responder().msn(), Psn(2));
}

TEST(RcBadPeer, RepeatedAtomicIsAnsweredWithItsFirstResultAndNotExecuted) {
  Victim victim;
  const std::uint64_t before = 41;
  std::memcpy(victim.memory().data(), &before, 8);
  const Forged add = fetch_add(kFirst, victim.all(8), 1);
  for (int time = 0; time < 3; ++time) {
    EXPECT_THAT(victim.answers_to(add), ElementsAre(Responds(Operation::kAtomicAcknowledge, kFirst, 0U)));
    std::uint64_t now = 0;
    std::memcpy(&now, victim.memory().data(), 8);
    EXPECT_EQ(now, 42U);
  }
  // The same PSN for another target is not a repetition.
  Forged other = add;
  other.reth.virtual_address += 8;
  EXPECT_THAT(victim.answers_to(other), IsEmpty());
}

TEST(RcBadPeer, RepeatedReadIsAnsweredFromWhereItAsks) {
  Victim victim;
  EXPECT_EQ(victim.answers_to(read(kFirst, victim.all(3 * kMtu))).size(), 3U);
  EXPECT_THAT(victim.answers_to(read(kFirst + 1, {kBase + kMtu, victim.key, 2 * kMtu})),
              ElementsAre(Responds(Operation::kReadResponseFirst, kFirst + 1, kMtu),
                          Responds(Operation::kReadResponseLast, kFirst + 2, kMtu)));
  EXPECT_THAT(victim.answers_to(read(kFirst + 2, {kBase + 2 * kMtu, victim.key, kMtu})),
              ElementsAre(Responds(Operation::kReadResponseOnly, kFirst + 2, kMtu)));
  EXPECT_EQ(victim.qp->responder().msn(), Psn(1));
}

TEST(RcBadPeer, RepeatedReadOfSomethingElseIsDropped) {
  const auto changed = [](auto change) {
    Victim victim;
    Forged request = read(kFirst, victim.all(3 * kMtu));
    EXPECT_EQ(victim.answers_to(request).size(), 3U);
    change(victim, request);
    EXPECT_THAT(victim.answers_to(request), IsEmpty());
    EXPECT_EQ(victim.qp->counters().discarded, 1U);
    EXPECT_EQ(victim.qp->state(), QpState::kRts);
  };
  changed([](Victim&, Forged& request) { request.reth.virtual_address += 1; });
  changed([](Victim&, Forged& request) { request.reth.virtual_address += kMtu; });
  changed([](Victim&, Forged& request) { request.reth.virtual_address = ~std::uint64_t{0} - kMtu; });
  changed([](Victim&, Forged& request) { request.reth.dma_length += 1; });
  changed([](Victim&, Forged& request) { request.reth.dma_length = 0xFFFFFFFF; });
  changed([](Victim&, Forged& request) { request.psn = request.psn + 1; });
  changed([](Victim&, Forged& request) { request.psn = request.psn - 1; });
  changed([](Victim&, Forged& request) { request.operation = Operation::kFetchAdd; });
  changed([](Victim& victim, Forged& request) { request.reth.remote_key = victim.region(verbs::kAccessAll); });
}

TEST(RcBadPeer, RepeatedReadOfARegionClosedSinceIsRemoteAccessError) {
  Victim victim;
  const std::uint32_t key = victim.region(verbs::kAccessAll);
  EXPECT_EQ(victim.answers_to(read(kFirst, {kBase, key, kMtu})).size(), 1U);
  ASSERT_TRUE(victim.context.dereg_mr(key));
  EXPECT_THAT(victim.answers_to(read(kFirst, {kBase, key, kMtu})),
              ElementsAre(nak(kFirst, NakCode::kRemoteAccessError)));
}

//= ibta-1.7 9.7.4
TEST(RcBadPeer, MoreReadsThanAgreedIsInvalidRequest) {
  Victim victim;  // max_dest_rd_atomic = 2
  victim.deliver(read(kFirst, victim.all(64)));
  victim.deliver(fetch_add(kFirst + 1, victim.all(8), 0));
  EXPECT_EQ(victim.qp->state(), QpState::kRts);
  victim.deliver(read(kFirst + 2, victim.all(64)));
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
  const auto answers = victim.answers();
  ASSERT_FALSE(answers.empty());
  EXPECT_THAT(answers.back(), nak(kFirst + 2, NakCode::kInvalidRequest));

  Victim none(Victim::Options{.max_dest_rd_atomic = 0});
  expect_refused(none, read(kFirst, none.all(64)), NakCode::kInvalidRequest);
}

// A timeout that was too early: the READ is repeated, both answers are under way, and the first one lets the requester
// go on to its next READ while the second is still being sent.
TEST(RcBadPeer, NewReadDuringTheRepetitionOfAnAnsweredOneIsAdmitted) {
  Victim victim(Victim::Options{.max_dest_rd_atomic = 1});
  EXPECT_EQ(victim.answers_to(read(kFirst, victim.all(2 * kMtu))).size(), 2U);
  victim.deliver(read(kFirst, victim.all(2 * kMtu)));
  EXPECT_THAT(victim.answers_to(read(kFirst + 2, victim.all(kMtu))),
              ElementsAre(Responds(Operation::kReadResponseOnly, kFirst + 2, kMtu)));
  EXPECT_EQ(victim.qp->state(), QpState::kRts);
}

// Receiver not ready.

TEST(RcBadPeer, RequestWithoutReceiveIsAskedToWaitAndLeavesMemoryAlone) {
  Victim victim;
  const auto not_ready = [](Psn psn) { return Acknowledges(psn, wire::rnr_syndrome(12)); };
  const Forged sends = send(Operation::kSendOnly, kFirst, 64);
  const Forged writes = write(Operation::kWriteOnlyImmediate, kFirst, 64, victim.all(64));
  EXPECT_THAT(victim.answers_to(sends), ElementsAre(not_ready(kFirst)));
  // Silence for what follows, one more refusal each time the packet itself comes again.
  EXPECT_THAT(victim.answers_to(send(Operation::kSendOnly, kFirst + 1, 64)), IsEmpty());
  EXPECT_THAT(victim.answers_to(writes), ElementsAre(not_ready(kFirst)));
  EXPECT_TRUE(victim.memory_untouched());
  EXPECT_EQ(victim.qp->responder().expected_psn(), kFirst);
  EXPECT_EQ(victim.qp->responder().msn(), Psn(0));
  // Rights come before readiness: a request that may never succeed is not asked to wait.
  expect_refused(victim, write(Operation::kWriteOnlyImmediate, kFirst, 64, {kBase, 0x12345678, 64}),
                 NakCode::kRemoteAccessError);
}

// The extensions.

constexpr transport::RcOptions kPlacing{.loss_recovery = transport::LossRecovery::kSelectiveRepeat,
                                        .out_of_order_placement = true};

Forged placeable(Operation operation, Psn psn, std::uint32_t payload, const wire::RethFields& reth) {
  Forged forged = write(operation, psn, payload, reth);
  forged.service = wire::Service::kManufacturer;
  return forged;
}

TEST(RcBadPeer, EarlyWriteIsPlacedOnlyWithTheRightTo) {
  const auto early = [](const wire::RethFields& reth, const Victim::Options& options) {
    Victim victim(options);
    EXPECT_THAT(victim.answers_to(placeable(Operation::kWriteMiddle, kFirst + 1, kMtu, reth)), IsEmpty());
    EXPECT_TRUE(victim.memory_untouched());
    EXPECT_EQ(victim.qp->state(), QpState::kRts);
  };
  const std::uint32_t key = Victim().key;  // the same in every victim
  early({kBase, 0x12345678, kMtu}, {.rc = kPlacing});
  early({kBase - 1, key, kMtu}, {.rc = kPlacing});
  early({kBase + kLength - kMtu + 1, key, kMtu}, {.rc = kPlacing});
  early({kBase, key, kMtu - 1}, {.rc = kPlacing});
  early({kBase, key, kMtu}, {.rc = kPlacing, .qp_access = verbs::kAccessRemoteRead});

  Victim victim(Victim::Options{.rc = kPlacing});
  EXPECT_EQ(victim.answers_to(placeable(Operation::kWriteMiddle, kFirst + 1, kMtu, {kBase, key, kMtu})).size(), 1U);
  EXPECT_TRUE(victim.touched_only(0, kMtu));
  EXPECT_EQ(victim.memory()[0], Victim::kForgedByte);
}

TEST(RcBadPeer, EarlyWriteWithoutTheRightIsRefusedInItsTurn) {
  Victim victim(Victim::Options{.rc = kPlacing});
  const Forged wrong = placeable(Operation::kWriteLast, kFirst + 1, kMtu, {kBase, 0x12345678, kMtu});
  EXPECT_THAT(victim.answers_to(wrong), IsEmpty());
  (void)victim.answers_to(placeable(Operation::kWriteFirst, kFirst, kMtu, victim.all(kMtu)));
  expect_fatal(victim, wrong, NakCode::kRemoteAccessError);
  EXPECT_TRUE(victim.touched_only(0, kMtu));
}

TEST(RcBadPeer, HeldPacketThatBreaksTheSequenceIsRefusedWhenTheGapCloses) {
  Victim victim(Victim::Options{.rc = {.loss_recovery = transport::LossRecovery::kSelectiveRepeat}});
  victim.post_recv(1, 4'096);
  EXPECT_EQ(victim.answers_to(send(Operation::kSendMiddle, kFirst + 1, kMtu)).size(), 1U);
  EXPECT_TRUE(victim.memory_untouched());
  EXPECT_THAT(victim.answers_to(write(Operation::kWriteOnly, kFirst, 64, victim.all(64))),
              ElementsAre(nak(kFirst + 1, NakCode::kInvalidRequest)));
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
  EXPECT_TRUE(victim.touched_only(0, 64));
}

TEST(RcBadPeer, HeldPacketThatBreaksTheSequenceFailsTheQueuePairAsSoonAsAMiddleOnTheFastPathClosesTheGap) {
  Victim victim(Victim::Options{.rc = kPlacing});
  (void)victim.answers_to(placeable(Operation::kWriteFirst, kFirst, kMtu, victim.all(kMtu)));
  (void)victim.answers_to(send(Operation::kSendMiddle, kFirst + 2, kMtu));
  Forged middle = placeable(Operation::kWriteMiddle, kFirst + 1, kMtu, victim.all(kMtu));
  middle.length_alone = true;
  victim.deliver(middle);
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
  EXPECT_THAT(victim.answers(), ElementsAre(nak(kFirst + 2, NakCode::kInvalidRequest)));
}

TEST(RcBadPeer, FloodOfEarlyPacketsIsHeldOnlyUpToTheCapacity) {
  constexpr transport::SelectiveRepeatOptions kTen{.reorder_capacity = 10};
  Victim victim(
      Victim::Options{.rc = {.loss_recovery = transport::LossRecovery::kSelectiveRepeat, .selective_repeat = &kTen}});
  for (std::uint32_t ahead = 1; ahead < 1'000; ++ahead)
    victim.deliver(send(Operation::kSendMiddle, kFirst + ahead, kMtu));
  EXPECT_EQ(victim.qp->responder().held_packets(), 10U);
  EXPECT_EQ(victim.qp->state(), QpState::kRts);
  EXPECT_TRUE(victim.memory_untouched());
}

// States.

TEST(RcBadPeer, PacketBeforeReadyToReceiveIsDropped) {
  for (const QpState state : {QpState::kReset, QpState::kInit}) {
    Victim victim(Victim::Options{.state = state});
    expect_dropped(victim, write(Operation::kWriteOnly, Psn(), 64, victim.all(64)));
  }
}

TEST(RcBadPeer, PacketInErrorStateIsDropped) {
  Victim victim;
  victim.modify(QpState::kErr);
  expect_dropped(victim, write(Operation::kWriteOnly, kFirst, 64, victim.all(64)));
}

TEST(RcBadPeer, QueuePairMovedToErrorSendsNothingMore) {
  Victim victim;
  victim.deliver(read(kFirst, victim.all(8 * kMtu)));
  Forged forged = write(Operation::kWriteOnly, kFirst + 8, 64, victim.all(64));
  forged.flags = wire::kBthAckRequest;
  victim.deliver(forged);
  victim.modify(QpState::kErr);
  EXPECT_TRUE(victim.qp->next_transmit().is_never());
  EXPECT_THAT(victim.answers(), IsEmpty());
}

TEST(RcBadPeer, AnswerBeforeReadyToSendIsDropped) {
  Victim victim(Victim::Options{.state = QpState::kRtr});
  expect_dropped(victim, {.operation = Operation::kAcknowledge, .psn = Psn(500), .aeth = {0, Psn(1), 0x1F}});
}

TEST(RcBadPeer, FullCompletionQueueFailsTheQueuePair) {
  Victim victim(Victim::Options{.cq_capacity = 1});
  victim.post_recv(1, 64);
  victim.post_recv(2, 64);
  EXPECT_THAT(victim.answers_to(send(Operation::kSendOnly, kFirst, 64)), IsEmpty());
  EXPECT_THAT(victim.answers_to(send(Operation::kSendOnly, kFirst + 1, 64)),
              ElementsAre(nak(kFirst + 1, NakCode::kRemoteOperationalError)));
  EXPECT_EQ(victim.qp->state(), QpState::kErr);
  EXPECT_THAT(victim.events(), ::testing::Contains(AsyncEventType::kCqErr));
}

//= ibta-1.7 A17.9.3
TEST(RcBadPeer, NotificationWithoutCongestionControlChangesNothing) {
  Victim victim;
  Forged cnp{.psn = kFirst};
  cnp.service = wire::Service::kCnp;
  cnp.flags = wire::kBthBecn;
  for (const unsigned low : {0U, 1U}) {
    cnp.operation = static_cast<Operation>(low);
    EXPECT_THAT(victim.answers_to(cnp), IsEmpty());
  }
  EXPECT_EQ(victim.qp->state(), QpState::kRts);
  EXPECT_EQ(victim.qp->responder().expected_psn(), kFirst);
}

}  // namespace
}  // namespace weft::testing
