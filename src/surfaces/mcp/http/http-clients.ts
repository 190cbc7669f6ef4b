/** The clients of the older era over HTTP, each with its key: by the id that they were given, until they leave or their key ends. */
import type { House, Opened } from "../../http/backend.ts";
import { Tenure } from "../../websocket/token-lifetime.ts";
import type { HttpClient } from "./http-client.ts";

/** Past these, the one that has not asked for anything for longest has to come anew. */
const MAX_CLIENTS = 500;

interface Known {
  client: HttpClient;
  token_id: string;
  tenure: Tenure;
}

export class HttpClients implements Disposable {
  readonly #house: House;
  readonly #known = new Map<string, Known>();

  constructor(house: House) {
    this.#house = house;
  }

  keep(client: HttpClient, opened: Opened): void {
    const tenure = new Tenure(this.#house, opened, () => this.forget(client.id));
    this.#known.set(client.id, { client, token_id: opened.token_id, tenure });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CLIENTS && oldest !== undefined) this.forget(oldest);
  }

  /** Null where that key's clients have no such id. */
  find(id: string, { token_id }: Opened): HttpClient | null {
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
    known?.tenure[Symbol.dispose]();
    known?.client[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const id of this.#known.keys()) this.forget(id);
  }
}
