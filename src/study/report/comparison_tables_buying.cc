// What only a comparison asks of a fabric: causes, probes, risk, settings and cost.
#include "study/report/comparison_tables.h"

namespace weft::study::report {
namespace {}  // namespace

template <>
const RecordTable& record_table<HardwareNeeds>() {
  static const RecordTable kTable = table_of<HardwareNeeds>({
      {"nic", member<&HardwareNeeds::of_nic>, "Of the NIC."},
      {"switch", member<&HardwareNeeds::of_switch>, "Of the switch."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<LostTimeCause>() {
  static const RecordTable kTable = table_of<LostTimeCause>({
      {"cause", member<&LostTimeCause::cause>, "Name of the cause.", "", kMust},
      {"s", member<&LostTimeCause::time>, "Time lost to it.", "s", kMust},
      {"origin", member<&LostTimeCause::origin>, "emerges, catalogue."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<SmallMessage>() {
  static const RecordTable kTable = table_of<SmallMessage>({
      {"idle_us", member<&SmallMessage::idle>},
      {"bytes", member<&SmallMessage::bytes>},
      {"loaded_failed", member<&SmallMessage::loaded_failed>},
      {"loaded_p50_us", member<&SmallMessage::loaded_p50>},
      {"loaded_p99_us", member<&SmallMessage::loaded_p99>},
      {"loaded_p999_us", member<&SmallMessage::loaded_p999>},
      {"count", member<&SmallMessage::count>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<LinkFault>() {
  static const RecordTable kTable = table_of<LinkFault>({
      {"link", member<&LinkFault::link>, "Which link."},
      {"peer", member<&LinkFault::peer>},
      {"outage_us", member<&LinkFault::outage_us>, "How long no data flowed.", "us"},
      {"reroute_delay_s", member<&LinkFault::reroute_delay>, "Until routes avoid the link.", "s"},
      {"connections_lost", member<&LinkFault::connections_lost>},
      {"lost_s", member<&LinkFault::lost>, "Time that the job lost.", "s"},
      {"messages_failed", member<&LinkFault::messages_failed>},
      {"reason", member<&LinkFault::reason>, "Why it was not measured."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<MisconfigurationCase>() {
  static const RecordTable kTable = table_of<MisconfigurationCase>({
      {"setting", member<&MisconfigurationCase::setting>, "What is set wrongly.", "", kMust},
      {"change", member<&MisconfigurationCase::change>, "How."},
      {"loss", member<&MisconfigurationCase::loss>, "What it adds to the step time.", "share"},
      {"reason", member<&MisconfigurationCase::reason>, "Why there is no figure."},
      {"unmeasured", member<&MisconfigurationCase::unmeasured>, "It was not measured."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<TuningRisk>() {
  static const RecordTable kTable = table_of<TuningRisk>({
      {"cases", member<&TuningRisk::cases>, "Each misconfiguration."},
      {"reason", member<&TuningRisk::figures, &RiskFigures::reason>, "Why there are no figures."},
      {"worst_setting", member<&TuningRisk::figures, &RiskFigures::worst_setting>, "Which is the worst."},
      {"median", member<&TuningRisk::figures, &RiskFigures::median>, "Of all misconfigurations.", "share"},
      {"worst", member<&TuningRisk::figures, &RiskFigures::worst>, "Of the worst.", "share"},
      {"worst_fails", member<&TuningRisk::figures, &RiskFigures::worst_fails>, "With it the run does not end."},
      {"by_size", member<&TuningRisk::by_size>, "The same with other numbers of GPUs."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<TuningRiskOfSize>() {
  static const RecordTable kTable = table_of<TuningRiskOfSize>({
      {"reason", member<&TuningRiskOfSize::figures, &RiskFigures::reason>},
      {"worst_setting", member<&TuningRiskOfSize::figures, &RiskFigures::worst_setting>},
      {"median", member<&TuningRiskOfSize::figures, &RiskFigures::median>},
      {"worst", member<&TuningRiskOfSize::figures, &RiskFigures::worst>},
      {"worst_fails", member<&TuningRiskOfSize::figures, &RiskFigures::worst_fails>},
      {"gpus", member<&TuningRiskOfSize::gpus>, "How many.", "GPUs", kMust},
  });
  return kTable;
}

template <>
const RecordTable& record_table<ListedSetting>() {
  static const RecordTable kTable = table_of<ListedSetting>({
      {"key", member<&ListedSetting::key>, "Key of the scenario.", "", kMust},
      {"value", member<&ListedSetting::value>, "Its value."},
      {"devices", member<&ListedSetting::devices>, "Devices that carry it."},
      {"count", member<&ListedSetting::count>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<SettingsToGetRight>() {
  static const RecordTable kTable = table_of<SettingsToGetRight>({
      {"count", member<&SettingsToGetRight::count>},
      {"devices", member<&SettingsToGetRight::devices>},
      {"list", member<&SettingsToGetRight::list>, "The settings."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<CostPerUnit>() {
  static const RecordTable kTable = table_of<CostPerUnit>({
      {"usd_per_ktoken_s", member<&CostPerUnit::usd_per_ktoken>},
      {"usd_per_run_per_s", member<&CostPerUnit::usd_per_run>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<BillLine>() {
  static const RecordTable kTable = table_of<BillLine>({
      {"part", member<&BillLine::part>, "switch, nic, cable, ...", "", kMust},
      {"name", member<&BillLine::name>, "Name in the catalogue.", "", kMust},
      {"count", member<&BillLine::count>, "How many.", "parts", kMust},
      {"unit_price_usd", member<&BillLine::unit_price_usd>},
      {"price_usd", member<&BillLine::price_usd>},
      {"unit_power_w", member<&BillLine::unit_power>},
      {"power_w", member<&BillLine::power>},
      {"mark", member<&BillLine::mark>},
      {"source", member<&BillLine::source>},
      {"owned", member<&BillLine::owned>, "The buyer has it already: it costs nothing."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<RunningCost>() {
  static const RecordTable kTable = table_of<RunningCost>({
      {"years", member<&RunningCost::years>},
      {"energy_usd", member<&RunningCost::energy_usd>},
      {"upkeep_usd", member<&RunningCost::upkeep_usd>},
      {"staff_usd", member<&RunningCost::staff_usd>},
      {"not_counted", member<&RunningCost::not_counted>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<BuyerRow>() {
  static const RecordTable kTable = table_of<BuyerRow>({
      {"label", member<&BuyerRow::label>, "What is compared.", "", kMust},
      {"value", member<&BuyerRow::value>, "Value of the fabric.", "", kMust},
      {"origin", member<&BuyerRow::origin>, "emerges, catalogue, not measured."},
  });
  return kTable;
}

}  // namespace weft::study::report
