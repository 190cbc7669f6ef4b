import type { Underline } from "./screen.ts";

interface Place {
  x: number;
  y: number;
  width: number;
}

const DASHES: Partial<Record<Underline, string>> = { dotted: "1 2", dashed: "4 2" };

/** A line of any underline's style; nothing where there is none. */
export function underlinePath(style: Underline | undefined, { x, y, width }: Place, color: string): string {
  if (style === undefined) return "";
  if (style === "double") {
    return (
      underlinePath("single", { x, y: y - 1, width }, color) + underlinePath("single", { x, y: y + 1, width }, color)
    );
  }
  const path = style === "curly" ? wave({ x, y, width }) : `M${x} ${y}h${width}`;
  const dashes = DASHES[style] === undefined ? "" : ` stroke-dasharray="${DASHES[style]}"`;
  return `<path d="${path}" fill="none" stroke="${color}"${dashes}/>`;
}

function wave({ x, y, width }: Place): string {
  const halves = Math.max(1, Math.round(width / 4.2));
  const step = Math.round((width / halves) * 100) / 100;
  const curves = Array.from({ length: halves }, (_, index) => `q${step / 2} ${index % 2 === 0 ? -2 : 2} ${step} 0`);
  return `M${x} ${y}${curves.join("")}`;
}
