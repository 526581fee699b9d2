// The parts of Apache ECharts that the report uses; the bundler leaves the others out.
import {BarChart, CustomChart, GraphChart, LineChart, ScatterChart, TreeChart} from 'echarts/charts';
import {
  AriaComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import {init, use} from 'echarts/core';
import {LabelLayout} from 'echarts/features';
import {SVGRenderer} from 'echarts/renderers';

use([
  BarChart,
  CustomChart,
  GraphChart,
  LineChart,
  ScatterChart,
  TreeChart,
  AriaComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  LabelLayout,
  SVGRenderer,
]);

export {init};
