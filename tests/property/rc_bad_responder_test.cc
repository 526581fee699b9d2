// Answers that a correct responder would never send: forged, late, of the wrong kind or length. The requester drops
// them or fails the request that they belong to; it never completes a request that was not answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/property/bad_peer.h"
#include "wire/aeth_syndrome.h"

namespace weft::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using verbs::QpState;
using verbs::WcStatus;
using verbs::WrOpcode;
using wire::NakCode;
using wire::Operation;

constexpr Psn kFirst(500);  // the victim's first PSN as requester
constexpr std::uint32_t kMtu = Victim::kMtu;

Forged answer(Operation operation, Psn psn, std::uint32_t payload = 0) {
  return {.operation = operation,
          .psn = psn,
          .payload = payload,
          .aeth = {.original_data = 99, .msn = Psn(1), .syndrome = wire::kSyndromeAckNoCredits}};
}
Forged with_syndrome(Psn psn, unsigned syndrome) {
  Forged forged = answer(Operation::kAcknowledge, psn);
  forged.aeth.syndrome = static_cast<std::uint8_t>(syndrome);
  return forged;
}
Forged nak(Psn psn, NakCode code) { return with_syndrome(psn, wire::nak_syndrome(code)); }

/// A victim that has sent one request, which takes `packets` packets or answers.
struct Asking {
  explicit Asking(WrOpcode opcode, std::uint32_t length = 3 * kMtu) {
    victim.post_send(opcode, length);
    (void)victim.answers();
  }
  /// The packet is counted as discarded; the request waits on.
  void expect_dropped(const Forged& forged) {
    const std::uint32_t before = victim.qp->counters().discarded;
    EXPECT_THAT(victim.answers_to(forged), IsEmpty());
    EXPECT_EQ(victim.qp->counters().discarded, before + 1);
    expect_waiting();
  }
  void expect_waiting() {
    EXPECT_EQ(victim.qp->state(), QpState::kRts);
    EXPECT_EQ(victim.qp->requester().queued(), 1U);
    EXPECT_THAT(victim.sent(), IsEmpty());
    EXPECT_TRUE(victim.memory_untouched());
  }
  void expect_failed(const Forged& forged, WcStatus status) {
    EXPECT_THAT(victim.answers_to(forged), IsEmpty());
    EXPECT_EQ(victim.qp->state(), QpState::kErr);
    const auto completions = victim.sent();
    ASSERT_THAT(completions, SizeIs(1));
    EXPECT_EQ(completions[0].status, status);
  }
  Victim victim;
};

//= ibta-1.7 9.7.6
TEST(RcBadResponder, AnswerOutsideTheWindowIsDropped) {
  for (const Psn psn : {kFirst - 1, kFirst - 1'000, kFirst + 3, kFirst + 1'000, kFirst + Psn::kHalf}) {
    for (const unsigned syndrome : {0x1FU, 0x00U, 0x21U, 0x60U, 0x61U, 0x62U, 0x63U}) {
      Asking writes(WrOpcode::kRdmaWrite);
      writes.expect_dropped(with_syndrome(psn, syndrome));
    }
    Asking reads(WrOpcode::kRdmaRead);
    reads.expect_dropped(answer(Operation::kReadResponseOnly, psn, kMtu));
    Asking adds(WrOpcode::kAtomicFetchAndAdd, 8);
    adds.expect_dropped(answer(Operation::kAtomicAcknowledge, psn));
  }
}

TEST(RcBadResponder, AnswerWhenNothingWasAskedIsDropped) {
  for (const Operation operation : {Operation::kAcknowledge, Operation::kReadResponseFirst,
                                    Operation::kReadResponseOnly, Operation::kAtomicAcknowledge}) {
    Victim victim;
    victim.deliver(answer(operation, kFirst, operation == Operation::kReadResponseOnly ? 64 : 0));
    EXPECT_EQ(victim.qp->counters().discarded, 1U);
    EXPECT_EQ(victim.qp->state(), QpState::kRts);
    EXPECT_THAT(victim.sent(), IsEmpty());
    EXPECT_TRUE(victim.memory_untouched());
  }
}

TEST(RcBadResponder, ReservedSyndromeAcknowledgesNothing) {
  for (unsigned syndrome = 0; syndrome < 256; ++syndrome) {
    const auto kind = wire::syndrome_kind(static_cast<std::uint8_t>(syndrome));
    const bool reserved =
        kind == wire::SyndromeKind::kReserved || (kind == wire::SyndromeKind::kNak && (syndrome & 0x1FU) > 3);
    if (!reserved) {
      continue;
    }
    SCOPED_TRACE(syndrome);
    Asking writes(WrOpcode::kRdmaWrite);
    // A NAK for the second packet would acknowledge the first.
    writes.victim.deliver(with_syndrome(kFirst + 1, syndrome));
    EXPECT_EQ(writes.victim.qp->counters().discarded, 1U);
    EXPECT_EQ(writes.victim.qp->requester().oldest_unacknowledged(), kFirst);
    writes.expect_waiting();
  }
}

