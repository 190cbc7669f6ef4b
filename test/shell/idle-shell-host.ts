/** A shell host without a session: nothing is printed, typed or recorded. */
import type { ShellHost } from "../../src/holder/shell/shell-host.ts";

export const IDLE: ShellHost = {
  shell: "bash",
  key: "k",
  record() {},
  release() {},
  inbox() {},
  flush() {},
  produced: () => 0,
  isEditing: () => false,
  isReading: () => false,
  hasUnreadInput: () => false,
  isReplaced: () => false,
  replacementShell: () => null,
  savePromptEnd: () => "lost",
  rejoin: () => "",
  foregroundName: () => null,
  foregroundProcess: () => null,
  hasUnreadOutput: () => false,
  displayedText: () => "",
};
