/** Handlers of session.exec and session.commands: commands in a live shell. */
import { execInShell } from "../../client/sessions/shell-exec.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { decodeOnlcr } from "../../protocol/wire/onlcr.ts";
import type { Handler } from "./handlers.ts";

export const exec: Handler<"session.exec"> = async (params, { daemon, signal }) => {
  const { session_id, command, timeout_ms, max_bytes, takeover } = params;
  const request = { command: bytesOf(command), timeoutMs: timeout_ms, maxBytes: max_bytes, takeover, signal };
  const { bytes, output_start, output_end, next_cursor, ...outcome } = await execInShell(
    daemon.sessions,
    session_id,
    request,
  );
  return {
    ...outcome,
    text: textOf(decodeOnlcr(bytes)),
    data: bytes.toBase64(),
    output_start: String(output_start),
    output_end: String(output_end),
    next_cursor: String(next_cursor),
  };
};

export const commands: Handler<"session.commands"> = ({ session_id, limit }, { daemon }) => {
  const { shell, commands: listed } = daemon.sessions.commands(session_id, limit);
  return {
    shell,
    commands: listed.map(({ output_start, output_end, ...command }) => ({
      ...command,
      output_start: String(output_start),
      output_end: output_end === null ? null : String(output_end),
    })),
  };
};