TEST(RcBadResponder, FatalNakFailsTheRequestItNames) {
  const struct {
    NakCode code;
    WcStatus status;
  } cases[] = {{NakCode::kInvalidRequest, WcStatus::kRemInvReqErr},
               {NakCode::kRemoteAccessError, WcStatus::kRemAccessErr},
               {NakCode::kRemoteOperationalError, WcStatus::kRemOpErr}};
  for (const auto& one : cases) {
    Asking whole(WrOpcode::kRdmaWrite);
    whole.expect_failed(nak(kFirst, one.code), one.status);
    Asking part(WrOpcode::kRdmaWrite);
    part.expect_failed(nak(kFirst + 2, one.code), one.status);
    Asking read(WrOpcode::kRdmaRead);
    read.expect_failed(nak(kFirst, one.code), one.status);
  }
}

TEST(RcBadResponder, RepeatedSequenceErrorsForOnePacketCountOnce) {
  Asking writes(WrOpcode::kRdmaWrite);
  for (int time = 0; time < 100; ++time) {
    writes.victim.deliver(nak(kFirst, NakCode::kPsnSequenceError));
  }
  writes.expect_waiting();
  EXPECT_THAT(writes.victim.answers(), SizeIs(3));
}

TEST(RcBadResponder, EndlessSequenceErrorsExhaustTheRetries) {
  Asking writes(WrOpcode::kRdmaWrite);
  int naks = 0;
  while (writes.victim.qp->state() == QpState::kRts && naks < 100) {
    writes.victim.deliver(nak(kFirst, NakCode::kPsnSequenceError));
    (void)writes.victim.answers();
    ++naks;
  }
  EXPECT_EQ(naks, 8);  // retry_count 7 and the one that was too much
  EXPECT_EQ(writes.victim.sent()[0].status, WcStatus::kRetryExcErr);
}

// READ answers.

//= ibta-1.7 9.7.6
TEST(RcBadResponder, ReadAnswerOfTheWrongKindOrLengthIsBadResponse) {
  const Forged wrong[] = {
      answer(Operation::kReadResponseFirst, kFirst, kMtu - 1), answer(Operation::kReadResponseFirst, kFirst, kMtu + 1),
      answer(Operation::kReadResponseFirst, kFirst, 0),        answer(Operation::kReadResponseMiddle, kFirst, kMtu),
      answer(Operation::kReadResponseLast, kFirst, kMtu),      answer(Operation::kReadResponseOnly, kFirst, kMtu),
      answer(Operation::kReadResponseOnly, kFirst, 3 * kMtu),  answer(Operation::kAtomicAcknowledge, kFirst)};
  for (const Forged& forged : wrong) {
    SCOPED_TRACE(static_cast<unsigned>(forged.operation));
    Asking reads(WrOpcode::kRdmaRead);
    reads.expect_failed(forged, WcStatus::kBadRespErr);
    EXPECT_TRUE(reads.victim.memory_untouched());
  }
}

TEST(RcBadResponder, LastReadAnswerOfTheWrongLengthIsBadResponse) {
  for (const std::uint32_t payload : {0U, 99U, 101U, kMtu}) {
    Asking reads(WrOpcode::kRdmaRead, kMtu + 100);
    reads.victim.deliver(answer(Operation::kReadResponseFirst, kFirst, kMtu));
    reads.expect_failed(answer(Operation::kReadResponseLast, kFirst + 1, payload), WcStatus::kBadRespErr);
    EXPECT_TRUE(reads.victim.touched_only(0, kMtu));
  }
  for (const Operation operation : {Operation::kReadResponseFirst, Operation::kReadResponseMiddle}) {
    Asking reads(WrOpcode::kRdmaRead, 2 * kMtu);
    reads.victim.deliver(answer(Operation::kReadResponseFirst, kFirst, kMtu));
    reads.expect_failed(answer(operation, kFirst + 1, kMtu), WcStatus::kBadRespErr);
    EXPECT_TRUE(reads.victim.touched_only(0, kMtu));
  }
}

TEST(RcBadResponder, ReadAnswerWhoseSyndromeRefusesIsBadResponse) {
  for (const unsigned syndrome : {0x21U, 0x40U, 0x60U, 0x62U, 0x9FU}) {
    Asking reads(WrOpcode::kRdmaRead);
    Forged forged = answer(Operation::kReadResponseFirst, kFirst, kMtu);
    forged.aeth.syndrome = static_cast<std::uint8_t>(syndrome);
    reads.expect_failed(forged, WcStatus::kBadRespErr);
    EXPECT_TRUE(reads.victim.memory_untouched());
  }
}

