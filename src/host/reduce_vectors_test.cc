#include "host/reduce_vectors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.h"
#include "host/reduction_header.h"

namespace weft::host {
namespace {

using verbs::DataType;
using verbs::ReduceOperation;

template <class T>
std::vector<T> reduced(const Reduction& reduction, const std::vector<std::vector<T>>& operands) {
  std::vector<std::span<const std::byte>> bytes;
  for (const std::vector<T>& operand : operands) {
    bytes.push_back(std::as_bytes(std::span(operand)));
  }
  std::vector<T> out(operands.front().size());
  reduce_vectors(reduction, bytes, std::as_writable_bytes(std::span(out)));
  return out;
}

/// The value of a binary16 by its definition.
double half_by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool is_finite_half(std::uint32_t bits) { return (bits & 0x7C00) != 0x7C00; }

TEST(HalfPrecision, HasTheValuesOfItsDefinitionAndComesBackUnchanged) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_of_half(half);
    if (is_finite_half(bits)) {
      EXPECT_EQ(static_cast<double>(value), half_by_definition(half)) << bits;
      EXPECT_EQ(half_of(value), half) << bits;
    } else if ((bits & 0x3FF) == 0) {
      EXPECT_TRUE(std::isinf(value));
      EXPECT_EQ(half_of(value), half);
    } else {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(float_of_half(half_of(value))));
    }
  }
}

TEST(HalfPrecision, RoundsToTheNearestAndTiesToEven) {
  // Between two neighbours: their middle goes to the even one, what is beside it to the nearer one.
  for (std::uint16_t low = 0; low < 0x7BFF; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float middle = (float_of_half(low) + float_of_half(high)) / 2;
    ASSERT_EQ(half_of(middle), (low & 1) == 0 ? low : high) << low;
    ASSERT_EQ(half_of(std::nextafter(middle, 0.0F)), low) << low;
    ASSERT_EQ(half_of(std::nextafter(middle, 1e9F)), high) << low;
    ASSERT_EQ(half_of(-middle), 0x8000 | ((low & 1) == 0 ? low : high)) << low;
  }
  EXPECT_EQ(half_of(65519.0F), 0x7BFF);
  EXPECT_EQ(half_of(65520.0F), 0x7C00);
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(bfloat16_of(float_of_bfloat16(low)), low);
    const float middle = std::bit_cast<float>(bits << 16 | 0x8000U);
    ASSERT_EQ(bfloat16_of(middle), (low & 1) == 0 ? low : high);
    ASSERT_EQ(bfloat16_of(std::nextafter(middle, 0.0F)), low);
  }
  EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_of(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_of(std::bit_cast<float>(0x7F80'0001U)))));
}

TEST(ReduceVectors, CombinesIntegersInEveryOperation) {
  RandomStream random(1, "integers");
  const auto check = [&]<class T>(DataType type, T) {
    std::vector<std::vector<T>> operands(3, std::vector<T>(50));
    for (auto& operand : operands) {
      for (T& value : operand) {
        value = static_cast<T>(random.next());
      }
    }
    using Wide = std::make_unsigned_t<T>;
    const auto& [a, b, c] = std::tie(operands[0], operands[1], operands[2]);
    for (std::size_t i = 0; i < 50; ++i) {
      const auto sum = static_cast<T>(static_cast<Wide>(a[i]) + static_cast<Wide>(b[i]) + static_cast<Wide>(c[i]));
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kSum}, operands)[i], sum);
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kMin}, operands)[i], std::min({a[i], b[i], c[i]}));
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kMax}, operands)[i], std::max({a[i], b[i], c[i]}));
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kBitAnd}, operands)[i], static_cast<T>(a[i] & b[i] & c[i]));
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kBitOr}, operands)[i], static_cast<T>(a[i] | b[i] | c[i]));
      EXPECT_EQ(reduced<T>({type, ReduceOperation::kBitXor}, operands)[i], static_cast<T>(a[i] ^ b[i] ^ c[i]));
    }
  };
  check(DataType::kInt32, std::int32_t{});
  check(DataType::kInt64, std::int64_t{});
  check(DataType::kUint32, std::uint32_t{});
  check(DataType::kUint64, std::uint64_t{});
}

