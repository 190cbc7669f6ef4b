/** What was found in all that sessions printed; a press goes to the moment at which it stood there. */
import type { Result } from "../api/rpc.ts";
import { moment, rpc, selectedId, sessions, sinceWhen, titleOf } from "../state/app.ts";
import { age, now } from "../state/time.ts";
import { tellError } from "../state/toast.ts";
import { StateSign } from "./state-sign.tsx";

export type Hit = Result<"session.search">["hits"][number];

/** Longer than a line that anybody reads. */
const LINE_BYTES = 16 * 1024;
const LINE_FEED = 10;

export function Hits({ hits, query }: { hits: readonly Hit[]; query: string }) {
  return (
    <section aria-label="Found in output">
      <h2>
        Found in output <span class="count">{hits.length}</span>
      </h2>
      {hits.length === 0 ? <p class="note">Nothing printed “{query}”.</p> : null}
      {hits.map((hit) => (
        <button type="button" class="hit" key={`${hit.session_id} ${hit.cursor}`} onClick={() => void goTo(hit).catch(tellError)}>
          <Of id={hit.session_id} />
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

/** A hit is where its line begins: it is on the screen once the line is printed. */
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

/** Which session it is: several may have the same name. */
function Of({ id }: { id: string }) {
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
