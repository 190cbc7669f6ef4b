import { expect, test } from "bun:test";
import { nearest } from "../../src/protocol/methods/nearest.ts";

/** `holt stop x` asked whether "v" was meant: one edit makes any letter any other. */
test.each([
  ["x", ["v", "ab"], null],
  ["ks", ["ls", "rm"], null],
  ["w", ["v", "web"], null],
  ["co", ["ls", "config"], "config"],
  ["", ["a", "ab"], null],
  ["lsg", ["ls", "logs"], "ls"],
  ["cmd", ["name", "command"], "command"],
  ["buidl", ["build", "guild"], "build"],
  ["tiemout_ms", ["timeout_ms", "name"], "timeout_ms"],
  ["zzzzzz", ["all", "follow"], null],
])("of %j, %j: %j is near", (word, known, near) => {
  expect(nearest(word, known)).toBe(near);
});
