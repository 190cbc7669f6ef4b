/**
 * Characters that change the direction of the text around them, so that it can look different from
 * what it says. No text needs them.
 */
export const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

export function isBidiControl(codePoint: number): boolean {
  return (codePoint >= 0x202a && codePoint <= 0x202e) || (codePoint >= 0x2066 && codePoint <= 0x2069);
}
