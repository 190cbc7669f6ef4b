/** A command on a pseudo-terminal, under a leader (leader.ts). */
import { libc, SystemError } from "../platform/libc.ts";
import { closeQuietly, POLLIN, poller, privatePipe, setNonBlocking } from "../platform/poller.ts";
import { send } from "../platform/signals.ts";
import { spawn, waitFor } from "../platform/spawn.ts";
import { openPseudoTerminal, setSize, setTermios, type Termios } from "../platform/terminal-device.ts";
import type { TerminalSize } from "../protocol/session.ts";
import { InputQueue } from "./input-queue.ts";
import { LEADER_COMMAND, ORDER, ORDER_FD, REPORT_FD, STDERR_FD } from "./leader.ts";
import { drainPumps, OutputPump } from "./output-pump.ts";
import type { SpawnSpec, Transport, TransportEvents } from "./transport.ts";

export interface PtyRequest {
  spec: SpawnSpec;
  /** How to run the leader: this executable. */
  self: readonly string[];
  size: TerminalSize;
  /** The person's own settings, control characters included; null for the kernel's defaults. */
  termios: Termios | null;
  /** Where stderr is redirected, it does not go to the terminal but to a channel of its own. */
  stderr: "terminal" | "channel";
}

/** A terminal whose leader is up and waits. Opening it early overlaps the leader's start with everything else. */
export interface PreparedPty {
  start(events: TransportEvents): Promise<Transport>;
  abandon(): void;
}

export function preparePty({ spec, self, size, termios, stderr }: PtyRequest): PreparedPty {
  const { master, slave, path } = openPseudoTerminal();
  if (termios !== null) setTermios(slave, termios, "now");
  setSize(master, size);
  setNonBlocking(master);
  const reports = privatePipe();
  const orders = privatePipe();
  const errors = stderr === "channel" ? privatePipe() : null;
  if (errors !== null) setNonBlocking(errors.readEnd);
  const fds = new Map([
    [REPORT_FD, reports.writeEnd],
    [ORDER_FD, orders.readEnd],
  ]);
  if (errors !== null) fds.set(STDERR_FD, errors.writeEnd);
  const own = [...self, LEADER_COMMAND, errors === null ? "stderr=terminal" : "stderr=pipe"].map((text) =>
    Buffer.from(text),
  );
  const leader = spawn({
    path: own[0] ?? new Uint8Array(0),
    argv: [...own, spec.path, ...spec.argv],
    env: spec.env,
    fds,
    place: "own_session",
    terminal: path,
  });
  for (const fd of [reports.writeEnd, orders.readEnd, ...(errors === null ? [] : [errors.writeEnd])]) closeQuietly(fd);

  const abandon = (): void => {
    for (const fd of [reports.readEnd, orders.writeEnd, master, slave]) closeQuietly(fd);
    if (errors !== null) closeQuietly(errors.readEnd);
    waitFor(leader, { block: false, stops: false });
  };
  const order = (what: string): void => void libc().write(orders.writeEnd, Buffer.from(what), 1n);

  function start(events: TransportEvents): Promise<Transport> {
    return new Promise((resolve, reject) => {
      let transport: Transport | null = null;
      let pid = -1;
      let over = false;
      const ended: TransportEvents["ended"] = (ending, usage) => {
        if (over) return;
        over = true;
        events.ended(ending, usage);
      };
      const lines = onLines(
        reports.readEnd,
        (line) => {
          const [what = "", ...values] = line.split(" ");
          if (what === "started") {
            pid = Number(values[0]);
            transport = open();
            resolve(transport);
          } else if (what === "failed") {
            reject(new SystemError("execve", values[0] ?? "EIO"));
          } else if (what === "stopped") {
            events.stopped(Number(values[0]));
          } else if (what === "ended") {
            const [, value = 0, userMs = 0, systemMs = 0, maxRssKb = 0] = values.map(Number);
            ended(values[0] === "exited" ? { kind: "exited", code: value } : { kind: "signaled", signal: value }, {
              userMs,
              systemMs,
              maxRssKb,
            });
          }
        },
        () => reject(new SystemError("leader", "ECHILD")),
      );
      order(ORDER.start);

      function open(): Transport {
        const pumps = [new OutputPump(master, (bytes) => events.output("pty", bytes))];
        if (errors !== null) pumps.push(new OutputPump(errors.readEnd, (bytes) => events.output("stderr", bytes)));
        const input = new InputQueue(master, () => events.inputDrained());
        return {
          mode: "posix-pty",
          pid,
          helpers: [leader],
          get pendingInput() {
            return input.pending;
          },
          write: (bytes) => input.write(bytes),
          resize: (next) => setSize(master, next),
          signal: (signal, target) => void send(target === "group" ? -pid : pid, signal),
          resume: () => order(ORDER.resume),
          pause: (paused) => pumps.forEach((pump) => pump.pause(paused)),
          closeChannel: (channel) => {
            if (channel === "stderr" && errors !== null) {
              pumps[1]?.stop();
              closeQuietly(errors.readEnd);
            }
          },
          childChanged() {
            waitFor(leader, { block: false, stops: false });
            // Somebody killed the leader: the command is our own child now (we are its subreaper).
            const orphan = waitFor(pid, { block: false, stops: false });
            if (orphan === null) return;
            const { kind, value } = orphan.status;
            ended(kind === "exited" ? { kind, code: value } : { kind: "signaled", signal: value }, orphan.usage);
          },
          async drain(deadlineMs) {
            // While we hold the slave open the end of the terminal cannot overtake its last bytes (some kernels lose them).
            const until = performance.now() + deadlineMs;
            await drainPumps(pumps, deadlineMs, "empty");
            closeQuietly(slave);
            return drainPumps(pumps, Math.max(0, until - performance.now()), "end");
          },
          close() {
            lines.stop();
            for (const pump of pumps) pump.stop();
            input.stop();
            abandon();
          },
        };
      }
    });
  }

  return { start, abandon };
}

function onLines(fd: number, line: (text: string) => void, end: () => void): { stop(): void } {
  const buffer = new Uint8Array(4096);
  let rest = "";
  setNonBlocking(fd);
  const watch = poller().watch(fd, POLLIN, () => {
    const length = Number(libc().read(fd, buffer, BigInt(buffer.length)));
    if (length <= 0) {
      if (length === 0) {
        watch.stop();
        end();
      }
      return;
    }
    const parts = (rest + Buffer.from(buffer.subarray(0, length)).toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) line(part);
  });
  return watch;
}
