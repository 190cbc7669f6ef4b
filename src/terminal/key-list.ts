/** "ctrl-c,up,enter": names of keys between commas. A comma itself is `comma`. */
export function keyList(text: string): string[] {
  return text
    .split(",")
    .map((name) => (name.trim().toLowerCase() === "comma" ? "," : name === " " ? " " : name.trim()));
}
