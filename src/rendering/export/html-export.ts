/**
 * Exports a session as one self-contained HTML page: no script, no font, no request. Output becomes
 * text and colours only; the page's Content-Security-Policy enforces this a second time.
 */
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { ChannelText } from "../../terminal/text/channel-text.ts";
import { commandLine } from "../../terminal/text/command-line.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import { escapeHtml, htmlOf } from "./html-text.ts";
import { cursorAfter, type ExportPart, type GapPiece, type Piece } from "../export-pieces.ts";

const LIGHT =
  "#1f2933 #b42318 #11703c #8a5a00 #1d5fb8 #8b3fa8 #0b7285 #52606d #616e7c #d92d20 #15803d #a16207 #2563eb #9d4edd #0e7490 #323f4b";
const DARK =
  "#3e4c59 #f07178 #7fd88f #e6c06a #7cb0f5 #cf9bea #6bd0d8 #cbd2d9 #7b8794 #ff8a80 #a2e8ae #f5d98b #a3c9ff #e0bbf5 #96e6ec #f5f7fa";

const STYLE = `:root{color-scheme:light dark;--front:#1f2933;--back:#fbfcfd;--quiet:#52606d;${variables(LIGHT)}}
@media(prefers-color-scheme:dark){:root{--front:#dde3ea;--back:#12171d;--quiet:#9aa5b1;${variables(DARK)}}}
body{margin:0;padding:16px;background:var(--back);color:var(--front)}
header{margin:0 0 12px;color:var(--quiet);font:13px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;color:var(--front);font:600 14px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{margin:0;font:13px/1.35 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:8;unicode-bidi:plaintext}
.gap{color:var(--quiet);font-style:italic}.bold{font-weight:700}.dim{opacity:.65}.italic{font-style:italic}.hidden{visibility:hidden}
.underline{text-decoration:underline}.struck{text-decoration:line-through}.underline.struck{text-decoration:underline line-through}`;

export function* htmlExport(pieces: Iterable<Piece>, session: Session): Generator<ExportPart, void> {
  const text = new ChannelText({ styled: true });
  let cursor = 0;
  yield { text: opening(session), cursor };
  for (const piece of pieces) {
    cursor = cursorAfter(piece);
    const isGap = piece.type === "gap";
    yield { text: htmlOf(isGap ? text.cut() : text.push(piece.channel, piece.bytes)), cursor };
    if (isGap) yield { text: gapNotice(piece), cursor };
  }
  yield { text: `${htmlOf(text.end())}</pre>\n</body>\n</html>\n`, cursor };
}

/** A line that marks missing bytes. */
function gapNotice({ from, to }: GapPiece): string {
  return `<span class="gap">${to - from} bytes from cursor ${from} on were not kept</span>\n`;
}

function opening(session: Session): string {
  const command = escapeHtml(commandLine(session.argv));
  const name = session.name === null ? "" : `${escapeHtml(oneLine(session.name))} · `;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${command}</title>
<style>
${STYLE}
</style>
</head>
<body>
<header><h1>${command}</h1>${name}${escapeHtml(session.started_at ?? session.created_at)} · ${escapeHtml(outcome(session))}</header>
<pre>
`; // a newline right after <pre> belongs to the tag
}

function outcome({ state, exit_code, signal, reason }: Session): string {
  if (!isFinal(state)) return state;
  const detail = exit_code ?? signal ?? reason;
  return detail === null ? state : `${state} ${detail}`;
}

function variables(palette: string): string {
  return palette
    .split(" ")
    .map((colour, number) => `--c${number}:${colour}`)
    .join(";");
}
