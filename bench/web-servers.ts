/** Who serves: holt's page, and the least there is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BEARER_PROTOCOL, BINARY_FRAMES, JSON_FRAMES } from "../src/protocol/wire/web.ts";
import type { Stage } from "./stage.ts";

export interface HoltWeb {
  url: string;
  token: string;
  attach(id: string): string;
  /** Of a WebSocket that is a terminal in binary. */
  protocols: string[];
  jsonProtocols: string[];
}

export async function holtWeb(stage: Stage): Promise<HoltWeb> {
  const { url } = JSON.parse(await stage.holt("web", "--no-open", "--port", "0", "--json")) as { url: string };
  const token = readFileSync(join(stage.state, "owner-token"), "utf8").trim();
  const key = `${BEARER_PROTOCOL}${token}`;
  return {
    url,
    token,
    attach: (id) => `${url.replace("http", "ws")}api/v1/pty/sessions/${id}/attach`,
    protocols: [BINARY_FRAMES, key],
    jsonProtocols: [JSON_FRAMES, key],
  };
}

export interface BareServer extends AsyncDisposable {
  port: number;
  pid: number;
}

export async function bareServer(stage: Stage, argv: string[]): Promise<BareServer> {
  const proc = Bun.spawn([process.execPath, join(import.meta.dir, "pty-ws.ts"), ...argv], {
    cwd: stage.cwd,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await proc.stdout.getReader().read();
  return {
    port: Number(Buffer.from(value ?? []).toString()),
    pid: proc.pid,
    async [Symbol.asyncDispose]() {
      proc.kill();
      await proc.exited;
    },
  };
}
