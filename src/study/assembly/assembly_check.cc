#include "study/assembly/assembly_check.h"

#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/receive_buffers.h"

namespace weft::study::assembly {

Result<void> check_assembly(const scenario::Scenario& scenario) {
  auto graph = build_topology(scenario);
  if (!graph) {
    return pass_on(graph);
  }
  if (auto receive = receive_flow_control(scenario, *graph); !receive) {
    return pass_on(receive);
  }
  auto scale_up = plan_scale_up(scenario, *graph);
  if (!scale_up) {
    return pass_on(scale_up);
  }
  auto plans = plan_traffic(scenario, *graph, scale_up->has_value() ? &**scale_up : nullptr);
  return plans ? Result<void>() : pass_on(plans);
}

}  // namespace weft::study::assembly
