/**
 * The HTTP clients of the older protocol era by Mcp-Session-Id, until they disconnect or their key
 * ends.
 */
import type { HttpBackend, Grant } from "../../http/backend.ts";
import { TokenLifetime } from "../../websocket/token-lifetime.ts";
import type { HttpClient } from "./http-client.ts";

/** Beyond this, the least recently used client must initialize again. */
const MAX_CLIENTS = 500;

interface KnownClient {
  client: HttpClient;
  token_id: string;
  tokenLifetime: TokenLifetime;
}

export class HttpClients implements Disposable {
  readonly #backend: HttpBackend;
  readonly #known = new Map<string, KnownClient>();

  constructor(backend: HttpBackend) {
    this.#backend = backend;
  }

  keep(client: HttpClient, grant: Grant): void {
    const tenure = new TokenLifetime(this.#backend, grant, () => this.forget(client.id));
    this.#known.set(client.id, { client, token_id: grant.token_id, tokenLifetime: tenure });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CLIENTS && oldest !== undefined) this.forget(oldest);
  }

  /** Null when no client with this key has the id. */
  find(id: string, { token_id }: Grant): HttpClient | null {
    const known = this.#known.get(id);
    if (known === undefined || known.token_id !== token_id) return null;
    this.#known.delete(id);
    this.#known.set(id, known);
    return known.client;
  }

  *[Symbol.iterator](): Iterator<HttpClient> {
    for (const { client } of this.#known.values()) yield client;
  }

  forget(id: string): void {
    const known = this.#known.get(id);
    this.#known.delete(id);
    known?.tokenLifetime[Symbol.dispose]();
    known?.client[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const id of this.#known.keys()) this.forget(id);
  }
}
