/** What a shell needs of its session, where there is none: nothing is printed, typed or recorded. */
import type { ShellNeeds } from "../../src/holder/shell/needs.ts";

export const IDLE: ShellNeeds = {
  shell: "bash",
  key: "k",
  record() {},
  release() {},
  inbox() {},
  flush() {},
  produced: () => 0,
  isEditing: () => false,
  isReading: () => false,
  hasUnread: () => false,
  isReplaced: () => false,
  successor: () => null,
  keepPlace: () => "lost",
  rejoin: () => "",
  foreground: () => null,
  front: () => null,
  hasUnseen: () => false,
  shown: () => "",
};
