/** `holt export`. */
import { AtomicFile } from "../../../client/sessions/atomic-file.ts";
import { SessionExport } from "../../../client/read/export-session.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../../protocol/types/export-format.ts";
import { command } from "../../declarations/command.ts";
import { EXPORT } from "../../declarations/output/export.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { stderrStyle, stdoutStyle } from "../../output/style.ts";

const STDOUT = "-";
/** Yields at least this often, to handle signals and update the progress line. */
const TURN_MS = 50;

export const main = command(EXPORT, async ({ options, positionals: [reference = ""] }) => {
  const format = EXPORT_FORMATS.find((known) => known === options.format) ?? "asciicast";
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  const path = options.output === STDOUT ? null : options.output;
  if (options.json && path === null) {
    throw new HoltError("EBADARGS", "--json needs --output FILE", {
      hint: "without it, the export itself goes to stdout",
    });
  }
  if (options.output === null && format !== "text" && stdoutStyle().tty) throw needsFile(id, format);
  using exported = new SessionExport(sessions, id, { format, from: options.from ?? 0, to: options.to });
  if (path === null) await writeParts(exported, writeOut);
  else {
    using file = new AtomicFile(path);
    await writeParts(exported, (text) => file.write(text));
    file.complete();
  }
  const { from, to, missing } = exported;
  if (options.json) {
    const result = { session_id: id, format, output: path, from: String(from), to: String(to), missing_bytes: missing };
    writeJson(result, stdoutStyle());
  } else if (missing > 0) writeErr(`holt: ${missing} bytes were not kept and are missing in the export\n`);
  return 0;
});

async function writeParts(exported: SessionExport, write: (text: string) => void): Promise<void> {
  const { from, to } = exported;
  using progress = new Progress(`exporting ${exported.session.session_id}`);
  let turn = performance.now() + TURN_MS;
  for (const { text, cursor } of exported.parts()) {
    if (text !== "") write(text);
    if (performance.now() < turn) continue;
    progress.update((cursor - from) / Math.max(1, to - from));
    await Bun.sleep(0);
    turn = performance.now() + TURN_MS;
  }
}

function needsFile(id: string, format: ExportFormat): HoltError {
  const ending = format === "html" ? "html" : "cast";
  return new HoltError("EBADARGS", `${format} output is not readable on a terminal`, {
    hint: `use \`--output ${id}.${ending}\`, or \`--output -\` to print it anyway`,
  });
}

const FIRST_SHOWN_MS = 1000;
const UPDATE_MS = 100;

/**
 * Progress line on stderr, if that is a terminal and the export takes longer than a second. Erased
 * at the end.
 */
class Progress implements Disposable {
  readonly #what: string;
  readonly #isShown = stderrStyle().tty;
  #due = performance.now() + FIRST_SHOWN_MS;
  #isWritten = false;

  constructor(what: string) {
    this.#what = what;
  }

  /** `share`: from 0 to 1. */
  update(share: number): void {
    const now = performance.now();
    if (!this.#isShown || now < this.#due) return;
    this.#due = now + UPDATE_MS;
    this.#isWritten = true;
    writeErr(`\r\x1b[K${this.#what} ${Math.floor(100 * Math.min(1, share))} %`);
  }

  [Symbol.dispose](): void {
    if (this.#isWritten) writeErr("\r\x1b[K");
  }
}
