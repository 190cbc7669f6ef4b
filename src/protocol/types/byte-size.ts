/** "100", "64K", "1G", "1GiB" to bytes, in powers of 1024, as `ulimit` and docker count memory; null when it is none. */
export function parseByteSize(text: string): number | null {
  const [, amount, unit] = /^(\d+)([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const bytes = Number(amount) * 1024 ** " KMGT".indexOf(unit.toUpperCase() || " ");
  return Number.isSafeInteger(bytes) ? bytes : null;
}
