/** What an integrated shell needs of the session that it is (integrate.ts). */
import type { ShellName } from "../../protocol/types/shell-command.ts";
import type { CommandLine } from "../../transcript/read/commands-file.ts";

/** A process group that has the terminal, and the program that its leader is by now; null where that has ended. */
export interface ForegroundProcess {
  group: number;
  image: string | null;
}

export interface ShellHost {
  shell: ShellName;
  key: string;
  record(line: CommandLine): void;
  /** Nothing more is recorded. */
  release(): void;
  /** For the shell to take; null takes it back. */
  inbox(command: Uint8Array | null): void;
  /** What was printed so far can be read by everybody. */
  flush(): void;
  produced(): number;
  /** A line editor reads keys: the terminal gathers no lines. */
  isEditing(): boolean;
  /** The shell itself waits for keys, and all that it printed before is in the transcript: its prompt is drawn. */
  isReading(): boolean;
  /** Something was typed that nobody has read yet. */
  hasUnread(): boolean;
  /** The shell's own process is another program by now. */
  isReplaced(): boolean;
  /** What shell that is, where it is one that reads commands, and can be joined again. */
  successor(): ShellName | null;
  /** So many characters are about to be typed at the prompt: what comes after them can go back to where they begin (as-typed.ts), if this says so. */
  savePromptEnd(typed: number): "saved" | "lost";
  /** Leaves in the inbox what joins it, and its prompts are counted from there on; returns the line that makes it read that. */
  rejoin(shell: ShellName, prompt: number): string;
  /** What the terminal's keys go to, where that is not the shell itself. */
  foreground(): string | null;
  /** The same, the shell itself included, so that one can be told from another. */
  front(): ForegroundProcess | null;
  /** Something was printed that is not in the transcript yet. */
  hasUnseen(): boolean;
  /** The text that the terminal shows for these bytes. */
  shown(from: number, to: number): string;
}
