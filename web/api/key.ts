/**
 * The key of this tab, received for the ticket that opened it. It is kept for this tab alone and
 * sent with each request; there is no cookie.
 */
import type { Scope } from "../../src/protocol/wire/web.ts";

export interface Key {
  token: string;
  token_id: string;
  scope: Scope;
  expires_at: string | null;
}

/**
 * Why there is no key: no link was followed; the link was used or has expired; the key has expired;
 * the daemon does not answer.
 */
export type Problem = "no-key" | "ticket" | "ended" | "unreachable";

const STORED = "holt-key";
const UNAUTHORIZED = 401;

export async function signIn(): Promise<Key | Problem> {
  const ticket = /[#&]ticket=([\w-]+)/.exec(location.hash)?.[1];
  if (ticket === undefined) return stored() ?? "no-key";
  const answer = await exchange(ticket);
  // A proxy without its daemon answers too: keep the ticket for the next try.
  if (answer === null || !(answer.ok || answer.status === UNAUTHORIZED)) return "unreachable";
  // The ticket is used up; remove it from the address, which may be copied.
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  if (!answer.ok) return stored() ?? "ticket";
  const { data } = (await answer.json()) as { data: Key };
  sessionStorage.setItem(STORED, JSON.stringify(data));
  return data;
}

async function exchange(ticket: string): Promise<Response | null> {
  try {
    const headers = { "content-type": "application/json" };
    return await fetch("/api/v1/web/session", { method: "POST", headers, body: JSON.stringify({ ticket }) });
  } catch {
    return null;
  }
}

function stored(): Key | "ended" | null {
  try {
    const key = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as Key | null;
    return key !== null && key.expires_at !== null && Date.parse(key.expires_at) < Date.now() ? "ended" : key;
  } catch {
    return null;
  }
}
