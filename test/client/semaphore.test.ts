/** The semaphore of the search processes. */
import { expect, test } from "bun:test";
import { Semaphore } from "../../src/client/read/text/semaphore.ts";
import { failure } from "./failure.ts";

test("A bounded number run at once, the others in order, and an aborted one not at all.", async () => {
  const turns = new Semaphore(2);
  const { signal } = new AbortController();
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const work = (at: number) => async (): Promise<void> => {
    begun.push(at);
    await gates[at]?.promise;
  };
  const unwanted = new AbortController();
  const [first, second] = [turns.run(signal, work(0)), turns.run(signal, work(1))];
  const canceled = turns.run(unwanted.signal, work(2));
  const last = turns.run(signal, work(3));
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  unwanted.abort();
  expect(await failure(canceled)).toMatchObject({ code: "ECANCELED" });
  gates[1]?.resolve();
  await second;
  gates[3]?.resolve();
  await last;
  expect(begun).toEqual([0, 1, 3]);
  gates[0]?.resolve();
  await first;
});
