/** All details of a session. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Result } from "../api/rpc.ts";
import { stateOf } from "../list/state-sign.tsx";
import { activities, commandOf, isLive, rpc, samples, type Session, titleOf } from "../state/app.ts";
import { refreshSession } from "../state/feed.ts";
import { bytes } from "../state/time.ts";
import { timeline } from "../state/timeline.ts";
import { Dialog } from "./dialog.tsx";
import { Events } from "./events.tsx";
import { downloadItems } from "./menu-items.ts";
import { Plot } from "./plot.tsx";

export function Details({ session }: { session: Session }) {
  const { session_id: id } = session;
  const sizes = sizesOf(id);
  useEffect(() => {
    const line = rpc.peek();
    if (line !== null) void refreshSession(line, id); // a resize is reported by the timeline alone
  }, [id, sizes]);
  return (
    <Dialog title={titleOf(session)} look="side">
      <Facts session={session} />
      {isLive(session) ? <Usage id={id} /> : null}
      {isLive(session) ? <Clients session={session} /> : null}
      <h3>What happened</h3>
      <Events id={id} />
      <h3>Download</h3>
      <div class="buttons">
        {downloadItems(session).map(({ title, act }) => (
          <button type="button" key={title} class="plain" onClick={act}>
            {title.replace("Download ", "")}
          </button>
        ))}
      </div>
      <h3>Environment</h3>
      <p class="note">Names only: values are never stored.</p>
      <p class="env">{session.env_keys.join(" ")}</p>
    </Dialog>
  );
}

/** Number of resizes since its start. */
function sizesOf(id: string): number {
  const known = timeline.value;
  return known?.id === id ? known.line.marks.filter(({ kind }) => kind === "resize").length : 0;
}

function Facts({ session }: { session: Session }) {
  const activity = activities.value.get(session.session_id);
  const { usage, current_size } = session;
  const rows: readonly (readonly [string, string | null])[] = [
    ["state", stateOf(session).word],
    ["id", session.session_id],
    ["command", commandOf(session.argv)],
    ["directory", session.cwd],
    ["project", session.project_id],
    ["size", current_size === null ? "no terminal" : `${current_size.cols}×${current_size.rows}`],
    ["started", session.started_at],
    ["ended", session.ended_at],
    ["printed", bytes(activity?.output_bytes ?? session.output_bytes)],
    ["process", session.process === null ? null : String(session.process.pid)],
    ["started by", session.started_by?.label ?? null],
    ["CPU time", usage === null ? null : `${(usage.cpu_ms / 1000).toFixed(2)} s`],
    ["most memory", usage === null ? null : bytes(usage.max_rss_kb * 1024)],
    ["error", session.error?.message ?? null],
  ];
  return (
    <dl class="details">
      {rows.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Usage({ id }: { id: string }) {
  const seen = samples.value.get(id) ?? [];
  const processes = activities.value.get(id)?.processes ?? 0;
  if (seen.length < 2) return null;
  return (
    <>
      <h3>
        Usage <span class="count">since this page is open, of {processes === 1 ? "one process" : `${processes} processes`}</span>
      </h3>
      <Plot label="CPU" values={seen.map(({ cpu }) => cpu)} minScale={0.05} format={(value) => `${Math.round(value * 100)} %`} />
      <Plot label="Memory" values={seen.map(({ memory }) => memory)} minScale={1024} format={bytes} />
    </>
  );
}

function Clients({ session }: { session: Session }) {
  const clients = useSignal<Result<"session.clients">["clients"]>([]);
  const count = activities.value.get(session.session_id)?.clients ?? 0;
  useEffect(() => {
    rpc.peek()?.call("session.clients", { session_id: session.session_id }).then(
      (answer) => {
        clients.value = answer.clients;
      },
      () => {}, // it has ended meanwhile
    );
  }, [count]);
  if (clients.value.length === 0) return null;
  return (
    <>
      <h3>Attached</h3>
      <dl class="details">
        {clients.value.map(({ client_id, label, role, size }) => (
          <div key={client_id}>
            <dt>{role}</dt>
            <dd>
              {label}
              {size === null ? "" : ` ${size.cols}×${size.rows}`}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
