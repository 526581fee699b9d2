#include "wire/uet/pds_prologue.h"

#include <array>
#include <cstddef>

namespace weft::wire::uet {

namespace {

constexpr std::string_view kReserved = "reserved";

constexpr std::array<std::string_view, 15> kPdsTypes{
    kReserved, "TSS",     "RUD request", "ROD request", "RUDI request", "RUDI response",  "UUD request",   "ACK",
    "ACK_CC",  "ACK_CCX", "NACK",        "control",     "NACK_CCX",     "RUD_CC request", "ROD_CC request"};

constexpr std::array<std::string_view, 7> kNextHeaders{
    "none",     "small request",      "medium request",          "standard request",
    "response", "response with data", "small response with data"};

constexpr std::array<std::string_view, 10> kControlTypes{"no operation",   "ACK request",   "clear", "clear request",
                                                         "close",          "close request", "probe", "credit",
                                                         "credit request", "negotiation"};

template <std::size_t kCount>
std::string_view name_in(const std::array<std::string_view, kCount>& names, std::size_t value) {
  return value < kCount ? names[value] : kReserved;
}

}  // namespace

std::string_view to_string(PdsType type) { return name_in(kPdsTypes, static_cast<std::size_t>(type)); }
std::string_view to_string(NextHeader next) { return name_in(kNextHeaders, static_cast<std::size_t>(next)); }
std::string_view to_string(ControlType type) { return name_in(kControlTypes, static_cast<std::size_t>(type)); }

}  // namespace weft::wire::uet
