#include "study/report/member_table.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace weft::study::report {
namespace {

std::optional<ValueRef> shown(const MemberField& field, const void* record) {
  const std::optional<ValueRef> value = field.access.get(record);
  return value || field.when_absent == WhenAbsent::kLeftOut ? value : ValueRef{};
}

/// What was read in another form stands as long as the member says nothing else. A member that was not taken says
/// nothing: an optional one is empty then, and of others only a real number takes every number.
std::optional<ValueRef> value_of(const WrittenMember& written, const MemberField* field, const void* record) {
  const std::optional<ValueRef> own = field != nullptr ? field->access.get(record) : std::nullopt;
  if (!written.value) {
    return field != nullptr ? shown(*field, record) : std::nullopt;
  }
  const ValueRef read = ref_of(*written.value);
  const bool says = own && (field->access.optional || (own->is_real() && read.number()));
  const bool the_same = says && own->number() && own->number() == read.number();
  return says && !the_same ? own : read;
}

std::vector<MemberRef> in_own_form(const ObjectRef& object, const std::vector<WrittenMember>& form) {
  std::vector<MemberRef> members;
  for (const WrittenMember& written : form) {
    if (const auto value = value_of(written, object.table->find(written.name), object.record)) {
      members.push_back({written.name, *value});
    }
  }
  for (const MemberField& field : object.table->fields) {  // set since it was read
    const std::optional<ValueRef> value = field.access.optional ? field.access.get(object.record) : std::nullopt;
    if (value && std::ranges::find(form, field.name, &WrittenMember::name) == form.end()) {
      members.push_back({field.name, *value});
    }
  }
  return members;
}

std::vector<MemberRef> in_usual_form(const ObjectRef& object) {
  std::vector<MemberRef> members;
  for (const MemberField& field : object.table->fields) {
    if (const std::optional<ValueRef> value = shown(field, object.record)) {
      members.push_back({field.name, *value});
    }
  }
  return members;
}

/// Whether a record that has been read from these members is written so without a form of its own.
class UsualForm {
 public:
  explicit UsualForm(const RecordTable& table) : table_(table) {}

  void met(const MemberField& field) {
    const auto place = static_cast<std::size_t>(&field - table_.fields.data());
    for (; next_ < place; ++next_) {
      usual_ = usual_ && may_lack(table_.fields[next_]);
    }
    usual_ = usual_ && next_ == place;
    next_ = place + 1;
  }
  void met_otherwise() { usual_ = false; }
  [[nodiscard]] bool whole() {
    for (; next_ < table_.fields.size(); ++next_) {
      usual_ = usual_ && may_lack(table_.fields[next_]);
    }
    return usual_;
  }

 private:
  static bool may_lack(const MemberField& field) {
    return field.access.optional && field.when_absent == WhenAbsent::kLeftOut;
  }

  const RecordTable& table_;
  std::size_t next_ = 0;
  bool usual_ = true;
};

}  // namespace

std::string_view to_string(MemberKind kind) {
  switch (kind) {
    case MemberKind::kText:
      return "a text";
    case MemberKind::kNumber:
      return "a number";
    case MemberKind::kNumbers:
      return "a list of numbers";
    case MemberKind::kTexts:
      return "a list of texts";
    case MemberKind::kPoints:
      return "a list of pairs of numbers";
    case MemberKind::kFlag:
      return "true or false";
    case MemberKind::kObject:
      return "an object";
    case MemberKind::kList:
      return "a list of objects";
  }
  WEFT_ASSERT(false);
}

std::optional<double> ValueRef::number() const {
  if (const auto* real = std::get_if<double>(&value)) {
    return *real;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto* natural = std::get_if<std::uint64_t>(&value);
  return natural != nullptr ? std::optional(static_cast<double>(*natural)) : std::nullopt;
}

const MemberField* RecordTable::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &MemberField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::vector<MemberRef> members_of(const ObjectRef& object) {
  if (object.table == nullptr) {
    std::vector<MemberRef> members;
    for (const UntypedMember& member : *static_cast<const UntypedValue::Object*>(object.record)) {
      members.push_back({member.name, ref_of(member.value)});
    }
    return members;
  }
  const WrittenForm& form = object.table->form(object.record);
  return form ? in_own_form(object, *form) : in_usual_form(object);
}

ValueRef ref_of(const UntypedValue& value) {
  return std::visit(
      [](const auto& own) -> ValueRef {
        using Own = std::remove_cvref_t<decltype(own)>;
        if constexpr (std::is_same_v<Own, std::string>) {
          return {std::string_view(own)};
        } else if constexpr (std::is_same_v<Own, UntypedValue::Object>) {
          return {ObjectRef{.table = nullptr, .record = &own}};
        } else if constexpr (std::is_same_v<Own, UntypedValue::List>) {
          return {ListRef{.list = &own, .size = own.size(), .at = [](const void* list, std::size_t place) {
                            return ref_of((*static_cast<const UntypedValue::List*>(list))[place]);
                          }}};
        } else {
          return {own};
        }
      },
      value.value);
}

WrittenForm form_with_moved(const RecordTable& table, WrittenForm form, std::string_view name, std::string_view other) {
  if (!form) {
    form.emplace();
    for (const MemberField& field : table.fields) {
      form->push_back({.name = std::string(field.name), .value = {}});
    }
  }
  const auto moved = std::ranges::find(*form, name, &WrittenMember::name);
  WEFT_ASSERT(moved != form->end());
  WrittenMember member = std::move(*moved);
  form->erase(moved);
  const auto before = std::ranges::find(*form, other, &WrittenMember::name);
  WEFT_ASSERT(before != form->end());
  form->insert(before + 1, std::move(member));
  return form;
}

void read_record(const RecordTable& table, void* record, UntypedValue::Object members) {
  UsualForm usual(table);
  std::vector<WrittenMember> form;
  for (UntypedMember& member : members) {
    const MemberField* const field = table.find(member.name);
    const bool null = std::holds_alternative<std::monostate>(member.value.value);
    const bool taken =
        field != nullptr && (null ? field->when_absent == WhenAbsent::kNull : field->access.set(record, member.value));
    if (taken) {
      usual.met(*field);
      form.push_back({.name = std::move(member.name), .value = {}});
    } else {
      usual.met_otherwise();
      form.push_back({.name = std::move(member.name), .value = std::move(member.value)});
    }
  }
  if (!usual.whole()) {
    table.set_form(record, std::move(form));
  }
}

}  // namespace weft::study::report
