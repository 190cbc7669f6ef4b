/** What a promise fails with that must fail. `expect(promise).rejects` would hold up the event loop until it does. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ failed: false, error: null }),
    (error: unknown) => ({ failed: true, error }),
  );
  if (!outcome.failed) throw new Error("it did not fail");
  return outcome.error;
}
