/** A screen that has everything on it: each colour, each attribute, characters of every width, and cells written in odd ways. */

const ESC = "\x1b";

export function testCard(): string {
  return [
    `${ESC}]2;test card ✓${ESC}\\`,
    ...attributes(),
    ...palette(),
    trueColour(),
    ...characters(),
    `tabs\ta\tb${ESC}[3Gover\bwritten${ESC}[90Gfar`,
    `${ESC}(0lqqqk x${ESC}(B as line drawing, ${ESC})0\x0elqqqk\x0f with shifts`,
    `${ESC}[44mblanks with a background   ${ESC}[K${ESC}[0m`,
    `${ESC}[31mcolour over the${ESC}[8@inserted${ESC}[2P edge ${ESC}[90G${"wraps around ".repeat(2)}${ESC}[0m`,
    `${ESC}7${ESC}[2A${ESC}[70Gup there${ESC}8 and back`,
    "",
  ].join("\r\n");
}

function attributes(): string[] {
  const codes = ["1", "2", "3", "4", "4:2", "4:3", "5", "7", "8", "9", "53", "1;3;4;7;9", "4;58;2;255;0;0"];
  return [codes.map((code) => `${ESC}[${code}m${code}${ESC}[0m`).join(" ")];
}

function palette(): string[] {
  const cell = (colour: number): string => `${ESC}[48;5;${colour};38;5;${255 - colour}m#${ESC}[0m`;
  const row = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => cell(from + i)).join("");
  const basic = [30, 40, 90, 100].map((base) =>
    Array.from({ length: 8 }, (_, i) => `${ESC}[${base + i}m${i}${ESC}[0m`).join(""),
  );
  return [basic.join(" "), row(0, 16), row(16, 88), row(88, 160), row(160, 232), row(232, 256)];
}

function trueColour(): string {
  const steps = Array.from({ length: 90 }, (_, i) => Math.round((i * 255) / 89));
  return steps.map((v) => `${ESC}[48;2;${v};${255 - v};128m${ESC}[38;2;${255 - v};0;${v}m▄`).join("") + `${ESC}[0m`;
}

function characters(): string[] {
  return [
    "wide: 日本語 한국어 中文 ｆｕｌｌ ﾊﾝｶｸ",
    "combining: e\u0301 a\u0308\u0323 n\u0303 \u0915\u094d\u0937 Z\u0351\u036b\u0343 x\u20dd",
    // Without joined ones (ZWJ): tmux 3.3 shows them one way or the other, depending on how its reads cut them.
    "emoji: 😀 👍🏽 🇯🇵 ❤️ ☺ 1️⃣ 🏳️",
    "right to left: שלום مرحبا",
    "boxes: ┌─┬─┐ ╔═╦═╗ ▁▂▃▄▅▆▇█ ░▒▓ ⠿⠇",
    "odd: [\u200b] zero width, [\u00ad] soft hyphen, [\u00a0] no break, [\ufffd] replacement",
    `${"x".repeat(99)}日 wide at the edge`,
  ];
}
