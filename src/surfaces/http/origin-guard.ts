/**
 * Who is let in before anybody looks at what is asked. A browser sends what any page makes it send: to a name that leads here (DNS rebinding), or across sites.
 * So first the Host must be one of ours, then the Origin, where there is one, must be the page's own. What is not a browser shows no Origin, and a key.
 */
import { HoltError } from "../../protocol/types/errors.ts";

export interface ListenAddress {
  /** As it was asked to listen. */
  address: string;
  port: number;
  tls: boolean;
  /** Further names, as a Host header has them: as the configuration has them now. */
  hosts: () => readonly string[];
}

export class OriginGuard {
  readonly #listen: ListenAddress;
  #configured: readonly string[] = [];
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();

  constructor(place: ListenAddress) {
    this.#listen = place;
    this.#allow(place.hosts());
  }

  #allow(named: readonly string[]): void {
    const own = ownHosts(this.#listen);
    const scheme = this.#listen.tls ? "https" : "http";
    this.#configured = named;
    this.#hosts = new Set([...own, ...named].map((host) => host.toLowerCase()));
    // Behind a proxy it is the proxy that has the certificate.
    const others = named.flatMap((host) => [`http://${host}`, `https://${host}`]);
    this.#origins = new Set([...own.map((host) => `${scheme}://${host}`), ...others].map((each) => each.toLowerCase()));
  }

  /** Null where there is nothing against it. */
  refuse({ method, headers }: { method: string; headers: Headers }): HoltError | null {
    const named = this.#listen.hosts();
    if (named !== this.#configured) this.#allow(named);
    const host = headers.get("host")?.toLowerCase() ?? "";
    if (!this.#hosts.has(host))
      return new HoltError("EDENIED", `no such host here: ${JSON.stringify(host.slice(0, 100))}`, {
        hint: "http.hosts in the configuration names the hosts under which holt is reached",
      });
    const origin = headers.get("origin");
    if (origin !== null && !this.#origins.has(origin.toLowerCase()))
      return new HoltError("EDENIED", `a page of another origin asked: ${JSON.stringify(origin.slice(0, 100))}`, {
        hint: "only holt's own page may; programs send no Origin",
      });
    const site = headers.get("sec-fetch-site");
    if (site !== null && !["same-origin", "none"].includes(site) && !isLinkNavigation(method, headers))
      return new HoltError("EDENIED", "another site's page asked", { hint: "open holt's own page" });
    return null;
  }
}

/** Every address of the machine, loopback among them. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** A link to here, in a mail or a chat, is another site's: to open it shows the page, and asks nothing in anybody's name. */
function isLinkNavigation(method: string, headers: Headers): boolean {
  const isDocument = headers.get("sec-fetch-dest") === "document";
  return method === "GET" && headers.get("sec-fetch-mode") === "navigate" && isDocument && !headers.has("origin");
}

function ownHosts({ address, port, tls }: ListenAddress): string[] {
  const isAlsoHere = isLoopback(address) || WILDCARDS.has(address);
  const names = new Set([...(isAlsoHere ? ["127.0.0.1", "localhost", "[::1]"] : []), inBrackets(address)]);
  const isUsual = port === (tls ? 443 : 80);
  return [...names].flatMap((name) => [`${name}:${port}`, ...(isUsual ? [name] : [])]);
}

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** As a URL has it, of something that leads there. */
export function hostOf(address: string): string {
  return WILDCARDS.has(address) ? "127.0.0.1" : inBrackets(address);
}

function inBrackets(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
}
