import { effect } from "@preact/signals";
import { render } from "preact";
import { signIn } from "./api/key.ts";
import { Rpc } from "./api/rpc.ts";
import { App } from "./app.tsx";
import { key, moment, problem, rpc, selected, selectedId, titleOf } from "./state/app.ts";
import { feed } from "./state/feed.ts";
import { followAddress } from "./state/route.ts";
import { listenForKeys } from "./state/shortcuts.ts";
import { followShell } from "./state/shell.ts";
import { followTimeline } from "./state/timeline.ts";
import { applyTheme } from "./state/theme.ts";

/** A terminal measures its font once: it waits for it, and not for ever. */
const FONT_MS = 1500;

applyTheme();
const fonts = Promise.all(["14px", "bold 14px"].map((font) => document.fonts.load(`${font} "Holt Mono"`)));
const bound = new Promise((resolve) => setTimeout(resolve, FONT_MS));
const [opened] = await Promise.all([signIn(), Promise.race([fonts.catch(() => {}), bound])]);
if (typeof opened === "string") problem.value = opened;
else key.value = opened;
if (key.value !== null) {
  const { scope, token } = key.value;
  followAddress();
  if (scope.kind === "session") selectedId.value = scope.session_id;
  rpc.value = new Rpc(token);
  feed(rpc.value);
  followTimeline();
  followShell();
  listenForKeys();
}
effect(() => {
  document.title = selected.value === null ? "holt" : `${titleOf(selected.value)} · holt`;
});
effect(() => {
  if (moment.value !== null && moment.value.id !== selectedId.value) moment.value = null;
});
const page = document.getElementById("page");
if (page !== null) render(<App />, page);
