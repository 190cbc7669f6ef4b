/** The clients of the older era over HTTP, each with its key: by the id that they were given, until they leave or their key ends. */
import type { HttpBackend, Grant } from "../../http/backend.ts";
import { TokenLifetime } from "../../websocket/token-lifetime.ts";
import type { HttpClient } from "./http-client.ts";

/** Past these, the one that has not asked for anything for longest has to come anew. */
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

  /** Null where that key's clients have no such id. */
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
