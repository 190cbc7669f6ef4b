import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { htmlExport } from "../../src/rendering/export/html-export.ts";
import { htmlOf } from "../../src/rendering/export/html-text.ts";
import type { Piece } from "../../src/rendering/export-pieces.ts";
import { TextView, renderText } from "../../src/terminal/text/text-view.ts";
import { collect } from "../support/holt.ts";
import { sessionOf } from "./casts.ts";

/** The HTML of bytes pushed one by one. */
function looks(output: string | Uint8Array): string {
  const view = new TextView({ styled: true });
  let styled = "";
  for (const byte of Buffer.from(output)) styled += view.push(Uint8Array.of(byte));
  return htmlOf(styled + view.end());
}

function page(output: string | Uint8Array, argv = ["sh"]): string {
  const pieces: Piece[] = [{ type: "data", cursor: 0, timestamp: 0, channel: "pty", bytes: Buffer.from(output) }];
  return [...htmlExport(pieces, sessionOf({ argv }))].map(({ text }) => text).join("");
}

describe("Colours and styles", () => {
  test("come from SGR sequences, in all their spellings.", () => {
    const span = (style: string, text = "x"): string => `<span ${style}>${text}</span>`;
    expect(looks("\x1b[31mx\x1b[0my")).toBe(`${span('style="color:var(--c1)"')}y`);
    expect(looks("\x1b[1;97;44mx\x1b[m")).toBe(span('class="bold" style="color:var(--c15);background:var(--c4)"'));
    expect(looks("\x1b[38;5;196mx")).toBe(span('style="color:#ff0000"'));
    expect(looks("\x1b[38:5:244mx")).toBe(span('style="color:#808080"'));
    expect(looks("\x1b[48;2;1;2;255mx")).toBe(span('style="background:#0102ff"'));
    expect(looks("\x1b[38:2::1:2:3mx")).toBe(span('style="color:#010203"'));
    expect(looks("\x1b[38:2:1:2:3mx")).toBe(span('style="color:#010203"'));
    expect(looks("\x1b[4:3;58;5;9mx\x1b[4:0my")).toBe(`${span('class="underline"')}y`);
    expect(looks("\x1b[7mx\x1b[27my")).toBe(`${span('style="color:var(--back);background:var(--front)"')}y`);
    expect(looks("\x1b[3;9;2;8mx\x1b[22;23;28;29my")).toBe(`${span('class="dim italic hidden struck"')}y`);
    expect(looks("\x1b[31;999;38;5;300mx")).toBe(span('style="color:var(--c1)"'));
  });

  test("go with the characters when a line is redrawn, and over the end of a line.", () => {
    expect(looks("\x1b[31mbad\x1b[0m\r\x1b[32mok\x1b[0m\x1b[K")).toBe('<span style="color:var(--c2)">ok</span>');
    expect(looks("a\x1b[31mb\nc")).toBe(
      'a<span style="color:var(--c1)">b</span>\n<span style="color:var(--c1)">c</span>',
    );
    expect(looks("\x1b[41m  \x1b[0m\n")).toBe('<span style="background:var(--c1)">  </span>\n');
    expect(looks("\x1b[31me\u0301\u4e16\x1b[0m!")).toBe('<span style="color:var(--c1)">e\u0301\u4e16</span>!');
  });
});

test("The page contains the printed text and no element but style spans, whatever is printed.", () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      "</pre>",
      "<script>",
      "&lt;",
      '"',
      "'",
      "\x1b[31m",
      "\x1b[0m",
      "\x1b[1;7m",
      "\r",
      "\n",
      "\x1b[4:3m",
    ),
    fc.constantFrom("\x1b]8;;http://x\x07", "\x1b]0;</title>\x07", "\x1b[38;5;", "\x1bP", "\x9c", "\b", "\x1b[K", "\t"),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
      const output = fragments.join("");
      const html = looks(output);
      const bare = html.replaceAll(/<span(?: class="[a-z ]+")?(?: style="[a-z0-9#:;()-]+")?>|<\/span>/g, "");
      expect(bare).not.toMatch(/[<>"'\x1b]/);
      const text = bare
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      // Blanks at the end of an edited line are text only when they are styled.
      const trimmed = (lines: string): string => lines.replaceAll(/ +$/gm, "");
      expect(trimmed(text)).toBe(trimmed(renderText(Buffer.from(output))));
    }),
  );
});

test("A hostile command and hostile output are text to a parser of HTML, and the page asks for nothing.", async () => {
  const hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b]0;</title><script>\x07 &amp;<!-- ";
  const html = page(`\n${hostile}\n`, ["echo", "</title></h1><script>alert(2)</script>"]);
  const parser = [
    "import sys, json, html.parser",
    "class P(html.parser.HTMLParser):",
    "  tags = []; text = ''; inside = None",
    "  def handle_starttag(self, tag, attrs): self.tags.append([tag, sorted(k for k, _ in attrs)]); self.inside = tag",
    "  def handle_data(self, data):",
    "    if self.inside == 'pre': self.text += data",
    "p = P(); p.feed(sys.stdin.buffer.read().decode()); p.close()",
    "print(json.dumps({'tags': p.tags, 'text': p.text}))",
  ].join("\n");
  const read = await collect(["python3", "-c", parser], {
    stdin: html,
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: "/",
  });
  const { tags, text } = JSON.parse(read.text) as { tags: [string, string[]][]; text: string };
  expect(tags.map(([tag]) => tag).join(" ")).toBe("html head meta meta meta title style body header h1 pre");
  expect(text).toStartWith("\n\n</pre><script>alert(1)</script><img src=x onerror=alert(1)> &amp;<!-- \n");
  expect(html).toContain("<title>echo &#39;&lt;/title&gt;");
  expect(html).toContain("default-src 'none'");
  expect(html).toContain("prefers-color-scheme:dark");
  expect(html).not.toMatch(/https?:|<a |<link|<script|url\(/);
});
