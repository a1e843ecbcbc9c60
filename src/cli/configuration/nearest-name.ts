/** A name that needs more changes than this share of its length is another word. */
const MAX_CHANGED_SHARE = 0.5

/**
 * The known name that a misspelt one resembles most, by the number of changed, added and removed characters.
 *
 * @returns `undefined` if every known name is another word
 */
export function nearestName(misspelt: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let fewest = Math.floor(misspelt.length * MAX_CHANGED_SHARE) + 1
  for (const name of known) {
    const changes = changesBetween(misspelt, name)
    if (changes >= fewest) continue
    nearest = name
    fewest = changes
  }
  return nearest
}

/** The Levenshtein distance. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (character === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
