/**
 * A holder that waits for its session. Everything that can be done before the request is known is done while nobody waits: most of a
 * start's time goes into code that runs for the first time, so it rehearses, with sessions of its own in a place of its own.
 *
 * Then it blocks in read(2) on the daemon's channel: a daemon that ends, however it ends, leaves no holder without a session behind. Who ends a
 * holder that has no session ends nothing else, whenever that is: a signal that waited for the loop would end the session that comes next.
 */
import { closeQuietly, movedUp } from "../platform/descriptors.ts";
import { openDirectory } from "../platform/files.ts";
import { makeDirectory, writeAll } from "../platform/fs.ts";
import { inheritedEnvironment } from "../platform/raw-arguments.ts";
import { removeTreeAt } from "../platform/remove-tree.ts";
import { withDefaults } from "../platform/signal-action.ts";
import { socketPair } from "../platform/unix-socket.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { newSessionId } from "../protocol/session-id.ts";
import { type EndNotice, REPLY_FD, REQUEST_FD, type StartRequest } from "../protocol/start-request.ts";
import { Berth } from "../transcript/berth.ts";
import { type Layout, layoutAt, prepareLayout } from "../transcript/layout.ts";
import { ownChildren } from "../process/own-children.ts";
import { readLine, type Starter, tellerOn } from "./starter.ts";

const SIGINT = 2;
const SIGTERM = 15;

/** On pipes, and on a terminal. */
const REHEARSED_SIZES = [null, { cols: 80, rows: 24 }];

const SOME_BYTES = 8 * 1024;

/** A reply may be larger than a socket's buffer. A daemon that is stopped does not hold up the session for longer, and finds it on disk. */
const REPLY_MS = 2000;

/** Where a session is played. */
export interface Stage {
  layout: Layout;
  /** Made ready for the session; null where it has to see to that itself. */
  berth: Berth | null;
  /** The children that we have already; looked up where nobody has. */
  foreign?: readonly number[];
  /** Nobody's session: its start does not look for what retention is to remove, and who ends it means the holder. */
  isRehearsal: boolean;
}

/** A whole session, from the request to its last word. */
export type Play = (starter: Starter, stage: Stage) => Promise<unknown>;

/** Returns when there is a request, or nobody left who could make one. `rest`: there is no session now, and signals that came so far are told of. */
export async function warmUp(
  layout: Layout,
  play: Play,
  rest: () => void,
): Promise<{ starter: Starter; stage: Stage }> {
  const channel = movedUp(REQUEST_FD); // no child's
  closeQuietly(REPLY_FD);
  Bun.gc(true); // what loading left lies where the rehearsal's lasting things then go, instead of between them
  rest(); // their commands may end before anybody else listens
  await rehearse(layout, play);
  const starter = starterOn(channel);
  const { line, stage } = withDefaults([SIGINT, SIGTERM], () => {
    rest();
    const empty = stageIn(layout, false);
    return { line: readLine(channel), stage: empty };
  });
  // From here on a signal is the session's.
  return { stage, starter: { ...starter, request: () => requestIn(line) } };
}

function requestIn(line: string | null): StartRequest | null {
  return line === null ? null : (JSON.parse(line) as StartRequest);
}

function stageIn(layout: Layout, isRehearsal: boolean): Stage {
  return { layout, berth: berthIn(layout), foreign: ownChildren() ?? [], isRehearsal };
}

/** A disk that is full now may not be when the session comes. */
function berthIn(layout: Layout): Berth | null {
  try {
    return new Berth(layout);
  } catch {
    return null;
  }
}

function starterOn(to: number): Starter {
  const tell = tellerOn(to);
  let isHeard = true;
  let unsaid: object[] = [];
  const say = (message: object | null, patienceMs: number): void => {
    const messages = message === null ? unsaid : [...unsaid, message];
    unsaid = [];
    if (isHeard && messages.length > 0) isHeard = tell(messages, messages.length > 1 ? REPLY_MS : patienceMs);
  };
  return {
    isPrepared: true,
    request: () => null,
    reply(answer, when) {
      if (when === "now") return say(answer, REPLY_MS);
      unsaid.push(answer);
      setImmediate(() => say(null, REPLY_MS));
    },
    ended: (final) => say({ ended: final.session_id, final } satisfies EndNotice, 0),
  };
}

async function rehearse(layout: Layout, play: Play): Promise<void> {
  const name = `rehearsal-${process.pid}`;
  const stage = layoutAt(`${layout.run}/${name}`);
  const [readEnd, writeEnd] = socketPair(); // a pipe may be too small for the message, which nobody else would read
  try {
    makeDirectory(stage.root, 0o700); // alone: where the state directory was removed, nothing is rehearsed
    prepareLayout(stage);
    for (const size of REHEARSED_SIZES) {
      writeAll(writeEnd, bytesOf(`${JSON.stringify(requestOf(size))}\n`));
      const line = readLine(readEnd);
      await play({ ...starterOn(writeEnd), request: () => requestIn(line) }, stageIn(stage, true));
      readLine(readEnd); // what it replied
      Bun.gc(true); // or the session would be laid out between what the rehearsal left, and keep its pages
    }
  } finally {
    [readEnd, writeEnd].forEach(closeQuietly);
    clearStage(layout, name);
  }
}

function requestOf(size: StartRequest["size"]): StartRequest {
  return {
    argv: [bytesOf("true").toBase64()],
    env: someEnvironment().map((entry) => entry.toBase64()),
    cwd: "/",
    umask: 0o077,
    session_id: newSessionId(),
    name: null,
    project_id: null,
    retention_seconds: 1,
    max_output_bytes: 1024,
    timeout_ms: null,
    idle_timeout_ms: null,
    max_clients: 1,
    size_rule: "smallest",
    input: "shared",
    size,
  };
}

/** As much as most have. */
function someEnvironment(): Uint8Array[] {
  let bytes = 0;
  return inheritedEnvironment().filter(({ length }) => (bytes += length) < SOME_BYTES);
}

function clearStage({ run }: Layout, name: string): void {
  const fd = openDirectory(run);
  if (fd === null) return;
  try {
    removeTreeAt({ fd, path: run }, name);
  } finally {
    closeQuietly(fd);
  }
}
