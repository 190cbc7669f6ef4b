/** What is said to who is attached, or wants to be, and with which code the socket is closed. */
import { HoltError } from "../../protocol/types/errors.ts";
import { CLOSE } from "./peer.ts";

export function viewerOnly(): HoltError {
  return new HoltError("EDENIED", "a viewer watches: nothing was typed, and nothing resized", {
    hint: "ask for a driver's link",
  });
}

export function inputNotRead(): HoltError {
  return new HoltError("ERLIMIT", "more was typed than the program takes", { hint: "send it as it is read" });
}

export function closeCodeOfError({ code }: HoltError): number {
  if (code === "EUNAUTHORIZED") return CLOSE.unauthorized;
  return code === "ENOTFOUND" ? CLOSE.notFound : CLOSE.refused;
}

export function closeCodeOfDetach(reason: unknown): number {
  return reason === "slow" ? CLOSE.slow : CLOSE.done;
}
