/** The output of a session on pipes, as lines of text. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Params, Result } from "../api/rpc.ts";
import { moment, rpc, type Session } from "../state/app.ts";
import { notifyError } from "../state/toast.ts";
import { LogText } from "./log-text.ts";

const READ_BYTES = 64 * 1024;
const KEPT_LETTERS = 2 * 1024 * 1024;

export function Output({ session }: { session: Session }) {
  const { session_id: id } = session;
  /** The cursor of a search hit. */
  const hitCursor = moment.value?.id === id ? moment.value.cursor : null;
  const before = useSignal("");
  const text = useSignal("");
  const from = useSignal(0);
  const box = useRef<HTMLPreElement>(null);
  const hitMark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const over = new AbortController();
    const read = async (params: Pick<Params<"session.read">, "cursor" | "until" | "cursors" | "max_bytes">): Promise<Result<"session.read"> | null> => {
      const answer = await rpc.peek()?.call("session.read", { session_id: id, view: "text", collapse: false, ...params });
      return answer === undefined || over.signal.aborted ? null : answer;
    };
    const follow = async (): Promise<void> => {
      before.value = "";
      text.value = "";
      from.value = Math.max(0, hitCursor === null ? session.output_bytes - KEPT_LETTERS / 2 : hitCursor - READ_BYTES);
      let cursor = from.value;
      if (hitCursor !== null) {
        const above = await read({ cursor: String(cursor), until: String(hitCursor), max_bytes: 4 * READ_BYTES });
        if (above === null) return;
        before.value = above.text ?? "";
        cursor = Number(above.next_cursor);
        requestAnimationFrame(() => hitMark.current?.scrollIntoView({ block: "center" }));
      }
      const log = new LogText(cursor, KEPT_LETTERS);
      for (;;) {
        const page = await read({ cursor: log.cursor, cursors: true, max_bytes: READ_BYTES });
        if (page === null) return;
        const isAtEnd = hitCursor === null && isAtBottom(box.current);
        log.take(page);
        text.value = log.text;
        if (isAtEnd) requestAnimationFrame(() => box.current?.scrollTo(0, box.current.scrollHeight));
        if (page.eof) return;
        if (log.isAtEnd)
          await rpc.peek()?.call("session.wait", { session_id: id, cursor: log.end, until: ["output", "exit"], timeout_ms: 30_000 });
        if (over.signal.aborted) return;
      }
    };
    follow().catch((error: unknown) => {
      if (!over.signal.aborted) notifyError(error);
    });
    return () => over.abort();
  }, [id, hitCursor]);
  return (
    <pre class="output" ref={box} tabIndex={0} role="log" aria-label={`Output of ${id}`}>
      {from.value === 0 ? null : <span class="note">{`… ${from.value.toLocaleString("en")} earlier bytes: use search, or Download\n`}</span>}
      {before.value}
      {hitCursor === null ? null : <span ref={hitMark} class="found" />}
      {hitCursor === null || before.value.endsWith("\n") ? null : "\n"}
      {text.value}
    </pre>
  );
}

function isAtBottom(box: HTMLElement | null): boolean {
  return box === null || box.scrollHeight - box.scrollTop - box.clientHeight < 40;
}
