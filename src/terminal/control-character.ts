/** The control that a terminal sends for a character typed with Ctrl held, or null. As on DEC's keyboards, digits too. */
const DIGITS: Readonly<Record<string, number>> = {
  "2": 0x00,
  "3": 0x1b,
  "4": 0x1c,
  "5": 0x1d,
  "6": 0x1e,
  "7": 0x1f,
  "8": 0x7f,
};

export function controlCharacter(character: string): string | null {
  if (character === "?") return "\x7f";
  if (character === " ") return "\x00";
  if (character === "/" || character === "-") return "\x1f";
  const digit = DIGITS[character];
  if (digit !== undefined) return String.fromCharCode(digit);
  return /^[@-_a-z~`{|}]$/.test(character) ? String.fromCharCode(character.charCodeAt(0) & 0x1f) : null;
}
