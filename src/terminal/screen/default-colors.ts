/** Colours for pictures of a screen: xterm's palette, and default colours (light on dark). */
type Hex = `#${string}`;

export interface DefaultColors {
  foreground: Hex;
  background: Hex;
  cursor: Hex;
}

export const DARK: DefaultColors = { foreground: "#d0d0d0", background: "#101010", cursor: "#d0d0d0" };

const BASE: readonly Hex[] = [
  "#000000",
  "#cd0000",
  "#00cd00",
  "#cdcd00",
  "#0000ee",
  "#cd00cd",
  "#00cdcd",
  "#e5e5e5",
  "#7f7f7f",
  "#ff0000",
  "#00ff00",
  "#ffff00",
  "#5c5cff",
  "#ff00ff",
  "#00ffff",
  "#ffffff",
];

/** Undefined past 255. */
export function paletteHex(index: number): Hex | undefined {
  if (index < 16) return BASE[index];
  if (index > 255) return undefined;
  if (index >= 232) return hex([0, 0, 0].map(() => 8 + 10 * (index - 232)));
  const cube = index - 16;
  return hex(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => (step === 0 ? 0 : 55 + 40 * step)),
  );
}

function hex(channels: readonly number[]): Hex {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
