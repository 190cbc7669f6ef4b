// Which room of src/ may import which: an oxlint plugin with one table, run by `make check`.
//
// The built-in no-restricted-imports does not suffice: it does not see import(`…`) nor import("…").T, and has
// no way to say "nothing but" for files at any depth. JavaScript because Node 20, which runs oxlint, cannot
// load TypeScript.

import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What each room may import of ours, beside itself. A top-level file of src/ is a room of its own. */
export const ROOMS = {
  protocol: [],
  platform: ["protocol"],
  config: ["protocol", "platform"],
  transcript: ["protocol", "platform"],
  terminal: ["protocol"],
  policy: ["protocol"],
  process: ["protocol", "platform"],
  rendering: ["protocol", "platform", "transcript", "terminal"],
  holder: ["protocol", "platform", "transcript", "terminal", "process", "rendering"],
  client: ["protocol", "platform", "transcript", "terminal", "rendering"],
  library: ["protocol"],
  surfaces: ["protocol", "client", "terminal"],
  page: ["surfaces"],
  daemon: ["protocol", "platform", "config", "policy", "transcript", "client", "surfaces", "page"],
  cli: ["protocol", "client", "terminal", "platform", "config"],
  "main.ts": ["cli", "process", "holder", "daemon"],
};

/** Single files that open onto one room more. */
export const DOORS = {
  "cli/commands/sessions/run.ts": ["holder"],
  "cli/commands/machine/mcp.ts": ["surfaces"],
  "cli/commands/machine/daemon.ts": ["daemon"],
  "cli/commands/machine/config.ts": ["policy"],
};

/** Which of its siblings each folder of a room may import. "." is the room's own files; a room without a row has no folders. */
export const FOLDERS = {
  cli: {
    commands: ["completion", "declarations", "options", "output", "topics"],
    completion: ["declarations", "topics"],
    declarations: ["output"],
    options: [],
    output: [],
    topics: [],
  },
  client: {
    ".": [],
    attach: [".", "holder", "read", "sessions"],
    daemon: ["."],
    holder: ["."],
    read: [".", "attach", "holder", "sessions"],
    sessions: [".", "daemon", "holder", "read"],
    wait: [".", "attach", "holder", "read", "sessions"],
  },
  config: {
    ".": ["key-lines"],
    "key-lines": [],
  },
  daemon: {
    ".": ["calls", "files", "lifecycle", "policy", "sessions", "subscriptions", "web"],
    audit: ["calls"],
    calls: [".", "audit", "handlers", "policy"],
    files: ["calls", "policy"],
    handlers: [".", "calls", "files", "sessions", "subscriptions", "web"],
    lifecycle: [".", "audit", "calls", "files", "policy", "sessions", "web"],
    policy: [".", "calls", "sessions"],
    sessions: [".", "calls", "files", "policy", "web"],
    subscriptions: ["calls", "sessions"],
    web: [".", "calls", "sessions"],
  },
  holder: {
    attach: ["session", "socket"],
    session: ["shell", "socket"],
    shell: ["session", "socket"],
    socket: ["attach", "session", "shell"],
    start: ["session", "shell", "socket"],
  },
  platform: {
    ".": ["fs", "native", "process", "tty"],
    fs: ["native"],
    log: ["fs"],
    native: ["fs", "sockets"],
    process: ["fs", "native"],
    sockets: ["fs", "native"],
    tty: ["fs", "native", "process", "sockets"],
  },
  process: {
    ".": ["leader"],
    leader: ["."],
    pipes: [".", "pty"],
    pty: [".", "leader"],
  },
  protocol: {
    methods: ["types", "wire"],
    types: ["wire"],
    wire: ["types"],
  },
  rendering: {
    ".": [],
    export: ["."],
    grep: [],
  },
  surfaces: {
    http: ["jsonrpc", "websocket"],
    jsonrpc: [],
    mcp: ["http", "jsonrpc", "websocket"],
    websocket: ["http", "jsonrpc"],
  },
  terminal: {
    emulator: ["keys", "parser", "queries", "screen", "text"],
    filter: ["parser"],
    keys: [],
    parser: [],
    queries: ["keys", "parser", "screen"],
    screen: ["emulator", "parser", "text"],
    text: ["parser", "screen"],
  },
  transcript: {
    ".": [],
    read: [".", "write"],
    retention: [".", "read", "write"],
    write: [".", "read"],
  },
};

const SCHEMA = /^protocol\/.*\.schema\.ts$/;
const SURFACES = /^surfaces\//;
const DAEMON = /^daemon\//;

