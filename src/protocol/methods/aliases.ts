/**
 * Other names of methods, as clients know them that were written for what holt was made from; and their names of parameters. A call under such a name
 * is that of the method: it is looked up, checked, allowed and answered as one.
 */
type Params = Record<string, unknown>;

interface Alias {
  method: string;
  params?: (given: Params) => Params;
}

/** Old name → ours. What is in neither goes as it is, and is refused like any other name that the method has not. */
function renamed(names: Readonly<Record<string, string>>) {
  return (given: Params): Params =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [Object.hasOwn(names, name) ? (names[name] ?? name) : name, value]),
    );
}

/** A project is what they call a session, and a session what they call an execution. */
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

/** The method that a call is for, with its parameters in that one's names. */
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

/** A line for the shell, or the shell; in the environment of a project, not in none. */
function spawnParams(given: Params): Params {
  const { command, size, sessionId: _project, ...rest } = given;
  return {
    env_mode: "project",
    ...rest,
    ...(typeof size === "object" ? size : {}),
    ...(command === undefined ? {} : { argv: ["/bin/sh", "-c", command] }),
  };
}

/** Text, where pty.send has bytes. */
function writeParams(given: Params): Params {
  const { data, ...rest } = TERMINAL(given);
  return { ...rest, ...(typeof data === "string" ? { data: new TextEncoder().encode(data).toBase64() } : {}) };
}
