/** Entry of the page: signs in, connects and renders. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { signIn } from "./api/key.ts";
import { Rpc } from "./api/rpc.ts";
import { App } from "./app.tsx";
import { key, moment, problem, rpc, selected, selectedId, titleOf } from "./state/app.ts";
import { feed } from "./state/feed.ts";
import { followAddress } from "./state/route.ts";
import { listenForKeys } from "./state/shortcuts.ts";
import { watchShell } from "./state/shell.ts";
import { watchTimeline } from "./state/timeline.ts";
import { applyTheme } from "./state/theme.ts";

/** Longest wait for the font, which a terminal measures only once. */
const FONT_MS = 1500;

applyTheme();
const fonts = Promise.all(["14px", "bold 14px"].map((font) => document.fonts.load(`${font} "Holt Mono"`)));
const timeLimit = new Promise((resolve) => setTimeout(resolve, FONT_MS));
const [signedIn] = await Promise.all([signIn(), Promise.race([fonts.catch(() => {}), timeLimit])]);
if (typeof signedIn === "string") problem.value = signedIn;
else key.value = signedIn;
if (key.value !== null) {
  const { scope, token } = key.value;
  followAddress();
  if (scope.kind === "session") selectedId.value = scope.session_id;
  rpc.value = new Rpc(token);
  feed(rpc.value);
  watchTimeline();
  watchShell();
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
