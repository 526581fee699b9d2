// The settings that each fabric needs right, and on how many devices.
import {having} from './comparison.js';
import {count, isNumber} from './format.js';
import {absent, details, section, table} from './section.js';
import {fabricName} from './marks.js';
import {h} from './dom.js';

export function settings(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric.settings?.list);
  if (fabrics.length === 0) return absent('settings', 'Settings to get right', 'Which settings a fabric needs');
  return section(
    'settings',
    'Settings to get right',
    'Every setting that must be right for the fabric to work as simulated, and the devices that carry it.',
    fabrics.map((fabric) =>
      h(
        'div',
        {class: 'block'},
        h('h3', {}, fabricName(fabric, looks)),
        details(
          `${isNumber(fabric.settings.count) ? count(fabric.settings.count) : fabric.settings.list.length} settings` +
            `${isNumber(fabric.settings.devices) ? ` on ${count(fabric.settings.devices)} devices` : ''}`,
          () =>
            table(
              `Settings of ${fabric.name}`,
              [{name: 'Key'}, {name: 'Value'}, {name: 'On'}, {name: 'Devices', number: true}],
              fabric.settings.list.map((row) => [
                row.key,
                row.value ?? '',
                row.devices ?? '',
                isNumber(row.count) ? count(row.count) : '',
              ]),
            ),
        ),
      ),
    ),
  );
}
