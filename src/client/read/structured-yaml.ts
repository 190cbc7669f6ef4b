/**
 * Whether text is meant as YAML. Almost any text is: a word is a string, `Error: no such file` a mapping, a list of dashes a sequence. So its lines must have the
 * shape that programs write: keys without spaces, values of one line or in a block. And one of these must hold:
 * - it begins with `---`;
 * - it is nested by indentation, keys do not begin like a heading, and list items are no sentences;
 * - it is flat (isFlatData).
 * Text with anchors, tags, scalars over several lines, or keys that are no texts is not taken for YAML: JSON has no such keys, and `{{ name }}` is a template.
 */
const DOCUMENT = /^---\s*$/;
const KEY = /^(?:(?<plain>[A-Za-z_$][\w$./-]*)|"[^"\\]*"|'[^']*'):(?: +(?<value>.*))?$/;
const BLOCK = /^[|>][+-]?$/;
/** What begins something that does not end on its line, or is more than a value. */
const STRANGE = /^(?:[&*!%@`?]|[[{](?!.*[\]}]$)|"(?!(?:[^"\\]|\\.)*"$)|'(?!(?:[^']|'')*'$))/;
const COMMENT = /^#/;
const QUOTED = /^["'[{]/;
/** One word that neither begins nor ends a sentence, and a comment. */
const WORD = /^(?![A-Z][a-z]+$)[^\s#]*[^\s.,;:!?](?: +#.*)?$/;
/** A number, a version, a date or a time stamp, true, false or null: what prose rarely has alone behind a colon. */
const TYPED =
  /^(?:[-+]?(?:\d[\d_]*(?:\.\d+)*(?:[eE][-+]?\d+)?|0x[\da-f]+)|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[-+][\d:]+)?)?|true|false|null|~)(?: +#.*)?$/;

const IN_QUOTES = /"(?:[^"\\]|\\.?)*(?:"|$)|'[^']*(?:'|$)/g;
/** Within brackets and without what is quoted: a key that is a mapping, a list, a number or a word that stands for no text. */
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
 * Two or more lines of `key: value` or `- item`, without a key twice, each value one word or in quotes or brackets. `status: ok` is how programs talk to people:
 * with keys, one value at least must be typed.
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

/** Null when a line is of no such shape. */
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
  /** Its value is the lines below it that are further in. */
  isBlock: boolean;
  /** How far the dashes before it indent what belongs to it. */
  dashes: number;
  /** It reads like what a person, or a log, says. */
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

/** Something below a key that has no value of its own, or another key of an item of a list. */
function isBelow(before: Item, item: Item): boolean {
  const inner = before.indent + before.dashes;
  const opens = before.key !== null && before.value === "";
  if (opens && (item.indent > inner || (item.indent === inner && item.dashes > 0))) return true;
  return before.key !== null && before.dashes > 0 && item.key !== null && item.indent === inner;
}
