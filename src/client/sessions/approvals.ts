/**
 * Pending approvals: one file per question, one beside it for the answer. The daemon writes
 * questions, the command line writes answers. No method answers, so a client that can only call
 * methods cannot approve its own request.
 */
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openDirectory, openFileAt, openIfThereAt, renameAt, unlinkAt } from "../../platform/fs/files.ts";
import { closeSync, readdirSync, readToEnd, writeAll } from "../../platform/fs/libc-fs.ts";
import { ensurePrivateDirectory } from "../../platform/fs/own-directory.ts";
import { processStatus } from "../../platform/process/processes.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { nearest } from "../../protocol/methods/nearest.ts";
import type { Layout } from "../../transcript/layout.ts";

export interface Approval {
  approval_id: string;
  created_at: string;
  expires_at: string;
  caller: string;
  method: string;
  argv: string[];
  cwd: string;
  env_keys: string[];
  /** The session to be acted on; absent for a start. */
  session_id?: string;
  rule: string;
  daemon_pid: number;
}

export type Answer = "approved" | "denied";

const QUESTION = ".json";
const ANSWER = ".answer";

export class Approvals {
  readonly directory: string;

  constructor({ root }: Layout) {
    this.directory = `${root}/approvals`;
  }

  /** Pending ones, oldest first. */
  list(now = Date.now()): Approval[] {
    return this.#names()
      .filter((name) => name.endsWith(QUESTION))
      .flatMap((name) => this.#read(name) ?? [])
      .filter(({ expires_at, daemon_pid }) => Date.parse(expires_at) > now && isAlive(daemon_pid))
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  /** By id or unique id prefix. */
  find(reference: string): Approval {
    const all = this.list();
    const found = all.filter(({ approval_id }) => approval_id.startsWith(reference));
    const exact = found.find(({ approval_id }) => approval_id === reference);
    const [first, ...more] = exact === undefined ? found : [exact];
    if (more.length > 0)
      throw new HoltError("EBADARGS", `ambiguous approval id: ${JSON.stringify(reference)} (${found.length} match)`);
    if (first !== undefined) return first;
    const ids = all.map(({ approval_id }) => approval_id);
    const near = nearest(reference, ids);
    throw new HoltError("ENOTFOUND", `no pending approval: ${JSON.stringify(reference)}`, {
      hint: near === null ? "`holt approvals` lists the pending ones" : `did you mean ${near}?`,
    });
  }

  /** The daemon that asked finds the answer in the file. Only the first answer counts. */
  answer(id: string, answer: Answer): void {
    try {
      this.#write(`${id}${ANSWER}`, answer);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      throw new HoltError("EEXISTS", `already answered: ${id}`);
    }
  }

  ask(approval: Approval): void {
    ensurePrivateDirectory(this.directory);
    this.#write(`.${approval.approval_id}`, JSON.stringify(approval), `${approval.approval_id}${QUESTION}`);
  }

  /** Null if there is none yet. */
  answerTo(id: string): Answer | null {
    const text = this.#text(`${id}${ANSWER}`);
    return text === "approved" || text === "denied" ? text : null;
  }

  withdraw(id: string): void {
    this.#inDirectory((fd) => {
      for (const suffix of [QUESTION, ANSWER]) ignoring("ENOENT", () => unlinkAt(fd, `${id}${suffix}`));
    });
  }

  #names(): string[] {
    try {
      return readdirSync(this.directory);
    } catch {
      return []; // no approval has ever been requested
    }
  }

  #read(name: string): Approval | null {
    try {
      return JSON.parse(this.#text(name) ?? "null") as Approval | null;
    } catch {
      return null; // not a file of holt
    }
  }

  #text(name: string): string | null {
    return this.#inDirectory((fd) => {
      const file = openIfThereAt(fd, name, "read");
      if (file === null) return null;
      try {
        return textOf(readToEnd(file));
      } finally {
        closeSync(file);
      }
    });
  }

  /** Renames a complete file to its final name, so that no reader sees a part of it. */
  #write(name: string, text: string, finalName: string | null = null): void {
    this.#inDirectory((fd) => {
      const file = openFileAt(fd, name, "create_new");
      try {
        writeAll(file, bytesOf(text));
      } finally {
        closeSync(file);
      }
      if (finalName !== null) renameAt(fd, name, finalName);
    });
  }

  #inDirectory<T>(act: (directory: number) => T): T | null {
    const fd = openDirectory(this.directory);
    if (fd === null) return null;
    try {
      return act(fd);
    } finally {
      closeQuietly(fd);
    }
  }
}

function ignoring(errno: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errnoOf(error) !== errno) throw error;
  }
}

/** A killed process exists as a zombie until its parent waits for it. */
function isAlive(pid: number): boolean {
  return !["gone", "Z", "X"].includes(processStatus(pid)?.state ?? "gone");
}
