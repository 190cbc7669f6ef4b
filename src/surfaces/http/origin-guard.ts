/**
 * Refuses requests from other sites, before their key is read. A browser sends what any page makes
 * it send: to another host name that resolves to this address (DNS rebinding), or across sites. So
 * the Host must be one of ours, and an Origin must be the page's own. Programs send no Origin.
 */
import { HoltError } from "../../protocol/types/errors.ts";

export interface ListenAddress {
  /** As configured, e.g. 127.0.0.1 or 0.0.0.0. */
  address: string;
  port: number;
  tls: boolean;
  /** Further host names; read from the current configuration on each request. */
  hosts: () => readonly string[];
}

export class OriginGuard {
  readonly #listen: ListenAddress;
  #configured: readonly string[] = [];
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();

  constructor(listen: ListenAddress) {
    this.#listen = listen;
    this.#allow(listen.hosts());
  }

  #allow(hosts: readonly string[]): void {
    const own = ownHosts(this.#listen);
    const scheme = this.#listen.tls ? "https" : "http";
    this.#configured = hosts;
    this.#hosts = new Set([...own, ...hosts].map((host) => host.toLowerCase()));
    // Behind a proxy, TLS ends at the proxy, so both schemes are allowed.
    const others = hosts.flatMap((host) => [`http://${host}`, `https://${host}`]);
    this.#origins = new Set([...own.map((host) => `${scheme}://${host}`), ...others].map((each) => each.toLowerCase()));
  }

  /** Null when the request is allowed. */
  refuse({ method, headers }: { method: string; headers: Headers }): HoltError | null {
    const hosts = this.#listen.hosts();
    if (hosts !== this.#configured) this.#allow(hosts);
    const host = headers.get("host")?.toLowerCase() ?? "";
    if (!this.#hosts.has(host))
      return new HoltError("EDENIED", `unknown host: ${JSON.stringify(host.slice(0, 100))}`, {
        hint: "add it to http.hosts in the configuration",
      });
    const origin = headers.get("origin");
    if (origin !== null && !this.#origins.has(origin.toLowerCase()))
      return new HoltError("EDENIED", `origin not allowed: ${JSON.stringify(origin.slice(0, 100))}`, {
        hint: "only holt's own page may send an Origin; programs send none",
      });
    const site = headers.get("sec-fetch-site");
    if (site !== null && !["same-origin", "none"].includes(site) && !isLinkNavigation(method, headers))
      return new HoltError("EDENIED", "cross-site request", { hint: "open holt's own page" });
    return null;
  }
}

/** These addresses accept connections to every address of the machine, loopback included. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * A link in a mail or a chat is cross-site. Following it only loads the page, without credentials,
 * so it is allowed.
 */
function isLinkNavigation(method: string, headers: Headers): boolean {
  const isDocument = headers.get("sec-fetch-dest") === "document";
  return method === "GET" && headers.get("sec-fetch-mode") === "navigate" && isDocument && !headers.has("origin");
}

function ownHosts({ address, port, tls }: ListenAddress): string[] {
  const includesLoopback = isLoopback(address) || WILDCARDS.has(address);
  const names = new Set([...(includesLoopback ? ["127.0.0.1", "localhost", "[::1]"] : []), inBrackets(address)]);
  const isDefaultPort = port === (tls ? 443 : 80);
  return [...names].flatMap((name) => [`${name}:${port}`, ...(isDefaultPort ? [name] : [])]);
}

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** The address as the host of a URL that connects to it. */
export function hostOf(address: string): string {
  return WILDCARDS.has(address) ? "127.0.0.1" : inBrackets(address);
}

function inBrackets(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
}
