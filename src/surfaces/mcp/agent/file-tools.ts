/** Agent tools for files, with text instead of base64. */
import * as z from "zod";
import { bytesOf, textOf } from "../../../protocol/types/bytes.ts";
import { counted } from "../../../terminal/text/counted.ts";
import { agentTool } from "./agent-tool.ts";
import { callText } from "./describe.ts";

export const FILES = [
  agentTool({
    method: "fs.read_file",
    title: "Read a file",
    description:
      "Reads a file, or max_bytes of it from `offset`, without a shell. The path is absolute or relative to your working directory, and below a directory that holt serves (by default the home directory and the temporary directory). For a long file, continue with the offset in the answer.",
    params: ["path", "offset", "max_bytes"],
    report({ data, size, offset, truncated }, { path }) {
      const bytes = Uint8Array.fromBase64(data);
      return {
        text: `${bytes.length} of ${size} bytes from ${offset}`,
        next: truncated
          ? `${callText("fs_read_file", { path, offset: offset + bytes.length })} returns what follows`
          : "nothing: that is the end of the file",
        output: textOf(bytes),
        isFile: true,
      };
    },
  }),
  agentTool({
    method: "fs.write_file",
    title: "Write a file",
    description:
      "Writes a whole file atomically: readers see the old file or the new one, never a part. Pass `text`, or `data` in base64 for bytes. The path is absolute or relative to your working directory, and below a directory that holt serves; its directory must exist.",
    params: ["path", "mode"],
    extra: {
      shape: {
        text: z.string().optional().describe("The contents of the file"),
        data: z.base64().optional().describe("The contents as bytes in base64, instead of text"),
      },
      params: ({ text, ...given }) => ({
        ...(typeof text === "string" ? { data: bytesOf(text).toBase64() } : {}),
        ...given,
      }),
    },
    report: ({ bytes }, { path }) => ({
      text: `${counted(bytes, "byte")} written to ${path}`,
      next: "nothing: it is written",
    }),
  }),
  agentTool({
    method: "fs.list",
    title: "List a directory",
    description:
      "Lists a directory by name, with type, mode and size. The path is absolute or relative to your working directory, and below a directory that holt serves.",
    params: ["path", "offset", "limit"],
    report: ({ entries, total_count, truncated }, { path, offset = 0 }) => ({
      text: `${entries.length} of ${total_count} entries`,
      next: truncated
        ? `${callText("fs_list", { path, offset: offset + entries.length })} has more`
        : `fs_read_file with ${path}/ and a name`,
      output: entries.map(({ name, type, mode, size }) => `${mode} ${type} ${size} ${name}`).join("\n"),
    }),
  }),
];
