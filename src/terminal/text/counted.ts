/** Formats a count with its noun: "1 line", "3,412 lines". */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
