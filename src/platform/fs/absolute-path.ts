/** Makes a path absolute. Most paths are already, and loading `node:path` costs 0.3 ms. */
export function absolutePath(path: string): string {
  const isPlain = path.startsWith("/") && !/\/\.{0,2}(\/|$)/.test(path);
  return isPlain ? path : process.getBuiltinModule("node:path").resolve(path);
}
