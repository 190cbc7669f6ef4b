/** Commands run in an integrated shell: bash, zsh or fish with holt's hooks. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

/** Whether a command of this name, with or without a path, is a shell that holt can integrate. */
export function isKnownShell(command: string): boolean {
  const name = command.slice(command.lastIndexOf("/") + 1);
  return SHELLS.some((shell) => shell === name);
}

/** One command of an integrated shell. */
export interface ShellCommand {
  /** Number of the prompt at which it was entered; it grows. */
  number: number;
  /** Null where the shell hides it: a bash line excluded from the history. */
  command: string | null;
  command_cut: boolean;
  /** Typed at the prompt, or sent by session.exec. */
  by: "exec" | "typed";
  /** Working directory at its start. */
  cwd: string | null;
  started_at: string;
  /** Null while it runs, or when its end was not seen. */
  ended_at: string | null;
  duration_ms: number | null;
  exit_code: number | null;
  /** Cursors around the terminal output of the command. */
  output_start: number;
  output_end: number | null;
}

/**
 * The holder answers at the latest this long after the timeout of the call, whatever the shell
 * does.
 */
export const EXEC_ANSWER_MARGIN_MS = 3000;

/** The result of running a command in a shell. */
export interface ShellOutcome {
  /**
   * - "running": not finished within the timeout
   * - "session_ended": the shell exited
   * - "replaced": the shell became another program (exec)
   */
  outcome: "done" | "running" | "session_ended" | "replaced";
  exit_code: number | null;
  /** The shell's current directory. */
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
/** Longest command, in bytes. */
export const MAX_COMMAND_BYTES = 512 * 1024;