TEST(ReduceVectors, SumsFloatingPointInTheOrderOfOperands) {
  const std::vector<std::vector<double>> doubles = {{1e16}, {1.0}, {1.0}, {-1e16}};
  EXPECT_EQ(reduced<double>({DataType::kFloat64, ReduceOperation::kSum}, doubles)[0], ((1e16 + 1.0) + 1.0) + -1e16);
  const std::vector<std::vector<double>> turned = {{1.0}, {1.0}, {1e16}, {-1e16}};
  EXPECT_EQ(reduced<double>({DataType::kFloat64, ReduceOperation::kSum}, turned)[0], 2.0);
  const std::vector<std::vector<float>> floats = {{1e8F}, {1.0F}, {1.0F}};
  EXPECT_EQ(reduced<float>({DataType::kFloat32, ReduceOperation::kSum}, floats)[0], (1e8F + 1.0F) + 1.0F);
}

TEST(ReduceVectors, RoundsSumsOfSixteenBitsOnce) {
  // 2048 + 1 + 1: a binary16 has 11 bits, so that rounding after each operand would lose both ones.
  const std::vector<std::vector<std::uint16_t>> halves = {{half_of(2048)}, {half_of(1)}, {half_of(1)}};
  EXPECT_EQ(float_of_half(reduced<std::uint16_t>({DataType::kFloat16, ReduceOperation::kSum}, halves)[0]), 2050.0F);
  const std::vector<std::vector<std::uint16_t>> bfloats = {{bfloat16_of(256)}, {bfloat16_of(1)}, {bfloat16_of(1)}};
  EXPECT_EQ(float_of_bfloat16(reduced<std::uint16_t>({DataType::kBfloat16, ReduceOperation::kSum}, bfloats)[0]),
            258.0F);
  const std::vector<std::vector<std::uint16_t>> large = {{half_of(60000)}, {half_of(60000)}};
  EXPECT_TRUE(std::isinf(float_of_half(reduced<std::uint16_t>({DataType::kFloat16, ReduceOperation::kSum}, large)[0])));
}

TEST(ReduceVectors, PropagatesNotANumberAndOrdersZeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ReduceOperation operation : {ReduceOperation::kMin, ReduceOperation::kMax}) {
    EXPECT_TRUE(std::isnan(reduced<float>({DataType::kFloat32, operation}, {{1.0F}, {nan}, {2.0F}})[0]));
  }
  EXPECT_TRUE(std::signbit(reduced<float>({DataType::kFloat32, ReduceOperation::kMin}, {{0.0F}, {-0.0F}})[0]));
  EXPECT_FALSE(std::signbit(reduced<float>({DataType::kFloat32, ReduceOperation::kMax}, {{-0.0F}, {0.0F}})[0]));
  EXPECT_EQ(reduced<double>({DataType::kFloat64, ReduceOperation::kMin}, {{3.0}, {-2.0}})[0], -2.0);
  EXPECT_EQ(reduced<double>({DataType::kFloat64, ReduceOperation::kMax}, {{3.0}, {-2.0}})[0], 3.0);
}

TEST(ReduceVectors, WritesOverAnOperand) {
  std::vector<std::int32_t> own = {1, 2};
  const std::vector<std::int32_t> other = {10, 20};
  const std::vector<std::span<const std::byte>> operands = {std::as_bytes(std::span(own)),
                                                            std::as_bytes(std::span(other))};
  reduce_vectors({DataType::kInt32, ReduceOperation::kSum}, operands, std::as_writable_bytes(std::span(own)));
  EXPECT_EQ(own, (std::vector<std::int32_t>{11, 22}));
}

TEST(ReductionHeader, ComesBackFromItsBits) {
  for (std::uint8_t type = 0; type < 8; ++type) {
    for (std::uint8_t operation = 0; operation < 6; ++operation) {
      for (const std::optional<std::uint32_t> root :
           {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{0}, std::optional<std::uint32_t>{0xFFFFFF}}) {
        const ReductionHeader header{
            .reduction = {static_cast<DataType>(type), static_cast<ReduceOperation>(operation)},
            .root = root,
            .abandoned = root.has_value()};
        EXPECT_EQ(ReductionHeader::decode(header.encode()), header);
      }
    }
  }
}

}  // namespace
}  // namespace weft::host
