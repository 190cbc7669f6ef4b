/** Where a bench's daemon serves HTTP, and its owner, who asks there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dial } from "../daemon/household.ts";
import type { Bench } from "../support/holt.ts";

export interface ErrorObject {
  code: string;
  message: string;
  details: Record<string, unknown>;
  hint: string | null;
}

/** What every answer in JSON is. */
export interface Envelope {
  apiVersion: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what it is, the test says
  data?: any;
  error?: ErrorObject;
}

export interface Told {
  status: number;
  headers: Headers;
  text: string;
  body: Envelope;
}

export interface Asking extends RequestInit {
  /** Null: none. */
  token?: string | null;
  /** Whom to trust. */
  tls?: object;
}

export class HttpPlace {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly token: string;

  constructor(origin: string, token: string) {
    this.origin = origin;
    this.token = token;
  }

  /** Turned on, where it is not. */
  static async of(bench: Bench): Promise<HttpPlace> {
    using client = await dial(bench);
    const { url } = await client.call("web.start", { port: 0 });
    return new HttpPlace(new URL(url).origin, ownerToken(bench));
  }

  async ask(path: string, { token = this.token, headers, ...init }: Asking = {}): Promise<Told> {
    const all = new Headers(headers);
    if (token !== null) all.set("authorization", `Bearer ${token}`);
    const response = await fetch(this.origin + path, { ...init, headers: all });
    const text = await response.text();
    const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true;
    const body = (isJson ? JSON.parse(text) : {}) as Envelope;
    return { status: response.status, headers: response.headers, text, body };
  }

  async post(path: string, body: unknown, asking: Asking = {}): Promise<Told> {
    const headers = { "content-type": "application/json", ...(asking.headers as Record<string, string> | undefined) };
    return this.ask(path, { method: "POST", ...asking, headers, body: JSON.stringify(body) });
  }

  /** A WebSocket at a path, with the owner's token as a program sends it. */
  socket(path: string, token = this.token): WebSocket {
    const headers = { authorization: `Bearer ${token}` };
    return new WebSocket(this.origin.replace("http", "ws") + path, { headers });
  }
}

export function ownerToken(bench: Bench): string {
  return readFileSync(join(bench.state, "owner-token"), "utf8").trim();
}
