/** `holt web`. */
import { HoltError } from "../protocol/errors.ts";
import { command } from "./command.ts";
import { daemonForCall } from "./call.ts";
import { WEB } from "./declarations/web.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { writeErr, writeJson, writeOut } from "./output.ts";
import { stdoutStyle } from "./style.ts";

const MAX_PORT = 65_535;

export const main = command(WEB, async ({ options, positionals: [action = "start"] }) => {
  const { port, json } = options;
  if (action === "stop" && (port !== null || options["no-open"]))
    throw new HoltError("EBADARGS", "--port and --no-open do not go with stop", {
      hint: "`holt help web` explains them",
    });
  if (port !== null && port > MAX_PORT)
    throw new HoltError("EBADARGS", `invalid --port "${port}"`, { hint: `a port is a number up to ${MAX_PORT}` });
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
      isOpened ? "opened in your browser\n" : "the link opens once, within a minute; `holt web` makes another\n",
    );
  return 0;
});
