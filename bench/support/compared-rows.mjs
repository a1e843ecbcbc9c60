// Compares the rows of two builds, measured in one run of `npm run bench -- rpc --json --against DIR`.

/**
 * @typedef {object} ComparedRow
 * @property {string} id
 * @property {string} title
 * @property {number} [ratio] cost per request, divided by that of the base; absent if the base failed
 * @property {string} [failure] why the row has no result
 */

/**
 * @param {{ names: string[], rows: object[] }} report of the run; the second name is the base
 * @returns {ComparedRow[]} those whose cost was measured, or that failed
 */
export function comparedRows({ names: [own, base], rows }) {
  return rows.flatMap(({ id, title, results }) => {
    const { failure } = results[own] ?? {}
    if (failure !== undefined) return { id, title, failure }
    // A new method, or one whose response was wrong, is no loss.
    if (results[base]?.failure !== undefined) return { id, title }
    const ratio = costRatio(results[own], results[base])
    return ratio === undefined ? [] : { id, title, ratio }
  })
}

/** Instructions where the machine counts them, else processor time. */
function costRatio(own, base) {
  for (const cost of ['instructions', 'cpu']) {
    if (own?.[cost] > 0 && base?.[cost] > 0) return own[cost] / base[cost]
  }
  return undefined
}

/** Rows that cost more than `1 + loss` of the base, or that fail in this build only. */
export function lostRows(rows, loss) {
  return rows.filter(({ ratio, failure }) => failure !== undefined || ratio > 1 + loss)
}
