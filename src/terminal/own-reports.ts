/** What a terminal sends of its own accord where a program asked for it: where the mouse is, and whether anybody looks. No key is behind it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals send
const REPORTS = /^(?:\x1b\[(?:[IO]|<[\d;]+[Mm]|M[^]{3}|\d[\d;]+M))+$/;

export function isOwnReport(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && REPORTS.test(Buffer.from(bytes).toString("latin1"));
}
