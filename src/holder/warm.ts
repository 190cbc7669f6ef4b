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
import { ownIdentity } from "../platform/processes.ts";
import { socketPair } from "../platform/unix-socket.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { cueOf, wordsIn } from "../protocol/cue.ts";
import { blockOf } from "../protocol/environment-block.ts";
import { askedFor, metaText, newMeta } from "../protocol/new-meta.ts";
import { preparedMessage, type PreparedStart } from "../protocol/prepared-start.ts";
import { newSessionId, SESSION_MARK } from "../protocol/session-id.ts";
import { VERSION } from "../protocol/version.ts";
import {
  type EndNotice,
  type Ready,
  type ReadyNotice,
  REPLY_FD,
  REQUEST_FD,
  type StartRequest,
} from "../protocol/start-request.ts";
import { Berth } from "../transcript/berth.ts";
import { type Layout, layoutAt, prepareLayout } from "../transcript/layout.ts";
import type { Place } from "../transcript/place.ts";
import { ownChildren } from "../process/tree.ts";
import { Understudy } from "../process/understudy.ts";
import { type Asked, askedIn, readLine, readStart, type Starter, tellerOn, type Told, wordsOf } from "./starter.ts";

const SIGINT = 2;
const SIGTERM = 15;

/** On pipes, and on a terminal; prepared, as most will be. One more, for those that are not, would cost every session 50 KB for as long as it lives. */
const REHEARSED_SIZES = [null, { cols: 80, rows: 24 }];

const SOME_BYTES = 8 * 1024;

/** A reply may be larger than a socket's buffer. A daemon that is stopped does not hold up the session for longer, and finds it on disk. */
const REPLY_MS = 2000;

/** A session that was begun before anything else was known of it. */
export interface Begun {
  place: Place;
  /** `meta.json`. */
  record: string;
  /** The understudy has been told what to be. */
  isCued: boolean;
}

/** Where a session is played. */
export interface Stage {
  layout: Layout;
  /** Made ready for the session; null where it has to see to that itself. */
  berth: Berth | null;
  /** Waits for the command; null where that is to be started. */
  understudy: Understudy | null;
  /** The children that we have already; looked up where nobody has. */
  foreign?: readonly number[];
  /** The session has a name and a command already, with this record; null: all of that is still to be done. */
  begun: Begun | null;
  /** Nobody's session: its start does not look for what retention is to remove, and who ends it means the holder. */
  isRehearsal: boolean;
}

/** A whole session, from the request to its last word. */
export type Play = (starter: Starter, stage: Stage) => Promise<unknown>;

/**
 * Returns when there is a session, or nobody who could ask for one. `rest`: there is none now, and signals that came so far are told of. `isWanted`: who asks
 * wants to hear that it may, and prepares starts.
 */
export async function warmUp(
  layout: Layout,
  play: Play,
  { rest, isWanted }: { rest: () => void; isWanted: boolean },
): Promise<{ starter: Starter; stage: Stage }> {
  const channel = movedUp(REQUEST_FD); // no child's
  closeQuietly(REPLY_FD);
  Bun.gc(true); // what loading left lies where the rehearsal's lasting things then go, instead of between them
  rest(); // their commands may end before anybody else listens
  await rehearse(layout, play);
  const starter = starterOn(channel);
  const { told, stage } = withDefaults([SIGINT, SIGTERM], () => {
    rest();
    const empty = stageIn(layout, false);
    if (isWanted) announce(channel, empty);
    return { told: readStart(channel), stage: empty };
  });
  // From here on a signal is the session's.
  const taken = takeUp(told, stage);
  return { stage: taken.stage, starter: { ...starter, request: () => taken.request } };
}

function announce(channel: number, stage: Stage): void {
  const ready = readyOf(stage);
  if (ready === null) return;
  try {
    writeAll(channel, bytesOf(`${JSON.stringify({ ready } satisfies ReadyNotice)}\n`));
  } catch {
    // The daemon is gone; what it might have asked for is read next, and tells.
  }
}

/** Null where no start can be prepared for it. */
function readyOf({ berth, understudy }: Stage): Ready | null {
  const socket = berth?.socket?.path;
  if (socket === undefined || understudy === null) return null;
  const { identity, terminal } = understudy;
  return { holt_version: VERSION, holder: ownIdentity(), understudy: identity, terminal, socket };
}

