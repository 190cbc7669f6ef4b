/** The MCP inspector's command line, in one process (inspector-calls.js) for any number of calls; each is a start of `holt mcp`. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { type Era, HOLT } from "./connect.ts";

/** The server that is inspected. */
export interface Target {
  /** Its state directory. */
  root: string;
  era: Era;
  tools: string;
}

interface Answer {
  text: string;
  stderr: string;
  exitCode: number;
}

/** Its exit code for an error result, which it prints all the same. */
const IS_ERROR = 5;

export class Inspector implements AsyncDisposable {
  readonly #process: Bun.Subprocess<"pipe", "pipe", number>;
  readonly #answers: AsyncIterator<string>;
  /** What `holt mcp` and node themselves print on stderr. */
  readonly #complaints: string;
  #complaintsRead = 0;

  /** Keeps its own files in `home`. */
  constructor(home: string) {
    this.#complaints = join(home, "inspector.err");
    const stderr = openSync(this.#complaints, "a");
    this.#process = Bun.spawn(["node", join(import.meta.dir, "inspector-calls.js")], {
      stdio: ["pipe", "pipe", stderr],
      env: { ...process.env, HOME: home, MCP_CATALOG_PATH: join(home, "inspector.json") },
      cwd: home,
    });
    closeSync(stderr);
    this.#answers = createInterface({ input: Readable.fromWeb(this.#process.stdout) })[Symbol.asyncIterator]();
  }

  /** The result, and what it complained about. One call at a time. */
  async run(
    { root, era, tools }: Target,
    ...args: string[]
  ): Promise<{ result: Record<string, unknown>; err: string }> {
    const target = [...HOLT, "mcp", "--tools", tools];
    const options = ["-e", `HOLT_STATE_DIR=${root}`, "--protocol-era", era, "--format", "json", ...args];
    await this.#process.stdin.write(`${JSON.stringify([...target, ...options])}\n`);
    await this.#process.stdin.flush();
    const { value, done } = await this.#answers.next();
    const complaints = readFileSync(this.#complaints, "utf8");
    if (done === true) throw new Error(`the inspector ended: ${complaints}`);
    const { text, stderr, exitCode } = JSON.parse(value) as Answer;
    const err = stderr + complaints.slice(this.#complaintsRead);
    this.#complaintsRead = complaints.length;
    if (exitCode !== 0 && exitCode !== IS_ERROR) throw new Error(`exit ${exitCode}: ${err}`);
    return { result: (JSON.parse(text) as { result: Record<string, unknown> }).result, err };
  }

  /** The structured answer of a tool; an error, or a warning of the inspector's, fails. */
  async call(target: Target, name: string, args: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const { result, err } = await this.run(target, ...callOf(name, args));
    if (err !== "" || Boolean(result["isError"])) throw new Error(`${name}: ${err} ${JSON.stringify(result)}`);
    return result["structuredContent"] as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
  }
}

/** A tool's call as arguments. */
export function callOf(name: string, args: Readonly<Record<string, unknown>>): string[] {
  const given = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${JSON.stringify(value)}`]);
  return ["--method", "tools/call", "--tool-name", name, ...given];
}
