/** How many tokens a text is taken for: a third of its UTF-8 bytes. Logs have more digits and paths than prose, so this errs on the safe side. */
export const BYTES_PER_TOKEN = 3;

export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