/** npm packages and the files that may import them; one that is not listed may be imported nowhere. */
const PACKAGES = [
  {
    name: /^zod(\/|$)/,
    files: [SURFACES, DAEMON, SCHEMA],
    rule: "zod only in surfaces/, daemon/ and protocol/*.schema.ts",
  },
  { name: /^@xterm\//, files: [/^terminal\/emulator/], rule: "@xterm/* only in terminal/emulator*.ts" },
  { name: /^@modelcontextprotocol\//, files: [SURFACES], rule: "@modelcontextprotocol/* only in surfaces/" },
];

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const BUILT_IN = /^(node:|bun:|bun$)/;

/**
 * @param {string} file path below src/
 * @param {string} specifier
 * @param {boolean} typeOnly
 * @returns {string | undefined} the broken rule
 */
function broken(file, specifier, typeOnly) {
  if (BUILT_IN.test(specifier)) return undefined;
  if (!specifier.startsWith(".")) return brokenPackage(file, specifier);

  const target = relative(SRC, resolve(SRC, dirname(file), specifier)).replaceAll(sep, "/");
  const [room, targetRoom] = [roomOf(file), roomOf(target)];
  const allowed = ROOMS[/** @type {keyof typeof ROOMS} */ (room)];
  if (allowed === undefined) return `src/${room} is not a room: give it a row in scripts/boundaries.js`;

  const doors = DOORS[/** @type {keyof typeof DOORS} */ (file)] ?? [];
  if (room !== targetRoom && ![...allowed, ...doors].includes(targetRoom)) {
    return `${room} imports ${allowed.length ? `only ${allowed.join(", ")}` : "nothing"} of ours, not ${target}`;
  }
  const seam = room === targetRoom ? brokenSeam(room, file, target) : undefined;
  if (seam !== undefined) return seam;
  // A schema loads zod, so whoever may not load zod may not load a schema either; its types cost nothing.
  if (SCHEMA.test(target) && !typeOnly) return brokenPackage(file, "zod");
  return undefined;
}

/** @param {string} file @param {string} specifier */
function brokenPackage(file, specifier) {
  const known = PACKAGES.find(({ name }) => name.test(specifier));
  if (known?.files.some((allowed) => allowed.test(file))) return undefined;
  return known?.rule ?? `package ${specifier} has no row in scripts/boundaries.js (built-ins are node:… or bun:…)`;
}

/** @param {string} room @param {string} file @param {string} target */
function brokenSeam(room, file, target) {
  const [from, to] = [folderOf(file), folderOf(target)];
  const folders = FOLDERS[/** @type {keyof typeof FOLDERS} */ (room)];
  if (from === to || folders === undefined) return undefined;
  const siblings = /** @type {Record<string, string[]>} */ (folders)[from];
  if (siblings === undefined) return `src/${room}/${from} has no row in FOLDERS of scripts/boundaries.js`;
  if (siblings.includes(to)) return undefined;
  return `${room}/${from} imports ${siblings.length ? `only ${siblings.join(", ")}` : "nothing"} of its room, not ${target}`;
}

/** @param {string} path below src/ */
const folderOf = (path) => (path.split("/").length > 2 ? (path.split("/")[1] ?? ".") : ".");

/** @param {string} path below src/ */
const roomOf = (path) => path.split("/", 1)[0] ?? path;

/** @typedef {{ type: string, value?: unknown, quasis?: { value: { cooked: string } }[] }} Source */

/** The text of a specifier, or undefined when it is computed. @param {Source} source */
function textOf({ type, value, quasis }) {
  if (typeof value === "string") return value;
  return type === "TemplateLiteral" && quasis?.length === 1 ? quasis[0]?.value.cooked : undefined;
}

const rule = {
  /** @param {{ filename: string, report(problem: { node: unknown, message: string }): void }} context */
  create(context) {
    const file = relative(SRC, context.filename).replaceAll(sep, "/");
    /** @param {Source | null | undefined} source @param {boolean} typeOnly @param {unknown} node */
    const check = (source, typeOnly, node) => {
      if (!source) return;
      const text = textOf(source);
      const message =
        text === undefined ? "import() takes a literal here, so that it can be checked" : broken(file, text, typeOnly);
      if (message !== undefined) context.report({ node, message: `import boundary: ${message}` });
    };
    /** @param {{ source?: Source | null, importKind?: string, exportKind?: string }} node */
    const declaration = (node) => check(node.source, node.importKind === "type" || node.exportKind === "type", node);
    return {
      ImportDeclaration: declaration,
      ExportNamedDeclaration: declaration,
      ExportAllDeclaration: declaration,
      /** @param {{ source: Source }} node */
      ImportExpression: (node) => check(node.source, false, node),
      /** @param {{ source: Source }} node */
      TSImportType: (node) => check(node.source, true, node),
    };
  },
};

export default { meta: { name: "holt" }, rules: { boundaries: rule } };
