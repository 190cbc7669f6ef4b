/** A line that is too long, with its middle left out; it says how much that is, and from which cursor on it can be read. */
export function shortened(text: string, limit: number, cursor: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil((limit * 2) / 3);
  const start = isLead(text.charCodeAt(head - 1)) ? head - 1 : head;
  const tail = text.length - (limit - head);
  const end = isTrail(text.charCodeAt(tail)) ? tail + 1 : tail;
  const note = ` … ${(end - start).toLocaleString("en")} characters, cursor ${cursor} … `;
  return note.length < end - start ? `${text.slice(0, start)}${note}${text.slice(end)}` : text;
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
