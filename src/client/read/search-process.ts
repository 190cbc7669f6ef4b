/**
 * A pattern search in a child process (`holt __search`), because a regular expression cannot be
 * interrupted: even a terminated worker thread runs on until its match is over. One JSON line per
 * question and per answer; disposing it kills the process.
 */
import { ownCommand } from "../../platform/process/own-command.ts";
import type { PatternSearch, PatternSearchResult } from "./pattern-search.ts";

export const SEARCH_COMMAND = "__search";

const NOTHING: PatternSearchResult = { found: null, unjudged: null };

export function searchInChildProcess(pattern: RegExp): PatternSearch {
  const child = Bun.spawn([...ownCommand(), SEARCH_COMMAND], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const answers = linesOf(child.stdout);
  const send = (value: unknown): void => {
    void child.stdin.write(`${JSON.stringify(value)}\n`);
    void child.stdin.flush();
  };
  send({ source: pattern.source, flags: pattern.flags });
  let isDisposed = false;
  return {
    async find(text, from) {
      if (isDisposed) return NOTHING;
      send({ text, from });
      const { value } = await answers.next();
      if (typeof value === "string") return JSON.parse(value) as PatternSearchResult;
      if (isDisposed) return NOTHING;
      throw new Error("the process that searched for the pattern ended");
    },
    [Symbol.dispose]() {
      isDisposed = true;
      child.kill("SIGKILL");
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const bytes of stream) {
    line += decoder.decode(bytes, { stream: true });
    for (let end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
      yield line.slice(0, end);
      line = line.slice(end + 1);
    }
  }
}
