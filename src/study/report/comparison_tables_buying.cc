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
const RecordTable& record_table<FailureFigures>() {
  static const RecordTable kTable = table_of<FailureFigures>({
      {"goodput", member<&FailureFigures::goodput>, "Of the time that becomes work which is kept.", "share"},
      {"goodput_low", member<&FailureFigures::low>, "Lower end of the 95 % interval of the drawn months.", "share"},
      {"goodput_high", member<&FailureFigures::high>, "Upper end.", "share"},
      {"goodput_formula", member<&FailureFigures::formula>, "The same in closed form.", "share"},
      {"losses_per_month", member<&FailureFigures::losses>, "Of the job.", "losses"},
      {"lost_to", member<&FailureFigures::lost_to>, "Failures of the network that end the job."},
      {"rates", member<&FailureFigures::rates>, "Whose rates, of the catalogue."},
      {"reason", member<&FailureFigures::reason>, "Why it was not measured."},
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
      {"of", member<&MisconfigurationCase::of>, "Which setting is wrong; absent: two at once, or a fault."},
      {"fault", member<&MisconfigurationCase::fault>, "A link is broken: no misconfiguration."},
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
      {"sum", member<&TuningRisk::figures, &RiskFigures::sum>,
       "One mistake in each setting, their losses added up; of several mistakes in one setting their mean.", "share"},
      {"median", member<&TuningRisk::figures, &RiskFigures::median>, "Of all single mistakes.", "share"},
      {"worst", member<&TuningRisk::figures, &RiskFigures::worst>, "Of the worst, without faults.", "share"},
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
      {"sum", member<&TuningRiskOfSize::figures, &RiskFigures::sum>},
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
const RecordTable& record_table<WorkCostAtSize>() {
  static const RecordTable kTable = table_of<WorkCostAtSize>({
      {"gpus", member<&WorkCostAtSize::gpus>, "GPUs of the cluster.", "GPUs", kMust},
      {"step_time_s", member<&WorkCostAtSize::step>, "Time of a step, first seed.", "s"},
      {"usd", member<&WorkCostAtSize::usd>, "Money for a unit of work.", "USD"},
      {"reason", member<&WorkCostAtSize::reason>, "Why there are no figures."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<WorkCost>() {
  static const RecordTable kTable = table_of<WorkCost>({
      {"unit", member<&WorkCost::unit>, "Unit of work: million tokens, thousand steps, run.", "", kMust},
      {"usd", member<&WorkCost::usd>, "Money for a unit.", "USD", kMust},
      {"usd_low", member<&WorkCost::low>, "Lower end of its interval.", "USD"},
      {"usd_high", member<&WorkCost::high>, "Upper end.", "USD"},
      {"uncertain", member<&WorkCost::uncertain>, "Why the interval may not cover it."},
      {"total_usd", member<&WorkCost::total_usd>, "The cluster over its years.", "USD", kMust},
      {"network_usd", member<&WorkCost::network_usd>, "Of it, the network to buy.", "USD", kMust},
      {"other_usd", member<&WorkCost::other_usd>, "Of it, what the network needs beside its parts.", "USD"},
      {"hosts", member<&WorkCost::hosts>, "Hosts.", "hosts"},
      {"hosts_usd", member<&WorkCost::hosts_usd>, "Of it, the hosts without NICs and GPUs.", "USD"},
      {"gpus", member<&WorkCost::gpus>, "GPUs.", "GPUs"},
      {"gpus_usd", member<&WorkCost::gpus_usd>, "Of it, the GPUs.", "USD"},
      {"gpu_price_usd", member<&WorkCost::gpu_price_usd>, "Price of a GPU.", "USD"},
      {"energy_usd", member<&WorkCost::energy_usd>, "Of it, energy.", "USD"},
      {"upkeep_usd", member<&WorkCost::upkeep_usd>, "Of it, upkeep.", "USD"},
      {"staff_usd", member<&WorkCost::staff_usd>, "Of it, work of people.", "USD"},
      {"power_w", member<&WorkCost::power>, "Power of everything that is counted.", "W"},
      {"years", member<&WorkCost::years>, "Over so many years.", "years", kMust},
      {"years_assumed", member<&WorkCost::years_assumed>, "The scenario does not say how many years."},
      {"availability", member<&WorkCost::availability>, "Share of the time in which the cluster works.", "share"},
      {"price_uncertainty", member<&WorkCost::price_uncertainty>,
       "How far prices of the catalogue may be off, up or down.", "share"},
      {"given_prices", member<&WorkCost::given_prices>,
       "Of network, hosts and GPUs, those whose prices the scenario gives, all of them."},
      {"misconfiguration", member<&WorkCost::misconfiguration>,
       "Share of the work that misconfigurations are expected to cost.", "share"},
      {"not_counted", member<&WorkCost::not_counted>, "What should be in it and is not, with the reason."},
      {"to_recommended", member<&WorkCost::to_recommended>, "Money for a unit over that of the recommended fabric.",
       "ratio"},
      {"by_size", member<&WorkCost::by_size>, "The same on clusters of other sizes."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<TurningPoint>() {
  static const RecordTable kTable = table_of<TurningPoint>({
      {"fabric", member<&TurningPoint::fabric>, "Fabric that would then cost as little.", "", kMust},
      {"what", member<&TurningPoint::what>, "What would have to change.", "", kMust},
      {"now", member<&TurningPoint::now>, "Its value in this comparison.", "as `unit`"},
      {"then", member<&TurningPoint::then>, "Its value at which the two cost the same.", "as `unit`"},
      {"unit", member<&TurningPoint::unit>, "USD, share, GPUs."},
      {"text", member<&TurningPoint::text>, "The same as a sentence.", "", kMust},
  });
  return kTable;
}

template <>
const RecordTable& record_table<Recommendation>() {
  static const RecordTable kTable = table_of<Recommendation>({
      {"kind", member<&Recommendation::kind>,
       "clear, likely, tie, only; none: nothing is recommended, `text` says why.", "", kMust},
      {"text", member<&Recommendation::text>, "The recommendation in a sentence.", "", kMust},
      {"sure", member<&Recommendation::sure>, "How sure it is, and why."},
      {"fabrics", member<&Recommendation::fabrics>, "The recommended fabric, or all that tie; empty of none."},
      {"next", member<&Recommendation::next>, "The next best."},
      {"saving", member<&Recommendation::saving>, "Against the next, for a unit of work.", "share"},
      {"saving_low", member<&Recommendation::saving_low>, "Lower end of its interval.", "share"},
      {"saving_high", member<&Recommendation::saving_high>, "Upper end.", "share"},
      {"turning_points", member<&Recommendation::turning_points>, "What would turn it round."},
      {"choose_by", member<&Recommendation::choose_by>, "Of a tie: what a buyer may choose by."},
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
