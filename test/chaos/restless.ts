import { readdirSync, readFileSync } from "node:fs";

const LOOKS = 200;

/**
 * The share of many looks at which one of the process's threads ran, or wanted to. Unlike the CPU time of a second, that of one that spins is 1 however many others want the
 * processor too.
 */
export async function restlessness(pid: number): Promise<number> {
  let restless = 0;
  for (let look = 0; look < LOOKS; look++) {
    if (statesOf(pid).includes("R")) restless++;
    await Bun.sleep(5); // between two looks
  }
  return restless / LOOKS;
}

function statesOf(pid: number): (string | undefined)[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((task) => {
    try {
      return readFileSync(`${tasks}/${task}/stat`, "latin1").split(") ").at(-1)?.[0];
    } catch {
      return undefined; // a thread that ended meanwhile
    }
  });
}
