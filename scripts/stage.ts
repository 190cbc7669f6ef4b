/**
 * The first half of the build: gives each command that every session pays for (STAGED) modules of its own.
 *
 * The bundler puts what the same commands share into one chunk, and with forty commands that is forty-odd chunks for a holder: each is a module with its
 * records, tables and scope, about 8 KB that it keeps for as long as its session lives. A process is only ever one command, so nothing is lost by giving a
 * command copies of what it shares with the others.
 *
 * Within a command the same would happen with what it loads later. So each of those imports the command first, which is there by then: what they
 * share with it all lies in its chunk.
 *
 * Writes the chunks and a main.ts that loads them to the directory that it is given; scripts/build makes the executable of that.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const STAGED = ["cli/run.ts", "cli/start.ts", "holder/detached.ts"];

const SRC = resolve(import.meta.dir, "../src");
const [out] = process.argv.slice(2);
if (out === undefined) throw new Error("where to?");

const staged = new Map<string, string>();
for (const file of STAGED) staged.set(`./${file}`, await bundle(file, out));
writeFileSync(join(out, "main.ts"), mainOf(out));

async function bundle(file: string, into: string): Promise<string> {
  const entry = join(SRC, file);
  const options: Bun.BuildConfig = {
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
  };
  // Twice: which modules come later is known when all have been seen, and the bundler loads them in any order.
  const later = new Set<string>();
  const plugins = [
    { name: "after its command", setup: (build: Bun.PluginBuilder) => loadedAfter(entry, build, later) },
  ];
  await Bun.build({ ...options, plugins });
  const { outputs } = await Bun.build({ ...options, plugins, outdir: join(into, file.replace(/\.ts$/, "")) });
  // As it was in the source: the second half does not look for what the first has made of it.
  for (const { path } of outputs)
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("import.meta.require(", "require("));
  const made = outputs.find(({ kind }) => kind === "entry-point");
  if (made === undefined) throw new Error(`nothing came of ${file}`);
  return `./${relative(into, made.path)}`;
}

function loadedAfter(entry: string, build: Bun.PluginBuilder, later: Set<string>): void {
  build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, importer, kind }) => {
    const file = join(dirname(importer), path);
    if (kind === "dynamic-import" || kind === "require-call") later.add(file);
    return { path: file };
  });
  build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const source = readFileSync(path, "utf8");
    return { loader: "ts", contents: later.has(path) ? `import ${JSON.stringify(entry)};\n${source}` : source };
  });
}

function mainOf(into: string): string {
  const source = readFileSync(join(SRC, "main.ts"), "utf8");
  const found = new Set<string>();
  const text = source.replace(/"(\.\/[^"]*\.ts)"/g, (_, specifier: string) => {
    const own = staged.get(specifier);
    if (own !== undefined) found.add(specifier);
    return JSON.stringify(own ?? relative(into, join(SRC, specifier)));
  });
  for (const specifier of staged.keys())
    if (!found.has(specifier)) throw new Error(`main.ts does not load ${specifier}`);
  return text;
}
