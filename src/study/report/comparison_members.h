// The members of the comparison's document, as data: kind, unit and meaning of each.
//
// The tables of its records (study/report/member_table.h) say what a document may hold. Here they are one list, with
// the path of each member, from which the check of a document and the reference in docs/report.md follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "study/report/member_table.h"

namespace weft::study::report {

/// A member, and for a list of objects also the members of its elements. Those without a sentence are not among them.
struct Member {
  std::string path;  // from the document or its fabric; "[]" goes into the elements of a list
  MemberKind kind = MemberKind::kNumber;
  std::string_view about;  // one sentence of the reference
  std::string_view unit;   // of numbers
  Need need = Need::kMay;
};

/// Those of the document itself.
[[nodiscard]] std::span<const Member> document_members();
/// Those of each of its fabrics, besides `name` and `possible`.
[[nodiscard]] std::span<const Member> fabric_members();

/// Markdown: a table of the document's members and one of a fabric's.
[[nodiscard]] std::string comparison_reference();

}  // namespace weft::study::report
