/**
 * Parses byte sizes such as "100", "64K", "1G" or "1GiB", in powers of 1024 as `ulimit` and docker
 * count memory. Null when the text is not a size.
 */
export function parseByteSize(text: string): number | null {
  const [, amount, unit] = /^(\d+)([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const bytes = Number(amount) * 1024 ** " KMGT".indexOf(unit.toUpperCase() || " ");
  return Number.isSafeInteger(bytes) ? bytes : null;
}
