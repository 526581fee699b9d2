#include "study/results/results_csv.h"

#include <fmt/core.h>

#include "study/results/summary.h"

namespace weft::study::results {
namespace {

class Table {
 public:
  Table(std::string name, std::string_view heading) : file_{std::move(name), std::string(heading) + "\n"} {}

  void begin(const RunInfo& run) {
    field(run.key);
    field(run.case_name);
  }
  void field(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      file_.text += text;
      return;
    }
    file_.text += '"';
    for (const char c : text) {
      file_.text += c == '"' ? "\"\"" : std::string(1, c);
    }
    file_.text += '"';
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void field(Integer value) {
    separate();
    file_.text += std::to_string(value);
  }
  void field(Time value) { value.is_never() ? field("") : field(value.picoseconds()); }
  void field(Duration value) { field(value.picoseconds()); }
  void field(Bytes value) { field(value.count()); }
  void field(Rate value) { field(value.bits_per_second()); }
  void field(double value) { field(fmt::format("{}", value)); }
  template <class T>
  void field(const std::optional<T>& value) {
    value ? field(*value) : field("");
  }
  void end() {
    file_.text += '\n';
    first_ = true;
  }
  [[nodiscard]] CsvFile take() { return std::move(file_); }

 private:
  void separate() {
    file_.text += first_ ? "" : ",";
    first_ = false;
  }

