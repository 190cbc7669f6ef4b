/**
 * Estimates tokens: one per three bytes of UTF-8. Logs have more digits and paths than prose, so
 * the estimate is rather too high.
 */
export const BYTES_PER_TOKEN = 3;

export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
