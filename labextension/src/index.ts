/** The plugins of the extension; the MIME renderer is an extension of its own (`plugins/mime`). */

import commands from './plugins/commands';
import endings from './plugins/endings';
import insert from './plugins/insert';
import references from './plugins/references';
import sessions from './plugins/sessions';

export default [commands, endings, insert, references, sessions];
