/** Connects an integrated shell (launch.ts) to its session. Loaded with the first shell. */
import { descriptorLink } from "../../platform/process/awaited-descriptors.ts";
import { unlinkAt } from "../../platform/fs/files.ts";
import { writeSync } from "../../platform/fs/libc-fs.ts";
import { POLLIN, POLLOUT, pollNow } from "../../platform/native/poller.ts";
import { processStatus, readProc } from "../../platform/process/processes.ts";
import { preservingMtime } from "../../platform/fs/stat.ts";
import { foregroundGroup, getTermios, lineMode } from "../../platform/tty/terminal-device.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { isReading } from "../../process/input-reader.ts";
import type { SpawnSpec } from "../../process/transport.ts";
import { PlainText } from "../../terminal/text/plain-text.ts";
import { CommandLog } from "../../transcript/read/commands-file.ts";
import { Draft } from "../../transcript/draft.ts";
import type { Layout } from "../../transcript/layout.ts";
import { TranscriptReader } from "../../transcript/read/reader.ts";
import type { HeldSession } from "../session/held-session.ts";
import { commandDisplay, saveCursor } from "./command-display.ts";
import { integratedCommand } from "./launch.ts";
import type { ForegroundProcess } from "./shell-host.ts";
import { processImage, rejoinLine, rejoinScript, shellOfProcess } from "./rejoin.ts";
import { ShellSession } from "./shell-session.ts";

const INBOX = "inbox";
/** Limit for reading back a line as it was typed and drawn. */
const SHOWN_BYTES = 16 * 1024;

/** Returns the command to start instead, or `spec` if it is no interactive shell. */
export function integrate(session: HeldSession, spec: SpawnSpec, layout: Layout): SpawnSpec {
  const { record, terminal } = session;
  const inbox = `${record.dir.path}/${INBOX}`;
  const launched = integratedCommand({ layout, argv: spec.argv, env: spec.env, inbox });
  if (launched === null || terminal === null) return spec;
  const { shell: name, key, scripts, argv, env } = launched;
  /** Identifies the program (processImage) of a shell that was integrated again; null before. */
  let image: string | null = null;
  const log = new CommandLog(record.dir, name);
  /** Null removes the inbox. */
  const setInbox = (bytes: Uint8Array | null): void => {
    if (bytes === null) return removeInbox(record.dir.fd);
    using draft = new Draft(record.dir.fd);
    draft.put(bytes);
    draft.renameTo(INBOX, { sync: false });
  };
  /** A line editor takes the terminal out of canonical mode while it reads a line. */
  const isEditing = (): boolean => {
    const end = session.transport.inputEnd;
    return end?.kind === "terminal" && !lineMode(getTermios(end.slave)).isCanonical;
  };
  const hasUnreadOutput = (): boolean => {
    const end = session.transport.inputEnd;
    return end?.kind === "terminal" && (pollNow(end.master, POLLIN) & POLLIN) !== 0;
  };
  /** Described in ShellHost. "lost": the position could not be saved. */
  const savePromptEnd = (typed: number): "saved" | "lost" => {
    const end = session.transport.inputEnd;
    if (end?.kind !== "terminal" || (pollNow(end.slave, POLLOUT) & POLLOUT) === 0) return "lost";
    const bytes = bytesOf(saveCursor(typed, terminal.size));
    try {
      // fish checks whether another process has written to its terminal, and then redraws its
      // prompt one row too low.
      return preservingMtime(end.slave, () => writeSync(end.slave, bytes)) === bytes.length ? "saved" : "lost";
    } catch {
      return "lost"; // the terminal is stopped (Ctrl-S), or being closed
    }
  };
  const shell = new ShellSession({
    shell: name,
    key,
    record: (line) => log.append(line),
    release: () => log[Symbol.dispose](),
    inbox: setInbox,
    flush: () => record.writer.flushIndex(),
    produced: () => record.writer.produced,
    isEditing,
    isReading() {
      const end = session.transport.inputEnd;
      if (end?.kind !== "terminal") return false;
      const link = descriptorLink("self", end.slave);
      const isWaiting = link === null ? null : isReading(session.transport.pid, link);
      const isAsleep = isWaiting ?? isEditing(); // null: the kernel does not show what the shell waits for
      // In this order: poll(2) makes the terminal deliver what the shell printed before it slept.
      return isAsleep && !hasUnreadOutput();
    },
    hasUnreadInput() {
      const end = session.transport.inputEnd;
      return (
        end?.kind === "terminal" && (session.transport.pendingInput > 0 || (pollNow(end.slave, POLLIN) & POLLIN) !== 0)
      );
    },
    isReplaced() {
      if (image !== null) return image !== processImage(session.transport.pid);
      // /proc shows the environment as of the last exec. The shell was executed with the key, and
      // its script unset it: without the key, the process has executed another program since.
      const environment = readProc(`/proc/${session.transport.pid}/environ`);
      return environment !== null && environment !== "" && !environment.includes(`__HOLT_KEY=${key}\0`);
    },
    replacementShell: () => shellOfProcess(session.transport.pid),
    savePromptEnd,
    rejoin(replacementShell, prompt) {
      image = processImage(session.transport.pid);
      const line = rejoinLine(replacementShell, inbox);
      const displayed = commandDisplay("", savePromptEnd(line.length - 1)); // without the final return
      setInbox(bytesOf(rejoinScript({ shell: replacementShell, key, scripts, inbox, prompt, displayed })));
      return line;
    },
    foregroundName: () => foregroundName(session),
    foregroundProcess: () => foregroundProcess(session),
    hasUnreadOutput,
    displayedText(from, to) {
      record.writer.flushIndex();
      using reader = TranscriptReader.open(layout, record.dir.id);
      const { chunks } = reader.read({ cursor: Math.max(from, to - SHOWN_BYTES), maxBytes: SHOWN_BYTES });
      const text = new PlainText();
      return chunks.map(({ bytes }) => text.push(bytes)).join("");
    },
  });
  session.shell = shell;
  terminal.shellMarked = (text, start, end) => shell.marked(text, start, end);
  return { ...spec, argv, env };
}

function removeInbox(directory: number): void {
  try {
    unlinkAt(directory, INBOX);
  } catch {
    // it does not exist
  }
}

function foregroundProcess(session: HeldSession): ForegroundProcess | null {
  const end = session.transport.inputEnd;
  const group = end?.kind === "terminal" ? foregroundGroup(end.master) : 0;
  if (group <= 0) return null;
  return { group, image: processStatus(group)?.state === "Z" ? null : processImage(group) };
}

/** Null if it is the shell itself, or unknown. */
function foregroundName(session: HeldSession): string | null {
  const end = session.transport.inputEnd;
  if (end?.kind !== "terminal") return null;
  const group = foregroundGroup(end.master);
  if (group <= 0 || group === processStatus(session.transport.pid)?.group) return null;
  const name = readProc(`/proc/${group}/comm`)?.trim();
  return name === undefined ? null : `${name} (pid ${group})`;
}
