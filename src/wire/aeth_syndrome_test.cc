#include "wire/aeth_syndrome.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

//= ibta-1.7 9.7.5.2.1
TEST(AethSyndrome, KindIsInTheUpperBits) {
  EXPECT_EQ(syndrome_kind(kSyndromeAckNoCredits), SyndromeKind::kAck);
  EXPECT_EQ(syndrome_kind(0x2C), SyndromeKind::kRnrNak);
  EXPECT_EQ(syndrome_kind(0x40), SyndromeKind::kReserved);
  EXPECT_EQ(syndrome_kind(0x60), SyndromeKind::kNak);
  EXPECT_EQ(syndrome_kind(0x80), SyndromeKind::kReserved);
  EXPECT_EQ(syndrome_kind(0xE0), SyndromeKind::kReserved);
}

TEST(AethSyndrome, EveryCodeIsReadAsItWasWritten) {
  for (std::uint8_t code = 0; code < 32; ++code) {
    EXPECT_EQ(syndrome_kind(ack_syndrome(code)), SyndromeKind::kAck);
    EXPECT_EQ(syndrome_code(ack_syndrome(code)), code);
    EXPECT_EQ(syndrome_kind(rnr_syndrome(code)), SyndromeKind::kRnrNak);
    EXPECT_EQ(syndrome_code(rnr_syndrome(code)), code);
  }
}

//= ibta-1.7 9.7.5.2.2
TEST(AethSyndrome, NakCodesAreThoseOnTheWire) {
  EXPECT_EQ(nak_syndrome(NakCode::kPsnSequenceError), 0x60);
  EXPECT_EQ(nak_syndrome(NakCode::kInvalidRequest), 0x61);
  EXPECT_EQ(nak_syndrome(NakCode::kRemoteAccessError), 0x62);
  EXPECT_EQ(nak_syndrome(NakCode::kRemoteOperationalError), 0x63);
  EXPECT_EQ(nak_syndrome(NakCode::kInvalidRdRequest), 0x64);
  EXPECT_EQ(nak_code(0x63), NakCode::kRemoteOperationalError);
  EXPECT_EQ(nak_code(0x65), std::nullopt);
  EXPECT_EQ(nak_code(0x20), std::nullopt);
}

/// From code 2 on, each pair of codes doubles the pair before it.
//= ibta-1.7 9.7.7.2.1
TEST(AethSyndrome, CreditsGrowByHalfAPowerOfTwo) {
  EXPECT_EQ(credits_of_code(0), 0U);
  EXPECT_EQ(credits_of_code(1), 1U);
  EXPECT_EQ(credits_of_code(2), 2U);
  EXPECT_EQ(credits_of_code(3), 3U);
  for (std::uint8_t code = 4; code < kCreditsNotUsed; ++code) {
    EXPECT_EQ(*credits_of_code(code), 2 * *credits_of_code(static_cast<std::uint8_t>(code - 2))) << int{code};
  }
  EXPECT_EQ(credits_of_code(kCreditsNotUsed), std::nullopt);
}

TEST(AethSyndrome, CreditCodeNeverGrantsMoreThanThereIs) {
  for (std::uint8_t code = 0; code < kCreditsNotUsed; ++code) {
    EXPECT_EQ(code_of_credits(*credits_of_code(code)), code);
  }
  EXPECT_EQ(code_of_credits(5), code_of_credits(4));
  EXPECT_EQ(code_of_credits(32767), 29);
  EXPECT_EQ(code_of_credits(UINT32_MAX), 30);
}

/// Codes 1 to 4 count units of 10 us; from code 5 on, each pair doubles the pair before it; code 0 is the longest.
//= ibta-1.7 9.7.5.2.8
TEST(AethSyndrome, RnrTimersAreThoseOfTheSpecification) {
  for (std::uint8_t code = 1; code <= 4; ++code) {
    EXPECT_EQ(rnr_timer(code), Duration::microseconds(10) * code);
  }
  for (std::uint8_t code = 5; code < 32; ++code) {
    EXPECT_EQ(rnr_timer(code), rnr_timer(static_cast<std::uint8_t>(code - 2)) * 2) << int{code};
  }
  EXPECT_EQ(rnr_timer(0), 655'360_us);
  EXPECT_EQ(rnr_timer(12), 640_us);
  EXPECT_EQ(rnr_timer(25), 61'440_us);
  EXPECT_EQ(rnr_timer(31), 491'520_us);
}

TEST(AethSyndrome, TimerCodeIsTheShortestThatWaitsLongEnough) {
  for (std::uint8_t code = 0; code < 32; ++code) {
    EXPECT_EQ(rnr_timer_code(rnr_timer(code)), code);
  }
  EXPECT_EQ(rnr_timer_code(0_ns), 1);
  EXPECT_EQ(rnr_timer_code(rnr_timer(7) + 1_ps), 8);
  EXPECT_EQ(rnr_timer_code(rnr_timer(31) + 1_ps), 0);
  EXPECT_EQ(rnr_timer_code(10_s), 0);
}

TEST(AethSyndrome, TextNamesWhatHappened) {
  EXPECT_EQ(syndrome_text(0x1F), "ACK");
  EXPECT_EQ(syndrome_text(0x0A), "ACK credits 32");
  EXPECT_EQ(syndrome_text(0x2C), "RNR NAK 0.64 ms");
  EXPECT_EQ(syndrome_text(0x60), "NAK PSN sequence error");
  EXPECT_EQ(syndrome_text(0x7F), "NAK reserved code 31");
  EXPECT_EQ(syndrome_text(0x40), "reserved syndrome 0x40");
}

}  // namespace
}  // namespace weft::wire
