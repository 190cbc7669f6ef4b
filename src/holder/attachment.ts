/** A connection that is attached: the client's frames, and the backpressure of its keys. */
import type { Socket } from "bun";
import { ATTACH_FRAME } from "../protocol/attach.ts";
import { HoltError } from "../protocol/errors.ts";
import { ENDED } from "../protocol/holder-methods.ts";
import { decodeJson, encodeJsonFrame, FRAME, type Frame } from "../protocol/frames.ts";
import { attachRequestOf, clientSizeOf } from "./attach-request.ts";
import { AttachedClient } from "./attached-client.ts";
import type { Clients } from "./clients.ts";
import type { Controlled } from "./control.ts";
import { requireFree } from "./control-values.ts";
import type { LiveSource } from "./live-source.ts";
import type { Outbox } from "./outbox.ts";

/** More that the command has not read, and the client is not read either. */
const PAUSE_ABOVE = 256 * 1024;

export interface AttachmentContext {
  session: Controlled;
  source: LiveSource;
  clients: Clients;
}

interface Connection {
  value: Record<string, unknown> | null;
  socket: Socket<unknown>;
  outbox: Outbox;
  /** Sends what is there to be sent. */
  advance(): void;
}

export class Attachment {
  readonly #context: AttachmentContext;
  readonly #socket: Socket<unknown>;
  readonly #outbox: Outbox;
  readonly #client: AttachedClient;
  /** While the command does not read. */
  #isPaused = false;
  #isClosed = false;
  #hasLeft = false;

  private constructor(context: AttachmentContext, connection: Connection, client: AttachedClient) {
    this.#context = context;
    this.#socket = connection.socket;
    this.#outbox = connection.outbox;
    this.#client = client;
  }

  /** Throws why it may not. */
  static begin(context: AttachmentContext, connection: Connection): Attachment {
    const { session, clients, source } = context;
    const request = attachRequestOf(connection.value);
    const terminal = session.requireTerminal();
    if (request.role === "driver") requireFree(session.reserved.input, "typed into");
    const id = clients.admit(request);
    const client = new AttachedClient({
      id,
      request,
      outbox: connection.outbox,
      source,
      terminal,
      replayed(isFirst) {
        if (isFirst) clients.arrived(client);
        connection.advance();
      },
    });
    clients.add(client);
    // Somebody is at the keyboard: from here on each key's way is worth compiling.
    if (!request.once) Bun.unsafe.setJITPolicy(1);
    void client.replay();
    return new Attachment(context, connection, client);
  }

  get done(): boolean {
    return this.#client.done;
  }

  advance(): void {
    this.#client.advance();
  }

  /** False when it is none of an attached client's. What comes after a DETACH is nobody's. */
  receive({ type, payload }: Frame): boolean {
    if (this.#hasLeft) return true;
    if (type === ATTACH_FRAME.input) this.#type(payload);
    else if (type === ATTACH_FRAME.resize) this.#resize(payload);
    else if (type === ATTACH_FRAME.detach) this.#leave();
    else return false;
    return true;
  }

  inputDrained(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#pace();
  }

  closed(): void {
    this.#isClosed = true;
    this.#context.clients.remove(this.#client, "gone");
  }

  #type(bytes: Uint8Array): void {
    const { session, clients } = this.#context;
    if (session.isStarting) return;
    try {
      if (session.hasEnded) throw new HoltError("ESESSIONCLOSED", ENDED);
      if (this.#client.request.role !== "driver") throw new HoltError("EDENIED", "this client only watches");
      clients.type(this.#client.id, bytes);
    } catch (error) {
      if (!(error instanceof HoltError)) throw error;
      const { code, message } = error;
      if (!this.#outbox.lags) this.#outbox.send(encodeJsonFrame(FRAME.error, { code, message }));
      return;
    }
    if (session.transport.pendingInput <= PAUSE_ABOVE || this.#isPaused) return;
    this.#isPaused = true;
    this.#pace();
  }

  #pace(): void {
    if (this.#isClosed) return;
    if (this.#isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  #resize(payload: Uint8Array): void {
    const value = decodeJson(payload);
    try {
      if (value?.["again"] === true) void this.#client.replay();
      else this.#context.clients.resized(this.#client, clientSizeOf(value));
    } catch (error) {
      if (!(error instanceof HoltError)) throw error;
      if (!this.#outbox.lags)
        this.#outbox.send(encodeJsonFrame(FRAME.error, { code: error.code, message: error.message }));
    }
  }

  #leave(): void {
    this.#hasLeft = true;
    this.#context.clients.remove(this.#client, "asked");
    this.#client.leave("asked");
  }
}
