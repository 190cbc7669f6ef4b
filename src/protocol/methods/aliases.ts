/**
 * Aliases of methods and parameters, for clients written for the systems that holt replaces. A call
 * under an alias is resolved first, then checked, authorized and answered as the method itself.
 */
type Params = Record<string, unknown>;

interface Alias {
  method: string;
  params?: (given: Params) => Params;
}

/** Renames parameters. An unknown name passes through and is refused by the method. */
function renamed(names: Readonly<Record<string, string>>) {
  return (given: Params): Params =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [Object.hasOwn(names, name) ? (names[name] ?? name) : name, value]),
    );
}

/** Those clients call a project a session, and a session an execution. */
const EXECUTION = renamed({ executionId: "session_id", execution_id: "session_id" });
const RUN_NAMES = renamed({
  sessionId: "project_id",
  timeout: "timeout_ms",
  outputMode: "output_mode",
  workingDirectory: "cwd",
  environment: "env",
  notifyOn: "notify_on",
});
const TERMINAL = renamed({ ptyId: "id", pty_id: "id" });

export const ALIASES: Readonly<Record<string, Alias>> = {
  "exec.runBackground": { method: "exec.run_background", params: RUN_NAMES },
  execute_command: { method: "exec.run", params: runParams },
  execute: { method: "exec.run", params: runParams },
  get_output: { method: "exec.output", params: outputParams },
  "pty.spawn": { method: "pty.open", params: spawnParams },
  spawn_shell: { method: "pty.open", params: spawnParams },
  "pty.write": { method: "pty.send", params: writeParams },
  "fs.readFile": { method: "fs.read_file" },
  "fs.writeFile": { method: "fs.write_file" },
};

/** The method of a call, with its parameters renamed. */
export function canonicalCall(name: string, given: unknown): { method: string; params: unknown } {
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  if (alias === undefined) return { method: name, params: given };
  const { method, params = (same) => same } = alias;
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  return { method, params: isObject ? params({ ...given }) : given };
}

function runParams(given: Params): Params {
  const { background, ...rest } = RUN_NAMES(given);
  return { ...rest, ...(background === true ? { output_mode: "streaming", detached: true } : {}) };
}

function outputParams(given: Params): Params {
  const { offset, limit, ...rest } = EXECUTION(given);
  return {
    ...rest,
    ...(offset === undefined ? {} : { cursor: typeof offset === "number" ? String(offset) : offset }),
    ...(limit === undefined ? {} : { max_bytes: limit }),
  };
}

/** A shell command, or the shell; in the project environment unless the call says otherwise. */
function spawnParams(given: Params): Params {
  const { command, size, sessionId: _project, ...rest } = given;
  return {
    env_mode: "project",
    ...rest,
    ...(typeof size === "object" ? size : {}),
    ...(command === undefined ? {} : { argv: ["/bin/sh", "-c", command] }),
  };
}

/** Text; pty.send takes base64. */
function writeParams(given: Params): Params {
  const { data, ...rest } = TERMINAL(given);
  return { ...rest, ...(typeof data === "string" ? { data: new TextEncoder().encode(data).toBase64() } : {}) };
}
