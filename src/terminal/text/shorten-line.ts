/**
 * Shortens a long line in its middle, and says how much was left out and from which cursor it can
 * be read.
 */
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
