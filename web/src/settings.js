// The settings that each fabric needs right, and on how many devices.
import {having} from './comparison.js';
import {count, isNumber} from './format.js';
import {absent, details, section, table} from './section.js';
import {fabricName} from './marks.js';
import {h} from './dom.js';

/** "1 device". */
export const devicesText = (devices) => `${count(devices)} ${devices === 1 ? 'device' : 'devices'}`;

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
        fabric.settings.count === 0 && h('p', {class: 'key'}, 'None: factory defaults.'),
        fabric.settings.count !== 0 && details(
          `${isNumber(fabric.settings.count) ? count(fabric.settings.count) : fabric.settings.list.length} settings` +
            `${isNumber(fabric.settings.devices) ? ` on ${devicesText(fabric.settings.devices)}` : ''}`,
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
