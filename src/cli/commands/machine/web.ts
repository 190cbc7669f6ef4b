/** `holt web`. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { command } from "../../declarations/command.ts";
import { daemonForCall } from "./call.ts";
import { WEB } from "../../declarations/machine/web.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";
import { pathToFileURL } from "node:url";
import { createLoginFile } from "../../../client/sessions/login-file.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";

const MAX_PORT = 65_535;

export const main = command(WEB, async ({ options, positionals: [action = "start"] }) => {
  const { port, json } = options;
  if (action === "stop" && (port !== null || options["no-open"]))
    throw new HoltError("EBADARGS", "--port and --no-open cannot be used with stop", {
      hint: "see `holt help web`",
    });
  if (port !== null && port > MAX_PORT)
    throw new HoltError("EBADARGS", `invalid --port: ${port}`, { hint: `use a number up to ${MAX_PORT}` });
  const style = stdoutStyle();
  using client = await daemonForCall();
  if (action === "stop") {
    const stopped = await client.call("web.stop", {});
    if (json) writeJson(stopped, style);
    return 0;
  }
  const served = await client.call("web.start", port === null ? {} : { port });
  const { url, expires_at } = await client.call("web.ticket", {});
  if (json) writeJson({ ...served, link: url, expires_at }, style);
  else writeOut(`${url}\n`);
  const isOpened = !options["no-open"] && url !== null && openInBrowser(url);
  if (style.tty && !json)
    writeErr(
      isOpened ? "opened in your browser\n" : "the link works once, within a minute; `holt web` prints another\n",
    );
  return 0;
});

/**
 * Opens the user's browser if there is a display. The URL is passed in a file, not in the arguments
 * (login-file.ts).
 */
function openInBrowser(url: string): boolean {
  const opener = openerFor(process.platform, process.env);
  if (opener === null) return false;
  try {
    const page = pathToFileURL(createLoginFile(new LocalSessions().layout, url)).href;
    // The browser outlives this process; its output is discarded.
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
