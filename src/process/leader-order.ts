/** What a leader is told: which command to start. `u32 length | strings, each ended by NUL: session id, path, argv...` */
import { splitNul } from "./raw-arguments.ts";

export const RESUME = "c";

export interface StartOrder {
  sessionId: string;
  path: Uint8Array;
  argv: readonly Uint8Array[];
}

export function encodeStart({ sessionId, path, argv }: StartOrder): Uint8Array {
  const nul = Buffer.alloc(1);
  const body = Buffer.concat([Buffer.from(sessionId), path, ...argv].flatMap((part) => [part, nul]));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

export function decodeStart(body: Uint8Array): StartOrder | null {
  const [sessionId, path, ...argv] = splitNul(body);
  if (sessionId === undefined || path === undefined) return null;
  return { sessionId: Buffer.from(sessionId).toString(), path, argv };
}
