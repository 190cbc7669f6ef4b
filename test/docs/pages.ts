/** The pages that the tests of the docs read. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .toSorted()
    .map((path) => `docs/${path}`),
];

/** Blocks of code in some languages, in their order. */
export function blocksOf(text: string, languages: readonly string[]): string[] {
  return Array.from(text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)).flatMap(([, language = "", block = ""]) =>
    languages.includes(language) ? [block] : [],
  );
}

export function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, "").replace(/`[^`\n]*`/g, "code");
}

/** As GitHub makes them of headings: lower case, hyphens for spaces, without punctuation. */
export function anchorsOf(text: string): Set<string> {
  const headings = Array.from(
    text.replace(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm),
    ([, heading = ""]) => heading,
  );
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
