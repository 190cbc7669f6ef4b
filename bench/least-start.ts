/**
 * The least that `holt start` could be in this runtime: asks the daemon, prints the id, ends. No options, no settings, no look at limits or namespaces, no
 * way to do without a daemon, and no word about what went wrong. Compiled like holt, it says how much of a start is ours to shorten.
 */
import { dlopen } from "bun:ffi";

const { symbols: libc } = dlopen("libc.so.6", {
  socket: { args: ["int", "int", "int"], returns: "int" },
  connect: { args: ["int", "ptr", "u32"], returns: "int" },
  read: { args: ["int", "ptr", "u64"], returns: "i64" },
  write: { args: ["int", "ptr", "u64"], returns: "i64" },
  _exit: { args: ["int"], returns: "void" },
});
const AF_UNIX = 1;
const SOCK_STREAM = 1;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const socket = libc.socket(AF_UNIX, SOCK_STREAM, 0);
const address = bytes(`\x01\0${process.env["HOLT_STATE_DIR"]}/run/daemon.sock\0`);
libc.connect(socket, address, address.length);
const params = {
  argv: process.argv.slice(2),
  env: process.env,
  env_mode: "clean",
  cwd: process.cwd(),
  pty: { cols: 120, rows: 40 },
};
const request = bytes(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.start", params })}\n`);
libc.write(socket, request, request.length);
const answer = new Uint8Array(16 * 1024);
const length = Number(libc.read(socket, answer, answer.length));
const { result } = JSON.parse(new TextDecoder().decode(answer.subarray(0, length)));
const told = bytes(`${result.session_id}\n`);
libc.write(1, told, told.length);
libc._exit(0);
