/**
 * A program followed commands by exec.started and exec.completed. Of 20 short commands 9 were told to have ended before they were told to have started, and a command that
 * could not be spawned was told to have started.
 */
import { expect, test } from "bun:test";
import { dial } from "./household.ts";
import { ServedBench } from "../http/served.ts";
import type { Bench } from "../support/holt.ts";
import { RawCaller, request } from "./raw-caller.ts";

const SHORT = 30;
const UNSPAWNABLE = 6;
const ENDS = ["exec.completed", "exec.failed"];
const OF_EXEC = ["exec.started", ...ENDS];
const EVERYTHING = ["started", "state_changed", "exited", ...OF_EXEC];

interface Heard {
  /** The methods of each session's notifications, in order. */
  of: Map<string, string[]>;
  /** Resolves once so many have ended. */
  all: Promise<void>;
}

interface Notice {
  method?: string;
  params: { session_id: string };
}

/** `last`: what is told of a session at its end. */
function listening(last: readonly string[], awaited: number): { hear: (notice: Notice) => void; heard: Heard } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard: Heard = { of: new Map(), all: promise };
  let ended = 0;
  const hear = ({ method, params }: Notice): void => {
    if (method === undefined) return;
    heard.of.set(params.session_id, [...(heard.of.get(params.session_id) ?? []), method]);
    if (last.includes(method) && ++ended === awaited) resolve();
  };
  return { hear, heard };
}

async function bySocket(
  bench: Bench,
  events: readonly string[],
  { last = ENDS, awaited = SHORT + UNSPAWNABLE }: { last?: readonly string[]; awaited?: number } = {},
): Promise<RawListener> {
  const caller = await RawCaller.dial(bench);
  await caller.write(request("subscribed", "session.subscribe", { events }));
  expect(await caller.next()).toMatchObject({ id: "subscribed", result: {} });
  const { hear, heard } = listening(last, awaited);
  const reading = (async () => {
    for (let line = await caller.next(); line !== null; line = await caller.next()) hear(line as Notice);
  })();
  return { caller, heard, reading };
}

interface RawListener {
  caller: RawCaller;
  heard: Heard;
  reading: Promise<void>;
}

async function byWebSocket(
  { http }: ServedBench,
  events: readonly string[],
): Promise<{ socket: WebSocket; heard: Heard }> {
  const socket = http.socket("/api/v1/rpc");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const { hear, heard } = listening(ENDS, SHORT + UNSPAWNABLE);
  const subscribed = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Notice & { id?: unknown };
      if (message.id === undefined) hear(message);
      else resolve();
    });
  });
  socket.send(request(1, "session.subscribe", { events }));
  await subscribed;
  return { socket, heard };
}

test("every subscriber is told of a command's start before its end, and of one that cannot be spawned only that", async () => {
  await using served = await ServedBench.open();
  const { bench } = served;
  using client = await dial(bench);
  const web = await byWebSocket(served, EVERYTHING);
  const listeners = [
    await bySocket(bench, OF_EXEC),
    await bySocket(bench, EVERYTHING, { last: ["session.exited"] }),
    await bySocket(bench, ["exec.started"], { awaited: SHORT }), // its ends come with the subscriptions below
  ];
  const background = listeners.at(-1)?.caller;
  for (let i = 0; i < SHORT; i++)
    await background?.write(request(i, "exec.run_background", { args: ["true"], notify_on: ["exit"] }));
  for (let i = 0; i < UNSPAWNABLE; i++) {
    const args = i % 2 === 0 ? ["/nonexistent/command"] : ["/etc/passwd"];
    await client.call("exec.run_background", { args }).catch(() => {});
  }
  await Promise.all([web, ...listeners].map(({ heard }) => heard.all));
  const { sessions } = await client.call("session.list", { limit: 1000 });
  const failed = sessions.filter(({ reason }) => reason === "spawn_failed").map(({ session_id }) => session_id);
  expect([sessions.length, failed.length]).toEqual([SHORT + UNSPAWNABLE, UNSPAWNABLE]);
  for (const { heard } of [web, ...listeners.slice(0, -1)])
    for (const [id, methods] of heard.of) {
      const told = methods.filter((method) => OF_EXEC.includes(method));
      expect([id, ...told]).toEqual(failed.includes(id) ? [id, "exec.failed"] : [id, "exec.started", "exec.completed"]);
    }
  const asked = listeners.at(-1)?.heard.of ?? new Map<string, string[]>();
  for (const [id, methods] of asked) expect([id, ...methods]).toEqual([id, "exec.started", "exec.completed"]);
  expect(asked.size).toBe(SHORT);
  web.socket.close();
  for (const { caller, reading } of listeners) {
    caller[Symbol.dispose]();
    await reading;
  }
}, 60_000);
