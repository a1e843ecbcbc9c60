// What processes ran on all processors together, in milliseconds, where the system says it (`/proc` of Linux).
import { readFileSync } from 'node:fs'

/** Ticks of `/proc/PID/stat` per second, on every Linux that Node runs on. */
const TICKS = 100
/** Children may end while they are read. */
const ATTEMPTS = 3

/** Of one process with all its threads; `undefined` where there is no `/proc`, or no such process. */
export function processTime(pid) {
  return timesOf(pid)?.own
}

/** Of a process and all children that it had: what those that ended ran is counted with whoever waited for them. */
export function familyTime(pid, attempts = ATTEMPTS) {
  const children = childrenOf(pid)
  const living = children.map(timesOf).filter((times) => times !== undefined)
  const parent = timesOf(pid)
  if (parent === undefined) return undefined
  // One that ended between would be counted twice, or not at all.
  if (attempts > 1 && String(children) !== String(childrenOf(pid))) return familyTime(pid, attempts - 1)
  return [parent, ...living].reduce((sum, { own, ended }) => sum + own + ended, 0)
}

export function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return []
  }
}

function timesOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const milliseconds = (first) => ((Number(fields[first]) + Number(fields[first + 1])) * 1000) / TICKS
    return { own: milliseconds(11), ended: milliseconds(13) }
  } catch {
    return undefined
  }
}
