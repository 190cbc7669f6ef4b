import { expect, test } from "bun:test";
import { nearest } from "../../src/protocol/methods/nearest.ts";

/** `holt stop x` suggested "v": one edit turns any letter into any other. */
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
])("for %j among %j, %j is suggested", (word, known, near) => {
  expect(nearest(word, known)).toBe(near);
});
