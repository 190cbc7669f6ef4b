/** Makes the page of web/ into src/page/made.ts, which becomes part of the executable: bundled, minified, compressed, each file under a name that changes with it. With a path as argument it writes there instead. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
  svg: "image/svg+xml",
};

/** Files beside the page: the bundler would make them part of the style sheet, where the content policy has no place for them. */
const beside = new Map<string, Uint8Array<ArrayBuffer>>();

const fonts: Bun.BunPlugin = {
  name: "fonts",
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, async ({ path, importer }) => {
      const bytes = await Bun.file(join(dirname(importer), path)).bytes();
      const name = `${basename(path, ".woff2")}-${Bun.hash(bytes).toString(36).slice(0, 8)}.woff2`;
      beside.set(name, bytes);
      return { path: `/${name}`, external: true };
    });
  },
};

const { outputs } = await Bun.build({
  entrypoints: [join(root, "web/index.html")],
  target: "browser",
  format: "esm",
  minify: true,
  splitting: true,
  naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  publicPath: "/",
  plugins: [fonts],
  define: { "process.env.NODE_ENV": '"production"' },
});

const made: Record<string, { type: string; gzip: string; isLasting: boolean }> = {};
let total = 0;
for (const output of outputs) beside.set(basename(output.path), new Uint8Array(await output.arrayBuffer()));
// In the order of their names: the bundler hands them over as they are ready, and two builds would differ.
for (const [name, bytes] of [...beside].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const extension = name.split(".").at(-1) ?? "";
  const gzip = Bun.gzipSync(bytes, { level: 9 });
  total += gzip.length;
  const isIndex = name === "index.html";
  made[isIndex ? "/" : `/${name}`] = {
    type: TYPES[extension] ?? "application/octet-stream",
    gzip: gzip.toBase64(),
    isLasting: !isIndex,
  };
}
const target = process.argv[2] ?? join(root, "src/page/made.ts");
mkdirSync(dirname(target), { recursive: true });
const text = `/** Written by scripts/page.ts from web/: ${total} bytes in all, compressed. Do not edit, do not commit. */
export const MADE: Record<string, { type: string; gzip: string; isLasting: boolean }> = ${JSON.stringify(made, null, 2)};
`;
writeFileSync(target, text);
