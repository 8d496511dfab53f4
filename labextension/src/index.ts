/** The plugins of the extension; the MIME renderer is an extension of its own (`plugins/mime`). */

import commands from './plugins/commands';

export default [commands];
