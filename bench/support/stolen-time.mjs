// What a machine that is one of several on the same hardware did not get (`/proc/stat` of Linux, "steal"), and rounds
// of a measurement that are repeated when that was much: it slows down whoever is measured in that second, and nobody
// else.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Above this share of the time that was wanted, a round says more about the neighbours than about the node. */
export const MOST_STOLEN = 0.05
/** Milliseconds before a round is repeated: the neighbours work for seconds at a time. */
const PAUSES = [1_000, 2_000, 4_000]
/** Of so many the quietest counts, whatever was stolen from it. */
export const MOST_ATTEMPTS = PAUSES.length + 1

/**
 * Begins to watch.
 *
 * @param {() => string} read the system's `/proc/stat`
 * @returns {() => number | undefined} of the time since then that the processors of this machine had work for, the
 *   share that
 *   others had (0 to 1); `undefined` where the system does not say
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
 * Runs a round until it was quiet, or often enough; which one counts depends on what was stolen alone, whatever it
 * gave.
 *
 * @param {() => Promise<{ stolen?: number }>} run
 * @param {(milliseconds: number) => Promise<void>} pause
 * @returns the quietest one, with the number of `attempts` that it took
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