  CsvFile file_;
  bool first_ = true;
};

CsvFile messages(std::span<const RunResults> runs) {
  Table table("messages.csv",
              "run,case,job,source,destination,flow,number,bytes,operation,status,posted_ps,finished_ps,delivered_ps,"
              "ideal_ps");
  for (const RunResults& results : runs) {
    for (const MessageRow& row : results.messages) {
      const workload::MessageRecord& record = row.record;
      const JobRow& job = results.jobs.at(record.flow.job.value());
      table.begin(results.run);
      table.field(job.name);
      table.field(job.ranks.at(record.flow.source.value()).name);
      table.field(job.ranks.at(record.flow.destination.value()).name);
      table.field(record.flow.index);
      table.field(record.number);
      table.field(record.size);
      table.field(workload::to_string(record.operation));
      table.field(verbs::to_string(record.status));
      table.field(record.posted);
      table.field(record.finished);
      table.field(record.delivered);
      table.field(row.ideal);
      table.end();
    }
  }
  return table.take();
}

CsvFile jobs(std::span<const RunResults> runs) {
  Table table("jobs.csv",
              "run,case,job,ranks,messages,failed,payload_bytes,goodput_bps,completion_median_ps,completion_p99.9_ps,"
              "completion_max_ps,latency_median_ps,latency_p99.9_ps,jitter_ps,slowdown_median,slowdown_p99.9,"
              "jain_index,paths_allow_bps,paths_allow_slowest_bps");
  for (const RunResults& results : runs) {
    for (const JobSummary& job : summarise(results).jobs) {
      const auto some = [&](const auto& spread, auto member) {
        if (spread) {
          table.field((*spread).*member);
        } else {
          table.field("");
        }
      };
      table.begin(results.run);
      table.field(job.name);
      table.field(job.ranks);
      table.field(job.messages);
      table.field(job.failed);
      table.field(job.payload);
      table.field(job.goodput);
      some(job.completion, &Spread<Duration>::median);
      some(job.completion, &Spread<Duration>::p999);
      some(job.completion, &Spread<Duration>::max);
      some(job.latency, &Spread<Duration>::median);
      some(job.latency, &Spread<Duration>::p999);
      table.field(job.jitter);
      some(job.slowdown, &Spread<double>::median);
      some(job.slowdown, &Spread<double>::p999);
      table.field(job.jain);
      some(job.allowed, &AllowedRates::per_sender);
      some(job.allowed, &AllowedRates::slowest);
      table.end();
    }
  }
  return table.take();
}

CsvFile ports(std::span<const RunResults> runs) {
  Table table("ports.csv",
              "run,case,port,peer,rate_bps,lane,tx_packets,tx_bytes,marked,queue_peak_bytes,ingress_peak_bytes,"
              "pauses_sent,pauses_received,held_ps,port_rx_packets,port_rx_bytes,port_drops,port_receive_errors");
  for (const RunResults& results : runs) {
    for (const PortRow& port : results.ports) {
      for (const LaneRow& lane : port.lanes) {
        table.begin(results.run);
        table.field(port.name);
        table.field(port.peer);
        table.field(port.rate);
        table.field(unsigned{lane.lane});
        table.field(lane.tx_packets);
        table.field(lane.tx_bytes);
        table.field(lane.marked);
        table.field(lane.queue_peak);
        table.field(lane.ingress_peak);
        table.field(lane.pauses_sent);
        table.field(lane.pauses_received);
        table.field(lane.held);
        table.field(port.rx_packets);
        table.field(port.rx_bytes);
        table.field(port.drops);
        table.field(port.receive_errors);
        table.end();
      }
    }
  }
  return table.take();
}

CsvFile paths(std::span<const RunResults> runs) {
  Table table("paths.csv",
              "run,case,port,grade,chosen_packets,time_ps,port_flowlets,port_notifications_sent,"
              "port_notifications_received");
  for (const RunResults& results : runs) {
    for (const PortRow& port : results.ports) {
      for (std::size_t grade = 0; grade < port.choices.grades.size(); ++grade) {
        table.begin(results.run);
        table.field(port.name);
        table.field(grade);
        table.field(port.choices.grades[grade].chosen);
        table.field(port.choices.grades[grade].time);
        table.field(port.choices.flowlets);
        table.field(port.choices.notifications_sent);
        table.field(port.choices.notifications_received);
        table.end();
      }
    }
  }
  return table.take();
}

CsvFile reordering(std::span<const RunResults> runs) {
  Table table("reordering.csv", "run,case,nic,nic_data_packets,distance,late_packets");
  for (const RunResults& results : runs) {
    for (const NicRow& nic : results.nics) {
      for (const host::ReorderMeter::Late& late : nic.late) {
        table.begin(results.run);
        table.field(nic.name);
        table.field(nic.ordered);
        table.field(late.distance);
        table.field(late.packets);
        table.end();
      }
    }
  }
  return table.take();
}

CsvFile samples(std::span<const RunResults> runs) {
  Table table("samples.csv", "run,case,at_ps,port,queue_bytes,tx_bytes,utilisation,held_ps");
  for (const RunResults& results : runs) {
    for (const SampleRow& sample : results.samples) {
      table.begin(results.run);
      table.field(sample.at);
      table.field(results.ports.at(sample.port).name);
      table.field(sample.queue_bytes);
      table.field(sample.tx_bytes);
      table.field(static_cast<double>(sample.utilisation) * 1e-6);
      table.field(sample.held);
      table.end();
    }
  }
  return table.take();
}

CsvFile steps(std::span<const RunResults> runs) {
  Table table(
      "steps.csv",
      "run,case,job,workload,model,gpu,gpus,step_ps,compute_ps,tokens_per_second,utilisation,part,communication,"
      "exposed_ps,waiting_ps,busy_ps,sent_bytes,operations");
  for (const RunResults& results : runs) {
    for (const StepRow& step : results.steps) {
      for (const StepPart& part : step.parts) {
        table.begin(results.run);
        table.field(step.job);
        table.field(step.workload);
        table.field(step.model);
        table.field(step.gpu);
        table.field(step.gpus);
        table.field(step.time);
        table.field(step.compute);
        table.field(step.tokens_per_second);
        table.field(step.utilisation);
        table.field(part.name);
        table.field(part.communication ? 1 : 0);
        table.field(part.exposed);
        table.field(part.waiting);
        table.field(part.busy);
        table.field(part.sent);
        table.field(part.operations);
        table.end();
      }
    }
  }
  return table.take();
}

}  // namespace

std::vector<CsvFile> to_csv(std::span<const RunResults> runs) {
  return {messages(runs), jobs(runs), ports(runs), paths(runs), reordering(runs), samples(runs), steps(runs)};
}

}  // namespace weft::study::results
