import { pathToFileURL } from "node:url";
import { makeDoorPage } from "../client/door-page.ts";
import { LocalSessions } from "../client/local-sessions.ts";

/** The person's browser, where there is a screen to show it on. What leads there is in no process's arguments (door-page.ts). */
export function openInBrowser(url: string): boolean {
  const opener = openerFor(process.platform, process.env);
  if (opener === null) return false;
  try {
    const page = pathToFileURL(makeDoorPage(new LocalSessions().layout, url)).href;
    // It outlives us, and what it prints is nobody's business.
    Bun.spawn([...opener, page], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
    return true;
  } catch {
    return false;
  }
}

function openerFor(platform: string, env: NodeJS.ProcessEnv): string[] | null {
  const browser = env["BROWSER"] ?? "";
  if (browser !== "") return [browser];
  if (platform === "darwin") return ["open"];
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen ? ["xdg-open"] : null;
}
