/**
 * The additional channels of a command: descriptors, files and sockets that it writes to. Each is
 * read in slices like stdout, and appended to the transcript on the same path. Loaded only for
 * commands with such channels.
 */
import { closeQuietly, closerOf, privatePipe, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import { Listener } from "../../platform/sockets/listener.ts";
import { listenAt } from "../../transcript/bound-socket.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { type ChannelSpec, channelVariable, FIRST_CHANNEL_FD } from "../../protocol/types/channels.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { drainPumps, OutputPump } from "../../process/pty/output-pump.ts";
import type { SpawnSpec, Transport, TransportEvents } from "../../process/transport.ts";
import { FollowedFile } from "./followed-file.ts";

/** Connections that are read at once, per channel; the others wait. */
const MAX_CONNECTIONS = 8;
const MAX_WAITING = 1024;

export interface SideChannelsOptions {
  specs: readonly ChannelSpec[];
  /** Absolute. */
  cwd: string;
  socketPath: (name: string) => string;
}

type Output = (channel: Channel, bytes: Uint8Array) => void;

interface ChannelPipe {
  name: string;
  readEnd: number;
  writeEnd: number;
}

export class SideChannels {
  /** Descriptor in the command → descriptor in the holder. */
  readonly fds = new Map<number, number>();
  readonly environment: Uint8Array[] = [];
  readonly #pipes: ChannelPipe[] = [];
  readonly #files: FollowedFile[] = [];
  readonly #sockets: { name: string; path: string; listener: number }[] = [];
  readonly #listeners: Listener[] = [];
  readonly #pumps = new Map<OutputPump, () => void>();
  /** Connections that are not read yet, with the function that starts reading. */
  readonly #waiting = new Map<number, () => void>();
  #isPaused = false;

  /** Opens all of them, or throws and opens none. */
  constructor(options: SideChannelsOptions) {
    try {
      for (const spec of options.specs) this.#open(spec, options);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Call when the command has its descriptors: starts reading. */
  begin(output: Output): void {
    for (const { name, readEnd, writeEnd } of this.#pipes.splice(0)) {
      closeQuietly(writeEnd);
      this.#pump(readEnd, (bytes) => output(name, bytes));
    }
    for (const file of this.#files) file.begin((bytes) => output(file.name, bytes));
    for (const { name, listener } of this.#sockets) this.#listen(name, listener, output);
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
    for (const pump of this.#pumps.keys()) pump.pause(paused);
    for (const file of this.#files) file.pause(paused);
  }

  /**
   * Reads what was written before the end. An open writer does not delay the end: the leader has
   * the descriptors as long as it lives.
   */
  async drain(deadlineMs: number): Promise<boolean> {
    for (const begin of this.#waiting.values()) begin();
    const isComplete = await drainPumps([...this.#pumps.keys()], deadlineMs, "empty");
    for (const file of this.#files) file.finish();
    return isComplete;
  }

  close(): void {
    for (const { readEnd, writeEnd } of this.#pipes.splice(0)) [readEnd, writeEnd].forEach(closeQuietly);
    for (const [pump, close] of this.#pumps) {
      pump.stop();
      close();
    }
    this.#pumps.clear();
    for (const fd of this.#waiting.keys()) closeQuietly(fd);
    this.#waiting.clear();
    for (const file of this.#files.splice(0)) file.close();
    const isListening = this.#listeners.length > 0;
    for (const listener of this.#listeners.splice(0)) listener[Symbol.dispose]();
    for (const { path, listener } of this.#sockets.splice(0)) {
      if (!isListening) closeQuietly(listener);
      unlinkIfThere(path);
    }
  }

  #open({ name, source, path }: ChannelSpec, { cwd, socketPath }: SideChannelsOptions): void {
    if (source === "fd") {
      const commandFd = FIRST_CHANNEL_FD + this.fds.size;
      const pipe = privatePipe();
      this.#pipes.push({ name, ...pipe });
      this.fds.set(commandFd, pipe.writeEnd);
      this.#setVariable(channelVariable(name, "FD"), String(commandFd));
    }
    if (source === "file") {
      const file = new FollowedFile(name, absolutePath(cwd, path ?? name));
      this.#files.push(file);
      this.#setVariable(channelVariable(name, "PATH"), file.path);
    }
    if (source === "socket") {
      const at = socketPath(name);
      this.#sockets.push({ name, path: at, listener: listenAt(at) });
      this.#setVariable(channelVariable(name, "SOCKET"), at);
    }
  }

  #setVariable(variable: string, value: string): void {
    this.environment.push(bytesOf(`${variable}=${value}`));
  }

  #listen(name: string, listener: number, output: Output): void {
    let connections = 0;
    const waiting: number[] = [];
    const read = (fd: number): void => {
      this.#waiting.delete(fd);
      connections++;
      const over = (): void => {
        connections--;
        const next = waiting.find((one) => this.#waiting.has(one));
        waiting.splice(0, next === undefined ? waiting.length : waiting.indexOf(next) + 1);
        if (next !== undefined && connections < MAX_CONNECTIONS) read(next);
      };
      // A client that has sent everything waits for the holder to close its end.
      this.#pump(fd, (bytes) => output(name, bytes), over);
    };
    const accepted = (fd: number): void => {
      if (connections < MAX_CONNECTIONS) return read(fd);
      if (waiting.length === MAX_WAITING) return closeQuietly(fd);
      waiting.push(fd);
      this.#waiting.set(fd, () => read(fd));
    };
    this.#listeners.push(new Listener({ listener, accepted, refused() {} }));
  }

  #pump(fd: number, deliver: (bytes: Uint8Array) => void, over: () => void = () => {}): void {
    setNonBlocking(fd);
    const close = closerOf(fd);
    const pump = new OutputPump(fd, deliver, () => {
      close();
      this.#pumps.delete(pump);
      over();
    });
    pump.pause(this.#isPaused);
    this.#pumps.set(pump, close);
  }
}

type Begin = (spec: SpawnSpec, events: TransportEvents) => Promise<Transport> | Transport;

/** The command gets the channels at its start; the holder reads them from then on. */
export function startWithChannels(
  spec: SpawnSpec,
  events: TransportEvents,
  begin: Begin,
  options: SideChannelsOptions,
): Promise<Transport> | Transport {
  const side = new SideChannels(options);
  try {
    const starting = begin({ ...spec, env: [...spec.env, ...side.environment], extra: side.fds }, events);
    side.begin((channel, bytes) => events.output(channel, bytes));
    // Synchronously if the transport is there: the command may end before another turn of the loop.
    return starting instanceof Promise ? withSideChannelsLater(starting, side) : withSideChannels(starting, side);
  } catch (error) {
    side.close();
    throw error;
  }
}

async function withSideChannelsLater(starting: Promise<Transport>, side: SideChannels): Promise<Transport> {
  try {
    return withSideChannels(await starting, side);
  } catch (error) {
    side.close();
    throw error;
  }
}

/** The transport, with the side channels read, paused, drained and closed along with it. */
function withSideChannels(transport: Transport, side: SideChannels): Transport {
  return Object.assign(Object.create(transport) as Transport, {
    pause(paused: boolean) {
      transport.pause(paused);
      side.pause(paused);
    },
    async drain(deadlineMs: number) {
      const isComplete = await transport.drain(deadlineMs);
      return (await side.drain(deadlineMs)) && isComplete;
    },
    close() {
      side.close();
      transport.close();
    },
  });
}

function absolutePath(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}
