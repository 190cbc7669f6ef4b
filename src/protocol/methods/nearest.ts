/** Finds the known word closest to a mistyped one. */
const MAX_WORD_CHARS = 64;

/** The known word that was most likely meant, or null when none is close enough to suggest. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > MAX_WORD_CHARS) return null; // not a typo, and comparing costs as much as it is long
  const abbreviated = known.find((candidate) => isShort(word, candidate));
  if (abbreviated !== undefined) return abbreviated;
  let best: string | null = null;
  // A word of one or two letters has no room for an edit: with two, only its continuations count.
  const mostEdits = Math.floor(word.length / 3);
  let bestDistance = Math.max(1, mostEdits) + 1;
  for (const candidate of known) {
    const isBegun = word.length >= 2 && candidate.startsWith(word);
    const distance = isBegun ? 1 : editDistance(word, candidate);
    if (distance >= bestDistance || (!isBegun && distance > mostEdits)) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * Abbreviations such as `cmd` for `command`: some of its letters in order, with the first and the
 * last.
 */
function isShort(word: string, candidate: string): boolean {
  if (word.length < 3 || candidate.length < word.length + 2) return false;
  if (word[0] !== candidate[0] || word.at(-1) !== candidate.at(-1)) return false;
  let at = 0;
  for (const letter of candidate) if (letter === word[at]) at++;
  return at === word.length;
}

/** Insertions, deletions, replacements and swaps of neighbours, each counting one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
