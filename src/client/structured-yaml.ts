/**
 * Whether text is meant as YAML. Almost any text is: a word is a string, `Error: no such file` a mapping, a list of dashes a sequence. So its lines must
 * have the shape that programs write: keys without spaces, values of one line or in a block. And it must say so, with a `---` at its beginning, or be nested by indentation, with
 * keys that do not begin like a heading and lists whose items are no sentences. Anchors, tags and scalars over several lines are left to those who know
 * that they have YAML.
 */
const DOCUMENT = /^---\s*$/;
const KEY = /^(?:(?<plain>[A-Za-z_$][\w$./-]*)|"[^"\\]*"|'[^']*'):(?: +(?<value>.*))?$/;
const BLOCK = /^[|>][+-]?$/;
/** What begins something that does not end on its line, or is more than a value. */
const STRANGE = /^(?:[&*!%@`?]|[[{](?!.*[\]}]$)|"(?!(?:[^"\\]|\\.)*"$)|'(?!(?:[^']|'')*'$))/;
const COMMENT = /^#/;
const QUOTED = /^["'[{]/;

interface Line {
  indent: number;
  text: string;
}

export function isYaml(text: string): boolean {
  if (text.includes("\t") || text.includes("\r")) return false;
  const lines = text.split("\n").map(lineOf);
  const first = lines.findIndex(({ text: line }) => line !== "" && !COMMENT.test(line));
  const isMarked = first >= 0 && DOCUMENT.test(lines[first]?.text ?? "");
  const shape = shapeOf(isMarked ? lines.slice(first + 1) : lines);
  return shape !== null && shape.hasKeys && (isMarked || (shape.isNested && !shape.isProse));
}

function lineOf(raw: string): Line {
  const text = raw.trimStart();
  return { indent: raw.length - text.length, text: text.trimEnd() };
}

interface Shape {
  hasKeys: boolean;
  isNested: boolean;
  /** Some of it reads like what a person, or a log, says. */
  isProse: boolean;
}

/** Null when a line is of no such shape. */
function shapeOf(lines: readonly Line[]): Shape | null {
  const shape: Shape = { hasKeys: false, isNested: false, isProse: false };
  let before: { item: Item; indent: number } | null = null;
  for (const { indent, text } of lines) {
    if (text === "" || isInBlock(before, indent) || COMMENT.test(text)) continue;
    const item = itemOf(text);
    if (item === null) return null;
    shape.hasKeys ||= item.isKey;
    shape.isProse ||= item.isProse;
    shape.isNested ||= before !== null && isBelow(before, item, indent);
    before = { item, indent };
  }
  return shape;
}

interface Item {
  isKey: boolean;
  /** Its value is the lines below it that are further in. */
  isBlock: boolean;
  /** A key without a value: something is below it, or nothing. */
  opens: boolean;
  /** How far the dashes before it indent what belongs to it. */
  dashes: number;
  isProse: boolean;
}

function itemOf(text: string): Item | null {
  const dashes = /^(?:- +)*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(dashes);
  const key = KEY.exec(rest);
  if (key === null && dashes === 0) return null;
  const value = (key === null ? rest : (key.groups?.["value"] ?? "")).trim();
  if (STRANGE.test(value)) return null;
  const isSentence = key === null && value.includes(" ") && !QUOTED.test(value);
  return {
    isKey: key !== null,
    isBlock: BLOCK.test(value),
    opens: key !== null && value === "",
    dashes,
    isProse: isSentence || /^[A-Z]/.test(key?.groups?.["plain"] ?? ""),
  };
}

function isInBlock(before: { item: Item; indent: number } | null, indent: number): boolean {
  return before !== null && before.item.isBlock && indent > before.indent + before.item.dashes;
}

/** Something below a key that has no value of its own, or another key of an item of a list. */
function isBelow(before: { item: Item; indent: number }, item: Item, indent: number): boolean {
  const inner = before.indent + before.item.dashes;
  if (before.item.opens && (indent > inner || (indent === inner && item.dashes > 0))) return true;
  return before.item.isKey && before.item.dashes > 0 && item.isKey && indent === inner;
}
