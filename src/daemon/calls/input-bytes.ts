/** Counts the input bytes of a call: typed, pasted or given as stdin. Base64 counts decoded. */
export function inputBytesIn(params: unknown): number {
  if (typeof params !== "object" || params === null) return 0;
  const { session_id, command, text, paste, data, stdin } = params as Record<string, unknown>;
  const given = typeof stdin === "object" && stdin !== null && "data" in stdin ? decoded(stdin.data) : encoded(stdin);
  // A live shell gets `command` as input; for a start it is the command line.
  const typed = session_id === undefined ? 0 : encoded(command);
  return encoded(text) + encoded(paste) + decoded(data) + typed + given;
}

function encoded(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}

function decoded(value: unknown): number {
  return typeof value === "string" ? base64Bytes(value) : 0;
}

/** Decoded length. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}
