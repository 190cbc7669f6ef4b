/** Search hits in the output of all sessions; a click shows the screen at that moment. */
import type { Result } from "../api/rpc.ts";
import { moment, rpc, selectedId, sessions, sinceWhen, titleOf } from "../state/app.ts";
import { age, now } from "../state/time.ts";
import { notifyError } from "../state/toast.ts";
import { StateSign } from "./state-sign.tsx";

export type Hit = Result<"session.search">["hits"][number];

/** Longest line that is read to find its end. */
const LINE_BYTES = 16 * 1024;
const LINE_FEED = 10;

export function SearchHits({ hits, query }: { hits: readonly Hit[]; query: string }) {
  return (
    <section aria-label="Found in output">
      <h2>
        Found in output <span class="count">{hits.length}</span>
      </h2>
      {hits.length === 0 ? <p class="note">No output contains “{query}”.</p> : null}
      {hits.map((hit) => (
        <button type="button" class="hit" key={`${hit.session_id} ${hit.cursor}`} onClick={() => void goTo(hit).catch(notifyError)}>
          <HitSession id={hit.session_id} />
          <span class="last">{hit.line}</span>
        </button>
      ))}
    </section>
  );
}

async function goTo(hit: Hit): Promise<void> {
  const cursor = await endOf(hit);
  selectedId.value = hit.session_id;
  moment.value = { id: hit.session_id, cursor };
}

/**
 * The cursor of a hit is the start of its line: the line is on the screen once its end was printed.
 */
async function endOf({ session_id, cursor }: Hit): Promise<number> {
  const read = await rpc.peek()?.call("session.read", { session_id, cursor, max_bytes: LINE_BYTES });
  let at = Number(cursor);
  for (const { data } of read?.chunks ?? []) {
    const bytes = Uint8Array.fromBase64(data);
    const end = bytes.indexOf(LINE_FEED);
    if (end >= 0) return at + end + 1;
    at += bytes.length;
  }
  return at;
}

/** The session of a hit: several may have the same name. */
function HitSession({ id }: { id: string }) {
  const session = sessions.value.get(id);
  if (session === undefined) return <span class="name">{id}</span>;
  const since = sinceWhen(session);
  return (
    <span class="first">
      <StateSign session={session} withWord={false} />
      <span class="name alone">{titleOf(session)}</span>
      <time class="age" dateTime={since}>
        {age(now.value - Date.parse(since))}
      </time>
    </span>
  );
}
