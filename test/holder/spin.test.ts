import { expect, test } from "bun:test";
import { Spin } from "../../src/process/pty/spin.ts";

const CAN_SPIN = process.platform === "linux" && navigator.hardwareConcurrency > 1;

test.skipIf(!CAN_SPIN)("what is looked for in vain is looked for one time in sixteen, until it is found", () => {
  let isThere = false;
  let looks = 0;
  const spin = new Spin(() => {
    looks++;
    return isThere;
  }, 3);
  for (let i = 0; i < 3; i++) expect(spin.finds()).toBe(false);
  expect(looks).toBe(3);
  for (let i = 0; i < 160; i++) spin.finds();
  expect(looks).toBeGreaterThan(3 + 5);
  expect(looks).toBeLessThan(3 + 20);
  isThere = true;
  while (!spin.finds());
  isThere = false;
  looks = 0;
  for (let i = 0; i < 3; i++) spin.finds();
  expect(looks).toBe(3);
});
