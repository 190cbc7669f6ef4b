/**
 * Finds the keys of a YAML file by indentation, line by line, and those of flow collections
 * (flow.ts).
 */
import { unquoted, walkFlow } from "./flow.ts";
import type { KeyLocation } from "./key-lines.ts";

const KEY = /^( *)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>%@`"'[\]{},?-][^#]*?|[?-][^\s#][^#]*?)\s*:(?=\s|$)/;
const BLOCK_SCALAR = /^\s*(?:[!&]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/;

export function yamlKeys(text: string): KeyLocation[] {
  const found: KeyLocation[] = [];
  /** The keys whose mappings the next line may belong to. */
  let open: { indent: number; key: string }[] = [];
  let scalarIndent: number | null = null;
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    const indent = line.length - line.trimStart().length;
    if (scalarIndent !== null && line.trim() !== "" && indent <= scalarIndent) scalarIndent = null;
    const key = scalarIndent === null ? KEY.exec(line) : null;
    if (key === null) {
      at = end + 1;
      continue;
    }
    open = [...open.filter((each) => each.indent < indent), { indent, key: unquoted(key[2] ?? "") }];
    const path = open.map((each) => each.key);
    found.push({ path, at: at + indent });
    const rest = line.slice(key[0].length);
    if (BLOCK_SCALAR.test(rest)) scalarIndent = indent;
    const flow = /^\s*[[{]/.test(rest) ? walkFlow(text, at + key[0].length, path, found) : at;
    at = endOfLine(text, Math.max(flow, at)) + 1;
  }
  return found;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
