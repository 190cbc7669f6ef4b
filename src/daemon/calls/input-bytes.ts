/** How much input a call brings: what it types, pastes, or gives a command to read. Base64 counts as what it stands for. */
export function inputBytesIn(params: unknown): number {
  if (typeof params !== "object" || params === null) return 0;
  const { session_id, command, text, paste, data, stdin } = params as Record<string, unknown>;
  const given = typeof stdin === "object" && stdin !== null && "data" in stdin ? decoded(stdin.data) : encoded(stdin);
  // What a live shell is given is typed into it; what starts a session is its command line.
  const typed = session_id === undefined ? 0 : encoded(command);
  return encoded(text) + encoded(paste) + decoded(data) + typed + given;
}

function encoded(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}

function decoded(value: unknown): number {
  return typeof value === "string" ? base64Bytes(value) : 0;
}

/** How many bytes it stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}