/** What was prepared is begun at once: what it is can be read while the command comes up. */
function takeUp({ prepared, line }: Told, stage: Stage): { request: Asked | null; stage: Stage } {
  const begun = prepared === null ? {} : beginIn(stage, prepared);
  const request = line();
  if (request === null) return { request: null, stage: { ...stage, ...begun } };
  const rest = JSON.parse(request) as StartRequest;
  const cue = prepared?.cue.slice(); // without the block that it was read into
  const asked = cue === undefined ? askedIn(rest) : { ...rest, words: wordsOf(cue, wordsIn) };
  return { request: asked, stage: { ...stage, ...begun } };
}

/** Where it cannot be begun that way it is begun as any other, and then it is told why not. */
function beginIn({ berth, understudy }: Stage, { id, size, meta, cue }: PreparedStart): Partial<Stage> {
  if (berth === null) return {};
  try {
    berth.begin(id, meta);
  } catch {
    berth[Symbol.dispose]();
    return { berth: null };
  }
  const isCued = isTold(understudy, cue, size);
  return { begun: { place: berth.begun, record: textOf(meta), isCued }, understudy: isCued ? understudy : null };
}

function isTold(understudy: Understudy | null, cue: Uint8Array, size: PreparedStart["size"]): boolean {
  try {
    return understudy?.tell(cue, size === null ? null : { ...size, width: 0, height: 0 }) ?? false;
  } catch {
    understudy?.[Symbol.dispose](); // its terminal takes no size
    return false;
  }
}

function stageIn(layout: Layout, isRehearsal: boolean): Stage {
  return { layout, berth: berthIn(layout), ...company(), begun: null, isRehearsal };
}

/** A disk that is full now may not be when the session comes. */
function berthIn(layout: Layout): Berth | null {
  try {
    return new Berth(layout);
  } catch {
    return null;
  }
}

/** Whoever is there before the session, and is not of it; and who will be. */
function company(): Pick<Stage, "foreign" | "understudy"> {
  return { foreign: ownChildren(), understudy: Understudy.hire() };
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
      const set = stageIn(stage, true);
      writeAll(writeEnd, messageOf(requestOf(size), set));
      const taken = takeUp(readStart(readEnd), set);
      await play({ ...starterOn(writeEnd), request: () => taken.request }, taken.stage);
      readLine(readEnd); // what it replied
      Bun.gc(true); // or the session would be laid out between what the rehearsal left, and keep its pages
    }
  } finally {
    [readEnd, writeEnd].forEach(closeQuietly);
    clearStage(layout, name);
  }
}

/** Where nothing can be prepared, the request alone. */
function messageOf(request: StartRequest, stage: Stage): Uint8Array {
  const ready = readyOf(stage);
  if (ready === null) return bytesOf(`${JSON.stringify(request)}\n`);
  return preparedMessage(rehearsed(request, ready), request);
}

/** As the daemon would have prepared it (transcript/prepare-start.ts), which a holder need not know how to do. */
function rehearsed(request: StartRequest, { holder, understudy, terminal }: Ready): PreparedStart {
  const { session_id, size } = request;
  const id = session_id ?? "";
  const awaiting = size === null ? understudy : null;
  const asked = askedFor(
    request,
    { argv: ["true"], cwd: "/", env_keys: [] },
    { name: null, previous_session_id: null, restart: null },
  );
  const meta = bytesOf(metaText(newMeta(asked, { session_id: id, holder, socket: null, awaiting })));
  const [directory, path, name, mark] = ["/", "/bin/true", "true", `${SESSION_MARK}=${id}`].map(bytesOf);
  if (!directory || !path || !name || !mark) throw new RangeError("too few words");
  const env = blockOf(someEnvironment());
  const cue = cueOf({
    directory,
    umask: 0o077,
    paths: blockOf([path]),
    argv: [name],
    env,
    mark,
    limits: [],
    terminal: size === null ? null : bytesOf(terminal),
  });
  if (cue === null) throw new RangeError("too long a cue");
  return { id, size, meta, cue };
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
