/**
 * Closes a WebSocket from our side. After close(), Bun keeps the descriptor until the client
 * answers, or for a minute, and offers no way to end it earlier: a client that reads nothing would
 * hold it. So a ping is sent first, behind all other messages. A client that answers is closed with
 * the code and the reason. One that neither answers, nor reads, nor sends for 3 s is terminated.
 * Its messages are ignored but count as a sign of life, because the pong comes behind them: behind
 * 40 MB on a busy machine, seconds later.
 */
import type { Socket } from "./peer.ts";

/** A client without a sign of life for this long is terminated. */
const SILENCE_MS = 3000;
/** Sent messages count as a sign of life for at most this long. */
const MAX_TALK_MS = 30_000;
const POLL_MS = 100;
/** A ping or its pong may be lost beside megabytes in transit, so it is repeated. */
const PING_MS = 1000;

interface Closing {
  pongReceived(): void;
  messageReceived(): void;
}

const closings = new WeakMap<Socket, Closing>();

export interface HangUpOptions {
  reason?: string;
  /** True when the client sent a valid key: only then its messages count as a sign of life. */
  isKnown: boolean;
}

export function hangUp(socket: Socket, code: number, { reason, isKnown }: HangUpOptions): void {
  const began = performance.now();
  let [unread, readAt, messageAt, pingAt] = [socket.getBufferedAmount(), began, began, began];
  const poll = setInterval(() => {
    const [left, now] = [socket.getBufferedAmount(), performance.now()];
    if (left < unread) readAt = now;
    unread = left;
    if (now - Math.max(readAt, messageAt) < SILENCE_MS) {
      if (now - pingAt < PING_MS) return;
      pingAt = now;
      socket.ping();
      return;
    }
    finish();
    socket.terminate();
  }, POLL_MS).unref();
  const finish = (): void => {
    clearInterval(poll);
    closings.delete(socket);
  };
  closings.set(socket, {
    pongReceived() {
      finish();
      socket.close(code, reason);
    },
    messageReceived() {
      const now = performance.now();
      if (isKnown && now - began < MAX_TALK_MS) messageAt = now;
    },
  });
  socket.ping();
}

/** The client has read everything up to the ping. */
export function onPong(socket: Socket): void {
  closings.get(socket)?.pongReceived();
}

/** The client sent a message. */
export function onMessage(socket: Socket): void {
  closings.get(socket)?.messageReceived();
}
