/** Errors of an attached client, and the close codes of its WebSocket. */
import { HoltError } from "../../protocol/types/errors.ts";
import { CLOSE } from "./peer.ts";

export function viewerOnly(): HoltError {
  return new HoltError("EDENIED", "viewers cannot type or resize", {
    hint: "ask for a driver's link",
  });
}

export function inputNotRead(): HoltError {
  return new HoltError("ERLIMIT", "the program does not read its input", { hint: "send less until it reads" });
}

export function closeCodeOfError({ code }: HoltError): number {
  if (code === "EUNAUTHORIZED") return CLOSE.unauthorized;
  return code === "ENOTFOUND" ? CLOSE.notFound : CLOSE.refused;
}

export function closeCodeOfDetach(reason: unknown): number {
  return reason === "slow" ? CLOSE.slow : CLOSE.done;
}
