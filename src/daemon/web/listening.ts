/** Where HTTP is listened for: what the configuration says of it, and what stands against it. */
import type { Settings } from "../../config/keys.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { DEFAULT_PORT } from "../../protocol/wire/web.ts";
import { isLoopback } from "../../surfaces/http/origin-guard.ts";

/** With `development: false` Bun lets any process of the same user listen at the same port, and each request then goes to one of them by chance. */
export const NOT_SHARED = false;

export interface Listen {
  key: ListenKey;
  address: string;
  port: number;
  /** Where the port is only the usual one: any other does as well. */
  mayMove: boolean;
}

type ListenKey = "http.listen" | "metrics.listen";

/** `port`: that is asked for, whatever the configuration says. */
export function listenAt(key: ListenKey, settings: Settings, port: number | null): Listen {
  const configured = settings[key];
  const [, address = "127.0.0.1", own = String(DEFAULT_PORT)] = /^\[?(.*?)\]?:(\d+)$/.exec(configured ?? "") ?? [];
  if (!isLoopback(address) && !settings["http.expose"])
    throw new HoltError("EDENIED", `${key} is ${address}, which others can reach`, {
      hint: "http.expose = true says that this is meant; put TLS in front of it (docs/security.md)",
      details: { rule: "http.expose" },
    });
  return { key, address, port: port ?? Number(own), mayMove: port === null && configured === null };
}

export function listening<T>({ key, address, port, mayMove }: Listen, listen: (port: number) => T): T {
  try {
    return listen(port);
  } catch (error) {
    if (errnoOf(error) === "EADDRINUSE" && mayMove) return listen(0);
    const why = errnoOf(error) ?? String(error);
    throw new HoltError("EBUSY", `cannot listen at ${address}:${port}: ${why}`, {
      hint:
        why === "EADDRINUSE"
          ? "another program does; `holt web --port 0` takes any that is free"
          : `choose another in ${key}`,
    });
  }
}
