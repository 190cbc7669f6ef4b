/** The live terminal of a session. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Attach, type EndReason } from "../api/attach.ts";
import { fit, fittedIds, isUnreachable, isDriver, isLive, isSmallScreen, key, type Session, title } from "../state/app.ts";
import { notify } from "../state/toast.ts";
import { registerScreen } from "./current-screen.ts";
import { Screen } from "./screen.ts";
import { withCtrl, KeyRow } from "./key-row.tsx";

const RESIZE_MS = 100;

const END_TEXTS: Record<EndReason, string> = {
  detached: "This page was detached. The session keeps running.",
  refused: "The session accepts no more clients. It keeps running.",
  unauthorized: "This link is no longer valid. The session keeps running; ask for another link.",
  gone: "This session is gone: it was removed, or its retention has expired.",
};

export function Live({ session, isShown }: { session: Session; isShown: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const attached = useRef<Attach | null>(null);
  const isUp = useSignal(true);
  const endReason = useSignal<EndReason | null>(null);
  const progress = useSignal<number | null>(null);
  const isWhole = useSignal(true);
  const { session_id: id } = session;
  const isFitted = fittedIds.value.has(id);
  useEffect(() => {
    const area = host.current;
    const token = key.peek()?.token;
    if (area === null || token === undefined) return;
    const mayType = isDriver.peek();
    const screen = new Screen({
      host: area,
      onInput: mayType ? (bytes) => attached.current?.input(withCtrl(bytes)) : null,
      onOverload: (isOverloaded) => attached.current?.pause(isOverloaded),
    });
    const setsSize = mayType && (isFitted || !isSmallScreen());
    title.value = "";
    let isFirst = true;
    const attach = new Attach(
      { id, token, role: mayType ? "driver" : "viewer", size: setsSize ? screen.fittingSize : null },
      {
        replay: ({ cols, rows, title: own }, bytes) => {
          progress.value = null;
          title.value = own;
          void screen.show(bytes, { cols, rows }, isFirst ? "replaced" : "kept");
          isWhole.value = screen.isWhole;
          isFirst = false;
        },
        size: (cols, rows) => {
          screen.resize(cols, rows);
          isWhole.value = screen.isWhole;
        },
        output: (bytes) => screen.feed(bytes),
        modes: (_, own) => {
          title.value = own;
        },
        progress: (done, total) => {
          progress.value = total === 0 ? null : done / total;
        },
        exit: () => {
          progress.value = null;
          screen.terminal.options.disableStdin = true;
          screen.terminal.options.cursorBlink = false;
        },
        refused: (message) => void notify(message, { look: "bad" }),
        connected: (up) => {
          isUp.value = up;
          if (up) endReason.value = null;
        },
        closed: (why) => {
          endReason.value = why;
        },
      },
    );
    attached.current = attach;
    const forget = registerScreen(screen);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!setsSize) {
          screen.scale();
          isWhole.value = screen.isWhole;
          return;
        }
        if (area.clientWidth === 0) return; // not on the page now
        const { cols, rows } = screen.fittingSize;
        attach.resize(cols, rows);
      }, RESIZE_MS);
    });
    observer.observe(area);
    if (mayType && !isSmallScreen()) screen.terminal.focus();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      forget();
      attach.close();
      screen.dispose();
    };
  }, [id, isFitted]);
  return (
    <div class={`live ${isShown ? "" : "away"}`} inert={!isShown}>
      <div class="terminal" role="group" ref={host} aria-label={`Terminal of ${id}`} />
      {endReason.value !== null ? (
        <p class="banner" role="alert">
          {END_TEXTS[endReason.value]}
          {endReason.value === "detached" || endReason.value === "refused" ? (
            <button type="button" class="accent" onClick={() => attached.current?.reconnect()}>
              Attach again
            </button>
          ) : null}
        </p>
      ) : null}
      {isUp.value || isUnreachable.value || endReason.value !== null ? null : (
        <p class="banner" role="status">
          Not connected. Output is recorded and will appear; what you type now is not sent.
        </p>
      )}
      {progress.value === null ? null : (
        <p class="banner" role="status">
          Drawing the screen: {Math.round(progress.value * 100)} %
        </p>
      )}
      {isWhole.value || isFitted || !isDriver.value || !isLive(session) ? null : (
        <button type="button" class="fit" onClick={() => fit(id, true)}>
          Fit to this screen
        </button>
      )}
      {isDriver.value && isLive(session) ? <KeyRow press={(bytes) => attached.current?.input(bytes)} /> : null}
    </div>
  );
}
