/** A program of another user that listens at names of its choice, takes every connection, and counts what it is sent. Needs root. */

/** Prints a line when all listen, and what it was sent when its stdin ends. */
const LISTEN = `
import json, os, select, socket, sys
os.umask(0)
listeners = []
for path in sys.argv[1:]:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    listeners.append(listener)
print("ready", flush=True)
connections, received, guests = 0, 0, []
while True:
    ready = select.select(listeners + guests + [sys.stdin], [], [])[0]
    for each in ready:
        if each in listeners:
            guests.append(each.accept()[0])
            connections += 1
        elif each is not sys.stdin:
            data = each.recv(65536)
            received += len(data)
            if not data: guests.remove(each)
    if ready == [sys.stdin]: break
print(json.dumps({"connections": connections, "received": received}))`;
/** Another user may not enter what root has put into its own PATH. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

export function asUser(uid: number, argv: readonly string[]): string[] {
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--", ...argv];
}

export class ForeignListener implements AsyncDisposable {
  readonly #proc: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #reader;

  private constructor(uid: number, paths: readonly string[]) {
    const argv = asUser(uid, ["python3", "-c", LISTEN, ...paths]);
    this.#proc = Bun.spawn(argv, { stdin: "pipe", stdout: "pipe", stderr: "inherit", cwd: "/", env: { PATH } });
    this.#reader = this.#proc.stdout.getReader();
  }

  static async at(uid: number, ...paths: string[]): Promise<ForeignListener> {
    const listener = new ForeignListener(uid, paths);
    const { done } = await listener.#reader.read();
    if (done) throw new Error(`user ${uid} cannot listen at ${paths.join(" ")}`);
    return listener;
  }

  /** Of all connections; it listens no longer. */
  async seen(): Promise<{ connections: number; received: number }> {
    await this.#proc.stdin.end();
    const { value } = await this.#reader.read();
    return JSON.parse(new TextDecoder().decode(value)) as { connections: number; received: number };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proc.kill("SIGKILL");
    await this.#proc.exited;
  }
}
