// The members of the comparison's document, as data: kind, unit and meaning of each.
//
// One table says what a document may hold. Checking a document, and the reference in docs/report.md follow from it;
// names that code asks for stand in study/report/comparison_keys.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::study::report {

enum class MemberKind : std::uint8_t { kText, kNumber, kNumbers, kPoints, kFlag, kObject, kList };
enum class Need : std::uint8_t { kMust, kMay };

/// A member, and for a list of objects also the members of its elements.
struct Member {
  std::string_view path;  // from the document or its fabric; "[]" goes into the elements of a list
  MemberKind kind;
  std::string_view about;   // one sentence of the reference
  std::string_view unit{};  // of numbers
  Need need = Need::kMay;
};

/// Those of the document itself.
[[nodiscard]] std::span<const Member> document_members();
/// Those of each of its fabrics, besides `name` and `possible`: of the step, of the network, and what buyers ask.
[[nodiscard]] std::array<std::span<const Member>, 3> fabric_members();

/// "a list of numbers".
[[nodiscard]] std::string_view to_string(MemberKind kind);

/// Markdown: a table of the document's members and one of a fabric's.
[[nodiscard]] std::string comparison_reference();

}  // namespace weft::study::report
