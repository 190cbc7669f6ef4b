/** Ends a session, and returns when it has ended. */
import { send } from "../platform/signals.ts";
import { HoltError } from "../protocol/errors.ts";
import type { HolderMethods } from "../protocol/holder-methods.ts";
import { isFinal } from "../protocol/session.ts";
import { follow } from "./follow.ts";
import { callHolder } from "./holder-call.ts";
import type { LocalSessions } from "./local-sessions.ts";

export type Ending =
  | { method: "stop"; params: HolderMethods["stop"]["params"] }
  | { method: "kill"; params: HolderMethods["kill"]["params"] };

const SIGTERM = 15;
const SIGKILL = 9;
const GRACE_MS = 5000;
const LOOK_MS = 20;
/** After the grace there is SIGKILL, which nothing survives but what hangs in the kernel. */
const MARGIN_MS = 10_000;

export async function endSession(sessions: LocalSessions, id: string, ending: Ending): Promise<void> {
  const session = sessions.get(id);
  const graceMs = ending.method === "stop" ? (ending.params.grace_ms ?? GRACE_MS) : null;
  if (isFinal(session.state)) {
    if (session.reason === "holder_lost") await endSurvivors(sessions, id, graceMs);
    return;
  }
  try {
    await callHolder(session, ending.method, ending.params);
  } catch (error) {
    if (!(error instanceof HoltError && error.code === "ESESSIONCLOSED")) throw error; // it ends already
  }
  const deadline = AbortSignal.timeout((graceMs ?? 0) + MARGIN_MS);
  for await (const item of follow({ id, cursor: session.output_bytes, signal: deadline, layout: sessions.layout }))
    if (item.type === "end") return;
  throw new HoltError("ETIMEOUT", `session ${id} has not ended`, {
    hint: `\`holt show ${id}\` tells what is left of it`,
  });
}

/** Its holder was killed: nobody but us can end what it left running. Without a grace nobody is asked. */
async function endSurvivors(sessions: LocalSessions, id: string, graceMs: number | null): Promise<void> {
  const signalAll = (signal: number): number => {
    const { survivors } = sessions.get(id);
    for (const pid of survivors) send(pid, signal);
    return survivors.length;
  };
  if (graceMs !== null) signalAll(SIGTERM);
  const deadline = performance.now() + (graceMs ?? 0);
  while (performance.now() < deadline && sessions.get(id).survivors.length > 0) await Bun.sleep(LOOK_MS);
  const last = performance.now() + MARGIN_MS;
  while (signalAll(SIGKILL) > 0 && performance.now() < last) await Bun.sleep(LOOK_MS);
}
