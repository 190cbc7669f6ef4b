import { type Bench, HOLT } from "./holt.ts";
import { TerminalUser } from "./terminal.ts";

/** A shell at its prompt. */
export async function prompt(bench: Bench): Promise<TerminalUser> {
  const user = new TerminalUser(["bash", "--norc", "-i"], {
    env: { ...bench.env, HOLT, PS1: "prompt> " },
    cwd: bench.root,
  });
  await user.sees("prompt> ");
  return user;
}
