/** The three WebSocket doors of one session, tried with one key. */
import { RPC_FRAMES } from "../../src/protocol/wire/web.ts";
import { until } from "../chaos/size.ts";
import type { Served } from "./served.ts";

/** A socket at each of the three doors, and with what it was closed. */
export function doors(served: Served, id: string, token: string) {
  const at = (path: string, protocol: string) => {
    const socket = new WebSocket(`ws://${served.host}${path}`, [protocol, `holt.bearer.${token}`]);
    const seen = { name: path.split("/").at(-1), isOpen: false, closed: null as number | null, socket };
    socket.addEventListener("open", () => (seen.isOpen = true));
    socket.addEventListener("close", ({ code }) => (seen.closed = code));
    socket.addEventListener("error", () => {});
    return seen;
  };
  return [
    at(`/api/v1/pty/sessions/${id}/attach`, "holt.v1.json"),
    at(`/api/v1/sessions/${id}/stream`, "holt.v1.json"),
    at("/api/v1/rpc", RPC_FRAMES),
  ];
}

type Doors = ReturnType<typeof doors>;
export const areOpen = (all: Doors) => until("all are open", () => all.every(({ isOpen }) => isOpen));
export const areClosed = async (all: Doors) => {
  await until("all are closed", () => all.every(({ closed }) => closed !== null));
  return all.map(({ closed }) => closed);
};
