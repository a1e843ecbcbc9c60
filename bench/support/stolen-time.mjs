// Processor time that the hypervisor gave to other machines ("steal" in Linux' `/proc/stat`). Rounds of a measurement
// with much of it are repeated, because it slows down only the node that is measured at that moment.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Share of the requested time above which a round is repeated. */
export const MOST_STOLEN = 0.05
/** Milliseconds before a round is repeated: other machines are busy for seconds at a time. */
const PAUSES = [1_000, 2_000, 4_000]
/** Maximum number of attempts; the one with the least stolen time counts. */
export const MOST_ATTEMPTS = PAUSES.length + 1

/**
 * Starts a measurement.
 *
 * @param {() => string} read reads `/proc/stat`
 * @returns {() => number | undefined} share of the requested processor time that other machines used since then (0 to
 *   1); `undefined` if the system does not report it
 */
export function watchStolenTime(read = () => readFileSync('/proc/stat', 'latin1')) {
  const before = timesOf(read)
  return () => {
    const now = timesOf(read)
    if (before === undefined || now === undefined) return undefined
    const stolen = now.stolen - before.stolen
    const wanted = stolen + now.busy - before.busy
    return wanted <= 0 ? 0 : stolen / wanted
  }
}

/**
 * Repeats a round until it is undisturbed, up to a limit. The choice depends on stolen time only, not on the result.
 *
 * @param {() => Promise<{ stolen?: number }>} run
 * @param {(milliseconds: number) => Promise<void>} pause
 * @returns the attempt with the least stolen time, and the number of `attempts`
 */
export async function quietestOf(run, pause = sleep) {
  let quietest
  for (let attempts = 1; ; attempts++) {
    const round = await run()
    if (quietest === undefined || round.stolen < quietest.stolen) quietest = round
    if (!(quietest.stolen > MOST_STOLEN) || attempts === MOST_ATTEMPTS) return { ...quietest, attempts }
    await pause(PAUSES[attempts - 1])
  }
}

function timesOf(read) {
  try {
    // Ticks of all processors: user, nice, system, idle, waiting for a disk, interrupts, soft interrupts, stolen.
    const [user, nice, system, , , hard, soft, stolen] = read()
      .split('\n', 1)[0]
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return stolen === undefined ? undefined : { stolen, busy: user + nice + system + hard + soft }
  } catch {
    return undefined
  }
}
