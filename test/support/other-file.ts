import { rmSync, writeFileSync } from "node:fs";

/** A plain file of somebody's in the place of a socket: nobody can be reached there, and whoever listened is not asked for the name, since there is one. */
export function otherFileAt(socket: string | null): void {
  if (socket === null) throw new Error("it has no socket");
  rmSync(socket);
  writeFileSync(socket, "something else");
}
