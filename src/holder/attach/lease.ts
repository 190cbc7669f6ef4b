/**
 * The keyboard lease: the only client that may type under `input: lease`. The first one to type
 * gets it, until it detaches or another takes it over.
 */
import type { InputSharing } from "../../protocol/wire/attach.ts";

export class Lease {
  readonly #sharing: InputSharing;
  readonly #changed: (owner: string | null) => void;
  #owner: string | null = null;

  constructor(sharing: InputSharing, changed: (owner: string | null) => void) {
    this.#sharing = sharing;
    this.#changed = changed;
  }

  get owner(): string | null {
    return this.#owner;
  }

  /** True if the client may type. Gives it the lease if that is free. */
  allows(client: string): boolean {
    if (this.#sharing === "shared") return true;
    if (this.#owner === null) this.#assign(client);
    return this.#owner === client;
  }

  take(client: string): void {
    if (this.#sharing === "lease" && this.#owner !== client) this.#assign(client);
  }

  free(client: string): void {
    if (this.#owner === client) this.#assign(null);
  }

  #assign(client: string | null): void {
    this.#owner = client;
    this.#changed(client);
  }
}
