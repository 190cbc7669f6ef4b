/** The shown session is in the address, as /#s=ID, so that the browser's history works. */
import { effect } from "@preact/signals";
import { selectedId } from "./app.ts";

export function followAddress(): void {
  const read = (): void => {
    selectedId.value = /[#&]s=([\w.-]+)/.exec(location.hash)?.[1] ?? null;
  };
  addEventListener("hashchange", read);
  read();
  effect(() => {
    const hash = selectedId.value === null ? "" : `#s=${selectedId.value}`;
    if (location.hash !== hash) history.pushState(null, "", `${location.pathname}${hash}`);
  });
  addEventListener("popstate", read);
}
