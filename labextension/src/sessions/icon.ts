/** The panel's sign: one asks three, who do not know each other. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
<g class="jp-icon3" fill="none" stroke="#616161" stroke-width="1.8"><path d="M12 8v4M12 12H5v3M12 12v3M12 12h7v3"/></g>
<g class="jp-icon3" fill="#616161"><circle cx="12" cy="5.5" r="3"/><circle cx="5" cy="17.5" r="2.4"/><circle cx="12" cy="17.5" r="2.4"/><circle cx="19" cy="17.5" r="2.4"/></g>
</svg>`;

export const sessionsIcon = new LabIcon({ name: 'braincode:sessions', svgstr: SVG });
