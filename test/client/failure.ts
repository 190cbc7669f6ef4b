/**
 * The error of a promise that must fail. `expect(promise).rejects` would block the event loop until
 * it does.
 */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ failed: false, error: null }),
    (error: unknown) => ({ failed: true, error }),
  );
  if (!outcome.failed) throw new Error("it did not fail");
  return outcome.error;
}
