/**
 * The attached clients of a session: admission, terminal size, keyboard lease, and delivery of
 * notices.
 */
import {
  ATTACH_FRAME,
  type AttachedClientInfo,
  type AttachRequest,
  type ClientSize,
  type DetachReason,
} from "../../protocol/wire/attach.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { AttachedClient } from "./attached-client.ts";
import type { ControllableSession } from "../socket/control.ts";
import { InputCounter } from "../session/input-counter.ts";
import { Lease } from "./lease.ts";
import { SizeVotes } from "./size-votes.ts";

const SLOW_CHECK_MS = 1000;

export class Clients {
  readonly #session: ControllableSession;
  readonly #clients = new Map<string, AttachedClient>();
  readonly #sizes: SizeVotes;
  readonly #lease: Lease;
  readonly #inputCounter: InputCounter;
  #count = 0;
  #passiveCount = 0;
  #slowCheck: ReturnType<typeof setInterval> | null = null;
  #areModesPending = false;

  constructor(session: ControllableSession) {
    this.#session = session;
    this.#sizes = new SizeVotes(session.sharing.size_rule, (size) => this.resize(size));
    this.#lease = new Lease(session.sharing.input, (owner) => {
      session.record.event({ type: "lease", client: owner });
      this.#broadcast(ATTACH_FRAME.lease, { client_id: owner });
    });
    this.#inputCounter = new InputCounter((client, typed) => session.record.event({ type: "input", client, ...typed }));
    if (session.terminal !== null) session.terminal.changed = () => this.#modesChanged();
  }

  /** Returns the id of a new client; "" for one that takes a single look at the screen. */
  admit(request: AttachRequest): string {
    if (request.once) return "";
    if (request.passive) return `p${++this.#passiveCount}`;
    const { max_clients } = this.#session.sharing;
    if (request.replaces) for (const { id } of this.#listed()) this.detach(id, "replaced");
    if (this.#listed().length >= max_clients) {
      throw new HoltError("ERLIMIT", `client limit reached: ${max_clients}`, {
        hint: "`holt clients` lists them, `holt detach` detaches one; `holt start --max-clients` raises the limit",
      });
    }
    return `c${++this.#count}`;
  }

  add(client: AttachedClient): void {
    const { id, request } = client;
    if (request.once) return;
    this.#clients.set(id, client);
    const { role, pid, label, size, takeover } = request;
    if (!request.passive) {
      this.#session.resetIdle();
      this.#session.record.event({ type: "attach", client: id, role, pid, label, cols: size?.cols, rows: size?.rows });
    }
    if (takeover && role === "driver") this.#lease.take(id);
    this.#slowCheck ??= setInterval(() => this.#detachSlowClients(), SLOW_CHECK_MS);
  }

  /** The replay was sent: from now on the client's size counts. */
  replaySent({ id, request: { size } }: AttachedClient): void {
    if (size !== null && this.#clients.has(id) && this.#session.reserved.size === null) this.#sizes.vote(id, size);
  }

  /** The client needs a replay that fits its new size, even if the session's size stays. */
  resized(client: AttachedClient, size: ClientSize): void {
    if (!client.request.passive) this.#session.resetIdle();
    if (client.request.size !== null) {
      client.request.size = size;
      this.replaySent(client);
    }
    void client.replay();
  }

  remove(client: AttachedClient, reason: DetachReason | "gone"): void {
    if (!this.#clients.delete(client.id)) return;
    this.#inputCounter.settle(client.id);
    if (!client.request.passive) {
      this.#session.resetIdle();
      this.#session.record.event({ type: "detach", client: client.id, reason });
    }
    this.#sizes.withdraw(client.id);
    this.#lease.free(client.id);
    if (this.#clients.size > 0 || this.#slowCheck === null) return;
    clearInterval(this.#slowCheck);
    this.#slowCheck = null;
  }

  detach(id: string, reason: DetachReason): void {
    const client = this.#clients.get(id);
    if (client === undefined) {
      const known = this.#listed().map((other) => other.id);
      throw new HoltError("ENOTFOUND", `no client ${JSON.stringify(id)} is attached`, {
        hint: known.length === 0 ? "no client is attached" : `attached: ${known.join(", ")}`,
      });
    }
    this.remove(client, reason);
    client.leave(reason);
  }

  list(): AttachedClientInfo[] {
    return this.#listed().map(({ id, request: { role, size, pid, label, inside = [] }, attachedAt, lagBytes }) => ({
      client_id: id,
      role,
      size,
      attached_at: attachedAt,
      pid,
      label,
      lag_bytes: lagBytes,
      has_lease: this.#lease.owner === id,
      inside,
    }));
  }

  /**
   * Types for a client, or for a caller that is not attached (`holt send`). `takeover` takes the
   * keyboard lease first.
   */
  type(client: string, bytes: Uint8Array, takeover = false): void {
    this.#withLease(client, takeover, () => {
      if (bytes.length === 0) return;
      this.#inputCounter.add(client, bytes.length, this.#session.record.writer.produced);
      this.#session.input(bytes);
    });
  }

  /** Like `type`, but records neither the bytes nor their number. */
  typeSecret(client: string, bytes: Uint8Array, takeover = false): void {
    this.#withLease(client, takeover, () => {
      this.#session.record.event({ type: "secret", client });
      this.#session.input(bytes);
    });
  }

  /** Resizes the session. Every client gets a replay of the new screen. */
  resize(size: ClientSize): void {
    const before = this.#session.terminal?.size;
    if (this.#session.hasEnded || this.#session.isStarting || !this.#session.resize(size)) return;
    this.#session.resetIdle();
    // Only the pixel size differs: the screen stays the same.
    if (before?.cols === size.cols && before.rows === size.rows) return;
    for (const client of this.#clients.values()) void client.replay();
  }

  /** Records how much each client has typed so far. */
  settle(): void {
    this.#inputCounter.settleAll();
  }

  end(): void {
    this.settle();
    this.#sizes.stop();
    if (this.#slowCheck !== null) clearInterval(this.#slowCheck);
  }

  /** A caller that is not attached releases the lease at once. */
  #withLease(client: string, takeover: boolean, act: () => void): void {
    if (takeover) this.#lease.take(client);
    if (!this.#lease.allows(client)) {
      throw new HoltError("EBUSY", `client ${this.#lease.owner} has the keyboard`, {
        hint: "take it with `--takeover`",
      });
    }
    act();
    if (!this.#clients.has(client)) this.#lease.free(client);
  }

  /** Modes may change thousands of times in one chunk of output: only the final ones are sent. */
  #modesChanged(): void {
    if (this.#areModesPending || this.#clients.size === 0) return;
    this.#areModesPending = true;
    queueMicrotask(() => {
      this.#areModesPending = false;
      this.#sendModes();
    });
  }

  #listed(): AttachedClient[] {
    return [...this.#clients.values()].filter(({ request }) => !request.passive);
  }

  #sendModes(): void {
    const { terminal } = this.#session;
    if (terminal !== null) this.#broadcast(ATTACH_FRAME.modes, { modes: terminal.modes, title: terminal.title });
  }

  #broadcast(type: number, value: unknown): void {
    for (const client of this.#clients.values()) client.notify(type, value);
  }

  #detachSlowClients(): void {
    const { slow_client, slow_client_ms } = this.#session.sharing;
    if (slow_client === "resync") return;
    for (const client of this.#clients.values()) if (client.stalledMs > slow_client_ms) this.detach(client.id, "slow");
  }
}
