/** The terminal of a session as it is now. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Attach, type Over } from "../api/attach.ts";
import { fit, fitted, isAway, isDriver, isLive, isSmall, key, type Session, title } from "../state/app.ts";
import { tell } from "../state/toast.ts";
import { registerScreen } from "./current-screen.ts";
import { Screen } from "./screen.ts";
import { heldDown, KeyRow } from "./key-row.tsx";

const RESIZE_MS = 100;

const OVER: Record<Over, string> = {
  detached: "Somebody detached this page. The session runs on.",
  refused: "The session took nobody else. It runs on.",
  unauthorized: "This link has ended. The session runs on; ask for another link.",
  gone: "This session is gone: it was removed, or its time to be kept is over.",
};

export function Live({ session, isShown }: { session: Session; isShown: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const attached = useRef<Attach | null>(null);
  const isUp = useSignal(true);
  const over = useSignal<Over | null>(null);
  const progress = useSignal<number | null>(null);
  const isWhole = useSignal(true);
  const { session_id: id } = session;
  const isFitted = fitted.value.has(id);
  useEffect(() => {
    const place = host.current;
    const token = key.peek()?.token;
    if (place === null || token === undefined) return;
    const mayType = isDriver.peek();
    const screen = new Screen({
      host: place,
      typed: mayType ? (bytes) => attached.current?.input(heldDown(bytes)) : null,
      tooMuch: (isTooMuch) => attached.current?.hold(isTooMuch),
    });
    const hasSay = mayType && (isFitted || !isSmall());
    title.value = "";
    let isFirst = true;
    const attach = new Attach(
      { id, token, role: mayType ? "driver" : "viewer", size: hasSay ? screen.fitting : null },
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
        refused: (message) => void tell(message, { look: "bad" }),
        line: (up) => {
          isUp.value = up;
          if (up) over.value = null;
        },
        over: (why) => {
          over.value = why;
        },
      },
    );
    attached.current = attach;
    const forget = registerScreen(screen);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!hasSay) {
          screen.scale();
          isWhole.value = screen.isWhole;
          return;
        }
        if (place.clientWidth === 0) return; // it is not on the page now
        const { cols, rows } = screen.fitting;
        attach.resize(cols, rows);
      }, RESIZE_MS);
    });
    observer.observe(place);
    if (mayType && !isSmall()) screen.terminal.focus();
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
      {over.value !== null ? (
        <p class="banner" role="alert">
          {OVER[over.value]}
          {over.value === "detached" || over.value === "refused" ? (
            <button type="button" class="accent" onClick={() => attached.current?.again()}>
              Attach again
            </button>
          ) : null}
        </p>
      ) : null}
      {isUp.value || isAway.value || over.value !== null ? null : (
        <p class="banner" role="status">
          Not connected. What is printed is kept and comes by itself; what you type now is not sent.
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
