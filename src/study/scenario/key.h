// One key of a scenario as data: its name, what it sets, its range, its default and its text in the reference.
//
// The table of keys (study/key_table.h) drives reading, checking, `weft show`, suggestions and docs/scenario.md. A key
// is bound to a member of a settings struct by `bind<&Struct::member>`; how a type is read and written is its Codec
// (study/value_codec.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {

struct Key;

/// How the member of a settings struct that a key stands for is set from a raw value, and written as text.
struct Binding {
  Result<void> (*set)(void* settings, const RawValue& value, const Key& key) = nullptr;
  std::string (*text)(const void* settings, const Key& key) = nullptr;
  /// What may be written, for the reference: "duration", "one of ecmp, spray, adaptive, lft".
  std::string (*type)(const Key& key) = nullptr;
  std::string (*range)(const Key& key) = nullptr;
};

/// What one device of an [[override]] must be for a key to make sense.
enum class Scope : std::uint8_t { kDevice, kPort };

/// In the smallest step of the key's type (picosecond, byte, bit per second, thousandth), both included.
struct KeyRange {
  std::int64_t low = 0;
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

/// What depends on a value: what happens in a simulation; what the network costs and draws, and nothing else; how
/// results are called or summed up, and nothing else.
enum class KeyUse : std::uint8_t { kSimulation, kCost, kPresentation };

/// As `fallback`: the file must give the key.
inline constexpr std::string_view kRequired = "\x01";

struct Key {
  std::string_view name;
  Binding binding;
  std::string_view fallback;  // the default, as it would stand in a file
  std::string_view about;     // one line of the reference
  KeyRange range{};
  std::string_view empty_word{};  // of an optional: "auto", "none"
  std::string_view only_for{};    // words of the selecting key, separated by spaces; empty: all
  std::string_view selecting{};   // the selecting key, where it is not the section's
  std::string_view entry{};       // the value names an entry of the catalogue of this kind
  Scope scope = Scope::kDevice;
  KeyUse use = KeyUse::kSimulation;
  /// A value for `weft help KEY`, as TOML, where neither catalogue, words, type nor default make a telling one.
  std::string_view example{};
};

}  // namespace weft::study::scenario
