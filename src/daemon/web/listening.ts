/** The address and port of an HTTP listener, from the configuration. */
import type { Settings } from "../../config/keys.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { DEFAULT_PORT } from "../../protocol/wire/web.ts";
import { isLoopback } from "../../surfaces/http/origin-guard.ts";

/**
 * With `development: false` Bun sets SO_REUSEPORT, so another process of the same user could listen
 * on the same port and receive some of the requests.
 */
export const REUSE_PORT = false;

export interface Listen {
  key: ListenKey;
  address: string;
  port: number;
  /** The port is only the default: another one will do. */
  isDefaultPort: boolean;
}

type ListenKey = "http.listen" | "metrics.listen";

/** `port`: requested explicitly; overrides the configuration. */
export function listenAt(key: ListenKey, settings: Settings, port: number | null): Listen {
  const configured = settings[key];
  const [, address = "127.0.0.1", own = String(DEFAULT_PORT)] = /^\[?(.*?)\]?:(\d+)$/.exec(configured ?? "") ?? [];
  if (!isLoopback(address) && !settings["http.expose"])
    throw new HoltError("EDENIED", `${key} is not a loopback address: ${address}`, {
      hint: "set http.expose = true to allow it, with TLS in front (docs/security.md)",
      details: { rule: "http.expose" },
    });
  return { key, address, port: port ?? Number(own), isDefaultPort: port === null && configured === null };
}

export function listening<T>({ key, address, port, isDefaultPort }: Listen, listen: (port: number) => T): T {
  try {
    return listen(port);
  } catch (error) {
    if (errnoOf(error) === "EADDRINUSE" && isDefaultPort) return listen(0);
    const why = errnoOf(error) ?? String(error);
    throw new HoltError("EBUSY", `cannot listen at ${address}:${port}: ${why}`, {
      hint:
        why === "EADDRINUSE"
          ? "another program uses the port; `holt web --port 0` takes a free one"
          : `choose another in ${key}`,
    });
  }
}
