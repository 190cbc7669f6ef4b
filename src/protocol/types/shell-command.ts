export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

/** Whether a command of this name, with or without a path, is a shell that holt can integrate. */
export function isKnownShell(command: string): boolean {
  const name = command.slice(command.lastIndexOf("/") + 1);
  return SHELLS.some((shell) => shell === name);
}

/** One command that was run in an integrated shell. */
export interface ShellCommand {
  /** Of the prompt at which it was given: it grows. */
  number: number;
  /** Null where the shell keeps it to itself: bash, of a line that it was told not to remember. */
  command: string | null;
  command_cut: boolean;
  /** Typed at the prompt, or given by session.exec. */
  by: "exec" | "typed";
  /** Where it began. */
  cwd: string | null;
  started_at: string;
  /** Null while it runs, or when its end was never seen. */
  ended_at: string | null;
  duration_ms: number | null;
  exit_code: number | null;
  /** Cursors: what the terminal was sent between its beginning and its end. */
  output_start: number;
  output_end: number | null;
}

/** A holder that is asked to run one answers at the latest so long after the time that it was given, whatever the shell does. */
export const EXEC_ANSWER_MARGIN_MS = 3000;

/** What became of a command that a shell was given. */
export interface ShellOutcome {
  /** "running": not done in the time that was given. "session_ended": the shell exited. "replaced": it became another program. */
  outcome: "done" | "running" | "session_ended" | "replaced";
  exit_code: number | null;
  /** Where the shell is now. */
  cwd: string | null;
  started_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  /** Cursors. */
  output_start: number;
  output_end: number | null;
}

/** With EBADARGS. */
export const NOT_A_SHELL = "this session is no integrated shell";
export const SHELL_HINT = 'start an interactive bash, zsh or fish on a terminal: session.start {"argv": ["bash"]}';
/** Of a command, in bytes. */
export const MAX_COMMAND_BYTES = 512 * 1024;