TEST(RcBadResponder, ReadDataForAWriteOrAnAtomicAreRefused) {
  Asking writes(WrOpcode::kRdmaWrite);
  writes.expect_dropped(answer(Operation::kReadResponseFirst, kFirst, kMtu));
  Asking adds(WrOpcode::kAtomicFetchAndAdd, 8);
  adds.expect_failed(answer(Operation::kReadResponseOnly, kFirst, 8), WcStatus::kBadRespErr);
  EXPECT_TRUE(adds.victim.memory_untouched());
}

TEST(RcBadResponder, AcknowledgementDoesNotCompleteARead) {
  for (const WrOpcode opcode : {WrOpcode::kRdmaRead, WrOpcode::kAtomicFetchAndAdd}) {
    const bool atomic = opcode == WrOpcode::kAtomicFetchAndAdd;
    Asking asks(opcode, atomic ? 8 : 3 * kMtu);
    // It says that the answers are lost: the request is repeated, once.
    EXPECT_THAT(asks.victim.answers_to(with_syndrome(atomic ? kFirst : kFirst + 2, 0x1F)), SizeIs(1));
    EXPECT_EQ(asks.victim.qp->counters().implied_nak_seq_err, 1U);
    EXPECT_THAT(asks.victim.answers_to(with_syndrome(kFirst, 0x1F)), IsEmpty());
    asks.expect_waiting();
  }
}

TEST(RcBadResponder, GapInReadAnswersRepeatsTheReadFromThere) {
  Asking reads(WrOpcode::kRdmaRead);
  reads.victim.deliver(answer(Operation::kReadResponseFirst, kFirst, kMtu));
  const auto again = reads.victim.answers_to(answer(Operation::kReadResponseLast, kFirst + 2, kMtu));
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].operation, Operation::kReadRequest);
  EXPECT_EQ(again[0].psn, kFirst + 1);
  EXPECT_TRUE(reads.victim.touched_only(0, kMtu));
  reads.victim.deliver(answer(Operation::kReadResponseFirst, kFirst + 1, kMtu));
  reads.victim.deliver(answer(Operation::kReadResponseLast, kFirst + 2, kMtu));
  const auto completions = reads.victim.sent();
  ASSERT_THAT(completions, SizeIs(1));
  EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
}

TEST(RcBadResponder, ReadAnswerIntoMemoryClosedSinceIsLocalProtectionError) {
  Asking reads(WrOpcode::kRdmaRead);
  ASSERT_TRUE(reads.victim.context.dereg_mr(reads.victim.key));
  reads.expect_failed(answer(Operation::kReadResponseFirst, kFirst, kMtu), WcStatus::kLocProtErr);
  EXPECT_TRUE(reads.victim.memory_untouched());
}

TEST(RcBadResponder, ReceiverNotReadyForEverEndsWhenItsRetriesAreSpent) {
  Asking sends(WrOpcode::kSend);
  // rnr_retry is 7, without end.
  for (int time = 0; time < 50; ++time) {
    sends.victim.deliver(with_syndrome(kFirst, wire::rnr_syndrome(1)));
    EXPECT_THAT(sends.victim.answers(), IsEmpty());
    sends.victim.advance(wire::rnr_timer(1));
    EXPECT_THAT(sends.victim.answers(), SizeIs(3));
  }
  sends.expect_waiting();
}

TEST(RcBadResponder, SelectiveAcknowledgementIsDroppedByGoBackN) {
  Asking writes(WrOpcode::kRdmaWrite);
  Forged forged = answer(Operation::kAcknowledge, kFirst + 2);
  forged.service = wire::Service::kManufacturer;
  writes.expect_dropped(forged);
}

// Draining.

TEST(RcBadResponder, SendQueueIsNotDrainedWhileARequestWaitsToBeSentAgain) {
  Asking sends(WrOpcode::kSend, 64);
  sends.victim.modify(QpState::kSqd);
  sends.victim.deliver(with_syndrome(kFirst, wire::rnr_syndrome(1)));
  EXPECT_THAT(sends.victim.events(), IsEmpty());
  sends.victim.advance(wire::rnr_timer(1));
  EXPECT_THAT(sends.victim.answers(), SizeIs(1));
  sends.victim.deliver(answer(Operation::kAcknowledge, kFirst));
  EXPECT_THAT(sends.victim.events(), ::testing::ElementsAre(verbs::AsyncEventType::kSqDrained));
}

}  // namespace
}  // namespace weft::testing
