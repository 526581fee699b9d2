#include "study/report/comparison_members.h"

#include <fmt/core.h>

#include <algorithm>

#include "study/report/comparison_tables.h"

namespace weft::study::report {
namespace {

/// Those of `table` and of the records in it, but only the required ones of a fabric, which has a list of its own.
void add_members(std::vector<Member>& members, const RecordTable& table, const std::string& prefix) {
  const RecordTable* const of_fabric = &record_table<ComparedFabric>();
  for (const MemberField& field : table.fields) {
    if (field.about.empty() || (&table == of_fabric && field.need != Need::kMust)) {
      continue;
    }
    const std::string path = prefix + std::string(field.name);
    const MemberKind kind = field.access.kind;
    members.push_back({path, kind, field.about, field.unit, field.need});
    if (field.access.inner != nullptr) {
      add_members(members, field.access.inner(), path + (kind == MemberKind::kList ? "[]." : "."));
    }
  }
}

std::vector<Member> members_of_document() {
  std::vector<Member> members;
  add_members(members, record_table<Comparison>(), "");
  return members;
}

std::vector<Member> members_of_fabric() {
  std::vector<Member> members;
  RecordTable optional = record_table<ComparedFabric>();
  std::erase_if(optional.fields, [](const MemberField& field) { return field.need == Need::kMust; });
  add_members(members, optional, "");
  return members;
}

std::string rows_of(std::span<const Member> members) {
  std::string text;
  for (const Member& member : members) {
    text += fmt::format("| `{}` | {} | {} | {}{} |\n", member.path, to_string(member.kind),
                        member.unit.empty() ? "—" : member.unit, member.about,
                        member.need == Need::kMust ? " Required." : "");
  }
  return text;
}

}  // namespace

std::span<const Member> document_members() {
  static const std::vector<Member> kMembers = members_of_document();
  return kMembers;
}

std::span<const Member> fabric_members() {
  static const std::vector<Member> kMembers = members_of_fabric();
  return kMembers;
}

std::string comparison_reference() {
  constexpr std::string_view kHead = "| member | kind | unit | meaning |\n|---|---|---|---|\n";
  return fmt::format("{}{}\nOf each fabric:\n\n{}{}", kHead, rows_of(document_members()), kHead,
                     rows_of(fabric_members()));
}

}  // namespace weft::study::report
