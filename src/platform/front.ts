/**
 * A child that is in front on our terminal before it runs, as a shell's is: glibc can do that since 2.35, others not at all. There a command that
 * reads the terminal at once is stopped for it, and whoever started it has to see to that.
 */
import { dlopen } from "bun:ffi";

type AddFront = (actions: Uint8Array, terminal: number) => number;
let known: AddFront | null | undefined;

/** Adds to what posix_spawn is to do: the group of the child gets the terminal on that descriptor. */
export function addFront(actions: Uint8Array, terminal: number): void {
  if (known === undefined) known = linked();
  known?.(actions, terminal);
}

function linked(): AddFront | null {
  if (process.platform !== "linux") return null;
  const name = "posix_spawn_file_actions_addtcsetpgrp_np";
  try {
    return dlopen("libc.so.6", { [name]: { args: ["ptr", "int"], returns: "int" } }).symbols[name];
  } catch {
    return null;
  }
}
