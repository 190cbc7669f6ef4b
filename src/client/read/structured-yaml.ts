/**
 * Decides whether text is meant as YAML. Almost any text is valid YAML, so each line must look like
 * a program's output: keys without spaces, values on one line or in a block. One of these must also
 * hold:
 * - it begins with `---`;
 * - it is nested by indentation, keys do not begin with a capital, and list items are not sentences;
 * - it is flat (isFlatData).
 *
 * Anchors, tags, multi-line scalars and keys that are not text are refused: JSON has no such keys,
 * and `{{ name }}` is a template.
 */
const DOCUMENT = /^---\s*$/;
const KEY = /^(?:(?<plain>[A-Za-z_$][\w$./-]*)|"[^"\\]*"|'[^']*'):(?: +(?<value>.*))?$/;
const BLOCK = /^[|>][+-]?$/;
/** The start of a value that goes on after its line, or is not a plain value. */
const STRANGE = /^(?:[&*!%@`?]|[[{](?!.*[\]}]$)|"(?!(?:[^"\\]|\\.)*"$)|'(?!(?:[^']|'')*'$))/;
const COMMENT = /^#/;
const QUOTED = /^["'[{]/;
/** One word that is not the start or end of a sentence; a comment may follow. */
const WORD = /^(?![A-Z][a-z]+$)[^\s#]*[^\s.,;:!?](?: +#.*)?$/;
/** A number, version, date, time, boolean or null: rare in prose after a colon. */
const TYPED =
  /^(?:[-+]?(?:\d[\d_]*(?:\.\d+)*(?:[eE][-+]?\d+)?|0x[\da-f]+)|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[-+][\d:]+)?)?|true|false|null|~)(?: +#.*)?$/;

const IN_QUOTES = /"(?:[^"\\]|\\.?)*(?:"|$)|'[^']*(?:'|$)/g;
/**
 * A key within brackets that is a mapping, list, number, boolean or null. Quoted text must be
 * removed first.
 */
const ODD_KEY =
  /\{\s*[{[]|[}\]]\s*:|[{[,](?:\s*(?:[-+]?\.?\d[\da-fxo.]*(?:[-+]\d+)?|true|false|null|~))?\s*:(?=[\s,}\]])/i;
const ODD_WORD = /^(?:true|false|null)$/i;

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
  if (shape === null || shape.items.length === 0) return false;
  if (isMarked && shape.items.some(({ key }) => key !== null)) return true;
  if (shape.items.some(({ isProse }) => isProse)) return false;
  return shape.isNested ? shape.items.some(({ key }) => key !== null) : isFlatData(shape.items);
}

/**
 * At least two lines of `key: value` or `- item`, with unique keys and one-word, quoted or
 * bracketed values. Programs also write `status: ok` for people, so one value of a key must be
 * typed.
 */
function isFlatData(items: readonly Item[]): boolean {
  const [first] = items;
  if (first === undefined || items.length < 2) return false;
  const isList = first.dashes > 0;
  if (!items.every(({ indent, dashes, value }) => indent === 0 && dashes === first.dashes && isScalar(value)))
    return false;
  const keys = items.flatMap(({ key }) => key ?? []);
  if (!isList && new Set(keys).size < keys.length) return false;
  return keys.length === 0 || items.some(({ value }) => TYPED.test(value) || QUOTED.test(value));
}

function isScalar(value: string): boolean {
  return QUOTED.test(value) || WORD.test(value);
}

function lineOf(raw: string): Line {
  const text = raw.trimStart();
  return { indent: raw.length - text.length, text: text.trimEnd() };
}

interface Shape {
  items: Item[];
  isNested: boolean;
}

/** Null if a line has another shape. */
function shapeOf(lines: readonly Line[]): Shape | null {
  const shape: Shape = { items: [], isNested: false };
  for (const { indent, text } of lines) {
    const before = shape.items.at(-1);
    if (text === "" || isInBlock(before, indent) || COMMENT.test(text)) continue;
    const item = itemOf(text, indent);
    if (item === null) return null;
    shape.isNested ||= before !== undefined && isBelow(before, item);
    shape.items.push(item);
  }
  return shape;
}

interface Item {
  indent: number;
  key: string | null;
  value: string;
  /** The value is in the lines below, indented further. */
  isBlock: boolean;
  /** The width of the dashes before the item. */
  dashes: number;
  /** Looks like prose or a log line. */
  isProse: boolean;
}

function itemOf(text: string, indent: number): Item | null {
  const dashes = /^(?:- +)*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(dashes);
  const found = KEY.exec(rest);
  if (found === null && dashes === 0) return null;
  const value = (found === null ? rest : (found.groups?.["value"] ?? "")).trim();
  const plain = found?.groups?.["plain"] ?? null;
  if (STRANGE.test(value) || hasOddKey(value) || ODD_WORD.test(plain ?? "")) return null;
  const key = found === null ? null : (plain ?? rest.slice(0, rest.indexOf(":")));
  const isSentence = key === null && value.includes(" ") && !QUOTED.test(value);
  return { indent, key, value, isBlock: BLOCK.test(value), dashes, isProse: isSentence || /^[A-Z]/.test(plain ?? "") };
}

function hasOddKey(value: string): boolean {
  return /^[[{]/.test(value) && ODD_KEY.test(value.replace(IN_QUOTES, '""'));
}

function isInBlock(before: Item | undefined, indent: number): boolean {
  return before !== undefined && before.isBlock && indent > before.indent + before.dashes;
}

/** An item below a key without a value, or another key of the same list item. */
function isBelow(before: Item, item: Item): boolean {
  const inner = before.indent + before.dashes;
  const opens = before.key !== null && before.value === "";
  if (opens && (item.indent > inner || (item.indent === inner && item.dashes > 0))) return true;
  return before.key !== null && before.dashes > 0 && item.key !== null && item.indent === inner;
}
