// What processes ran on all processors together, in milliseconds, where the system says it (`/proc` of Linux).
import { readFileSync } from 'node:fs'

/** Ticks of `/proc/PID/stat` per second, on every Linux that Node runs on. */
const TICKS = 100

/** Of one process with all its threads; `undefined` where there is no `/proc`. */
export function processTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
  } catch {
    return undefined
  }
}

/** Of a process and the children that it has now. */
export function familyTime(pid) {
  const times = [pid, ...childrenOf(pid)].map(processTime)
  return times.includes(undefined) ? undefined : times.reduce((sum, time) => sum + time, 0)
}

export function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return []
  }
}
