/** The plugins of the extension; the MIME renderer is an extension of its own (`plugins/mime`). */

import commands from './plugins/commands';
import completer from './plugins/completer';
import connection from './plugins/connection';
import endings from './plugins/endings';
import highlight from './plugins/highlight';
import insert from './plugins/insert';
import orphans from './plugins/orphans';
import references from './plugins/references';
import sessions from './plugins/sessions';
import settings from './plugins/settings';
import snapshot from './plugins/snapshot';
import waiting from './plugins/waiting';

export default [
  commands,
  completer,
  connection,
  endings,
  highlight,
  insert,
  orphans,
  references,
  sessions,
  settings,
  snapshot,
  waiting
];
