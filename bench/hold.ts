/** A holder nobody looks at: the code of `holt run` without a person's terminal. Run as its own process by capture.ts. */
import { HeldSession } from "../src/holder/held-session.ts";
import { USUAL_SHARING } from "../src/protocol/client-rules.ts";
import { type AskedMeta, claimSession, metaFor } from "../src/holder/claim.ts";
import { SessionRecord } from "../src/holder/session-record.ts";
import { LEADER_COMMAND } from "../src/process/leader-launch.ts";
import { onSignals } from "../src/platform/signals.ts";
import { startPty } from "../src/process/pty.ts";
import { inheritedVariable, rawEnvironment } from "../src/platform/raw-arguments.ts";
import { resolveCommand } from "../src/process/resolve-command.ts";
import { layoutAt, prepareLayout, stateRoot } from "../src/transcript/layout.ts";
import { placeIn } from "../src/transcript/place.ts";

const [word, ...rest] = process.argv.slice(2);
if (word === LEADER_COMMAND) process.exit(await (await import("../src/process/leader.ts")).main(rest));
const command = word === undefined ? [] : [word, ...rest];
const layout = layoutAt(stateRoot());
prepareLayout(layout);
const dir = claimSession(layout, null);
const size = { cols: 80, rows: 24, width: 0, height: 0 };
const argv = command.map((text) => Buffer.from(text));
const env = rawEnvironment("HOLT_SESSION_ID", dir.id);
const spec = {
  path: resolveCommand(argv[0] ?? Buffer.from(""), inheritedVariable("PATH")),
  argv,
  env,
  inherited: [],
  limits: [],
};
const log = { write() {}, has: () => false, [Symbol.dispose]() {} };
const asked: AskedMeta = {
  name: null,
  argv: command,
  cwd: process.cwd(),
  env_keys: [],
  transport_mode: "posix-pty",
  tty_attached: false,
  size,
  project_id: null,
  shared: false,
  retention_seconds: 3600,
  max_output_bytes: 2 ** 40,
  previous_session_id: null,
  restart: null,
  limits: null,
  linger: false,
  timeout_ms: null,
  idle_timeout_ms: null,
  client_rules: null,
  started_by: null,
  channels: [],
};
const record = new SessionRecord(placeIn(dir), metaFor(asked, { layout, id: dir.id, log }), log);
const session = new HeldSession({
  layout,
  record,
  log,
  reserved: { input: null, size: null },
  sharing: USUAL_SHARING,
  background: null,
});
onSignals(["SIGCHLD"], ({ pid }) => session.childChanged(pid));
await session.start(
  (events) =>
    startPty({ spec, size, termios: null, typedAhead: new Uint8Array(0), stderr: "terminal", inFront: true }, events),
  { starting() {}, made() {}, running() {}, output() {}, stopped() {}, inputDrained() {} },
  { timeoutMs: null, idleTimeoutMs: null },
);
const { ending, usage } = await session.ended();
const complete = await session.drain(2000);
const final = await session.finish(ending, usage, complete);
process.exit(final.output_complete && ending.kind === "exited" ? ending.code : 1);
