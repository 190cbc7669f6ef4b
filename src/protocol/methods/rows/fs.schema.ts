/**
 * Rows that read and write files as bytes, without quoting or a terminal. Only below the roots that
 * the daemon serves.
 */
import * as z from "zod";
import { expected } from "../expected.ts";
import { base64, capped, integerFrom } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const MAX_READ_BYTES = 4 * 1024 * 1024;
export const MAX_WRITE_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const count = z.int().min(0);
const path = z
  .string()
  .describe(
    "Absolute path below one of the roots (`fs.roots`), outside holt's own files; symlinks are followed only if they stay below it",
  );
const mode = z.string().describe('Octal, e.g. "0644"');

export const fsWriteFile = row({
  name: "fs.write_file",
  summary: "replace or create a whole file; readers see the old content or the new",
  effect: "write",
  params: z.strictObject({
    path,
    data: z.base64().describe(`The content, at most ${MAX_WRITE_BYTES} bytes`),
    mode: z
      .string()
      .regex(/^0?[0-7]{3}$/, expected('an octal mode, e.g. "0644"'))
      .optional()
      .describe('Octal; default: the mode of the existing file, or "0644"'),
  }),
  result: z.object({ bytes: count }),
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ path: "/tmp/holt-example.txt", data: "aGVsbG8K" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const fsReadFile = row({
  name: "fs.read_file",
  summary: "read the bytes of a file, or a range of them",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    path,
    offset: integerFrom(0).default(0),
    max_bytes: capped(0, MAX_READ_BYTES, 65_536),
  }),
  result: z.object({
    data: base64,
    size: count.describe("Size of the whole file"),
    offset: count,
    truncated: z.boolean().describe("More bytes follow, at offset plus the length of data"),
    mode,
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ path: "/tmp/holt-example.txt" }, { path: "/tmp/holt-example.txt", offset: 1, max_bytes: 3 }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const fsList = row({
  name: "fs.list",
  summary: "list the entries of a directory, by name",
  effect: "read",
  isUntrusted: true,
  params: z.strictObject({
    path,
    offset: integerFrom(0).default(0).describe("Entries to skip: for the next page"),
    limit: capped(1, MAX_ENTRIES, 1000),
  }),
  result: z.object({
    entries: z.array(z.object({ name: z.string(), type: z.enum(["file", "dir", "link", "other"]), mode, size: count })),
    total_count: count,
    truncated: z.boolean().describe("More entries follow, at offset plus the number of entries"),
  }),
  errors: ["ENOTFOUND", "EDENIED"],
  examples: [{ path: "/tmp", limit: 10 }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});
