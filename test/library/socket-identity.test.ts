/**
 * The library checked a socket and connected afterwards, even if the socket was missing at the
 * check. Another user who created the directory in between, such as a state directory in /tmp,
 * received the calls.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { Connection } from "../../src/library/connection.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.error("\n!!! NOT TRIED: directories of another user's: they cannot be made (it takes root)\n");
const NOBODY = 65_534;

describe("The client library", () => {
  let root: string;
  let servers: Server[];
  let connections: number;

  beforeEach(() => {
    root = mkdtempSync("/tmp/h-");
    servers = [];
    connections = 0;
  });
  afterEach(() => {
    for (const server of servers) server.close();
    rmSync(root, { recursive: true });
  });

  /** A directory with a listening socket. */
  async function listening(name: string): Promise<string> {
    mkdirSync(join(root, name), { recursive: true });
    const server = createServer(() => void connections++);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(join(root, name, "daemon.sock"), resolve));
    return join(root, name);
  }

  const outcome = async (dialling: Promise<Connection | null>): Promise<string> => {
    try {
      using connection = disposable(await dialling);
      return connection.isThere ? "connected" : "no daemon";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("connects to its user's own socket", async () => {
    const run = await listening("run");
    expect(await outcome(Connection.dial(join(run, "daemon.sock")))).toBe("connected");
  });

  test("does not connect to a socket that was missing at the check", async () => {
    const elsewhere = await listening("elsewhere");
    const dialling = Connection.dial(join(root, "run/daemon.sock"));
    renameSync(elsewhere, join(root, "run"));
    expect(await outcome(dialling)).toBe("no daemon");
    expect(connections).toBe(0);
  });

  test("does not use a connection to a socket that was replaced meanwhile", async () => {
    const run = await listening("run");
    const other = await listening("other");
    const dialling = Connection.dial(join(run, "daemon.sock"));
    renameSync(run, join(root, "before"));
    renameSync(other, run);
    expect(await outcome(dialling)).toBe("no daemon");
  });

  test.skipIf(!isRoot)("refuses another user's directory created meanwhile", async () => {
    const run = await listening("run");
    const other = await listening("other");
    chownSync(other, NOBODY, NOBODY);
    const dialling = Connection.dial(join(run, "daemon.sock"));
    renameSync(run, join(root, "before"));
    renameSync(other, run);
    expect(await outcome(dialling)).toContain(`${run} belongs to another user: uid ${NOBODY}`);
  });

  test("refuses a socket below a directory writable by others, unless that is sticky", async () => {
    const run = await listening("open/state/run");
    const open = join(root, "open");
    chmodSync(open, 0o777);
    const refused = `${open} can be written to by other users, and is not sticky`;
    expect(await outcome(Connection.dial(join(run, "daemon.sock")))).toBe(refused);
    chmodSync(open, 0o1777);
    expect(await outcome(Connection.dial(join(run, "daemon.sock")))).toBe("connected");
  });
});

function disposable(connection: Connection | null): Disposable & { isThere: boolean } {
  return { isThere: connection !== null, [Symbol.dispose]: () => connection?.close() };
}
