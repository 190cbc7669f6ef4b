/** One that watches a session over WebSocket, and is frozen meanwhile by whoever started it: `web-watcher.ts URL PROTOCOL...`. Says when it was shown the screen. */
import { ATTACH_FRAME } from "../src/protocol/wire/attach.ts";

const [, , url = "", ...protocols] = process.argv;
const socket = new WebSocket(url, protocols);
socket.binaryType = "arraybuffer";
let isShown = false;
socket.addEventListener("message", ({ data }) => {
  if (isShown || new Uint8Array(data as ArrayBuffer)[0] !== ATTACH_FRAME.replay) return;
  isShown = true;
  process.stdout.write("shown\n");
});
socket.addEventListener("close", ({ code }) => process.exit(code === 1000 ? 0 : 1));
