import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Screen } from "../../src/terminal/screen/screen.ts";
import { screenAnsi } from "../../src/terminal/screen/screen-ansi.ts";
import { screenHtml } from "../../src/terminal/screen/screen-html.ts";
import { screenSvg } from "../../src/terminal/screen/screen-svg.ts";
import { screenText } from "../../src/terminal/screen/screen-text.ts";
import { emulated } from "./emulated.ts";
import { size, soup } from "./soup.ts";

const screen = (text: string): Screen => emulated({ cols: 12, rows: 3 }, text).screen();

test("as text, blanks at the ends of rows and empty rows at the bottom are left out, and hidden text is", () => {
  expect(screenText(screen("a  \r\n\x1b[8mpass\x1b[m b"))).toBe("a\n     b");
});

test("as ANSI, a row printed on another terminal looks the same", () => {
  const original = screen("\x1b[1;4:3;58:5:2;38;2;1;2;3;41mA\x1b[m b\r\n\x1b[7m漢\x1b[0;44m\x1b[K");
  const copy = screen(screenAnsi(original).replaceAll("\n", "\r\n"));
  expect(copy.lines).toEqual(original.lines);
});

test("as HTML, everything is escaped and only links to the web are links", () => {
  const html = screenHtml(
    screen(
      `\x1b]2;"><script>\x07<b>&"'\r\n\x1b]8;;javascript:alert(1)\x07bad\x1b]8;;\x07 \x1b]8;;https://a.example/"onclick='x\x07ok\x1b]8;;\x07`,
    ),
  );
  expect(html).not.toContain("<script");
  expect(html).not.toContain("<b>");
  expect(html).not.toContain("javascript:");
  expect(html).toContain("&lt;b&gt;&amp;&quot;&#39;");
  expect(html).toContain('href="https://a.example/&quot;onclick=&#39;x"');
});

test("as HTML, inverse, dim, hidden and changed colours are what is seen", () => {
  const html = screenHtml(
    screen("\x1b]4;1;#123456\x07\x1b[31mA\x1b[7mB\x1b[0;8mC\x1b[0;4:3;58:2::1:2:3mD\x1b[0;1;32mE"),
  );
  expect(html).toContain("color:#123456");
  expect(html).toContain("color:#101010;background:#123456");
  expect(html).not.toContain("C</");
  expect(html).toContain("text-decoration-style:wavy;text-decoration-color:#010203");
  expect(html).toContain("color:#00ff00;font-weight:bold");
});

test("as SVG, what follows a wide character stands at its column", () => {
  const svg = screenSvg(screen("漢字x"));
  expect(svg).toContain(
    '<text x="8" y="21" fill="#d0d0d0" textLength="33.6" lengthAdjust="spacingAndGlyphs" style="white-space:pre">漢字</text>',
  );
  expect(svg).toMatch(/<text x="41.6"[^>]*>x/);
});

// Regression: Chromium ignores xml:space of the root for text, so a run lost its leading spaces and
// was stretched over them.
test("as SVG, a run keeps the spaces that it begins with", () => {
  const svg = screenSvg(screen("\x1b[36mone\x1b[0m  7/14"));
  expect(svg).toMatch(/<text [^>]* style="white-space:pre">  7\/14/);
});

test("whatever was written, HTML and SVG are well formed and load nothing", async () => {
  const check = async (markup: string, elements: string[]): Promise<void> => {
    let depth = 0;
    const rewriter = new HTMLRewriter().on("*", {
      element(element) {
        depth++;
        expect(elements).toContain(element.tagName);
        for (const [name, value] of element.attributes) {
          expect(name).not.toStartWith("on");
          expect(name).not.toBe("src");
          if (name === "href") expect(value).toMatch(/^https?:\/\//);
          if (name === "style") expect(value).not.toContain("url(");
        }
      },
    });
    await rewriter.transform(new Response(markup)).text();
    expect(depth).toBeGreaterThan(0);
    expect(markup).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f]/);
  };
  await fc.assert(
    fc.asyncProperty(size, soup, fc.string(), async (dimensions, bytes, hostile) => {
      const shown = emulated(
        dimensions,
        bytes,
        `\x1b]2;${hostile}\x07`,
        hostile,
        "\x1b]8;;",
        hostile,
        "\x07x",
      ).screen();
      await check(screenHtml(shown), ["pre", "span", "a"]);
      await check(screenSvg(shown), ["svg", "title", "rect", "text", "path", "a"]);
    }),
    { numRuns: 100 },
  );
});
