/** Tracks the working directory that a shell reports, and writes it back for a replay. */
import type { Core } from "./emulator-core.ts";
import { MAX_STRING } from "./emulator-input.ts";

/** Follows OSC 7 and the sequences of iTerm2, ConEmu and VS Code. */
export function followCwd(core: Core, set: (cwd: string) => void): void {
  const on = (number: number, read: (data: string) => string | null): void => {
    core.registerOscHandler(number, (data) => {
      const cwd = data.length > MAX_STRING ? null : read(data);
      if (cwd !== null && cwd !== "") set(cwd);
      return true;
    });
  };
  on(7, pathOfUrl);
  on(9, (data) => (data.startsWith("9;") ? data.slice(2).replace(/^"(.*)"$/, "$1") : null));
  on(633, (data) => (data.startsWith("P;Cwd=") ? data.slice(6) : null));
  on(1337, (data) => (data.startsWith("CurrentDir=") ? data.slice(11) : null));
}

export function urlOfPath(path: string): string {
  return `file://${path.startsWith("/") ? "" : "/"}${path.split("/").map(encode).join("/")}`;
}

/** encodeURIComponent() throws at a lone surrogate. */
const encode = (name: string): string => encodeURIComponent(name.toWellFormed());

function pathOfUrl(url: string): string | null {
  const path = /^file:\/\/[^/]*(\/.*)$/.exec(url)?.[1];
  if (path === undefined) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
