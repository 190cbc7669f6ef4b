/** The parts of a session that its integrated shell uses (integrate.ts). */
import type { ShellName } from "../../protocol/types/shell-command.ts";
import type { CommandLine } from "../../transcript/read/commands-file.ts";

/**
 * The process group that has the terminal, and its leader's image; null if the leader has ended.
 */
export interface ForegroundProcess {
  group: number;
  image: string | null;
}

export interface ShellHost {
  shell: ShellName;
  key: string;
  record(line: CommandLine): void;
  /** Records nothing from now on. */
  release(): void;
  /** Puts a command there for the shell to take; null removes it. */
  inbox(command: Uint8Array | null): void;
  /** Makes all output so far readable. */
  flush(): void;
  produced(): number;
  /** A line editor reads keys: the terminal is not in canonical mode. */
  isEditing(): boolean;
  /**
   * The shell waits for keys, and all its earlier output is in the transcript: its prompt is drawn.
   */
  isReading(): boolean;
  /** Input was typed that is still unread. */
  hasUnreadInput(): boolean;
  /** The shell's process runs another program now. */
  isReplaced(): boolean;
  /** The interactive shell that replaced it, if it can be integrated. */
  replacementShell(): ShellName | null;
  /**
   * Call before typing that many characters at the prompt. Saves the prompt's end, so that later
   * output can return there (command-display.ts).
   */
  savePromptEnd(typed: number): "saved" | "lost";
  /**
   * Puts the script that integrates the shell into the inbox, counting prompts from `prompt`;
   * returns the line that makes the shell read it.
   */
  rejoin(shell: ShellName, prompt: number): string;
  /** The name of the program that has the terminal; null if it is the shell itself. */
  foregroundName(): string | null;
  /** The process group that has the terminal, also if it is the shell. */
  foregroundProcess(): ForegroundProcess | null;
  /** Output exists that is not in the transcript yet. */
  hasUnreadOutput(): boolean;
  /** The text that the terminal shows for these bytes. */
  displayedText(from: number, to: number): string;
}
