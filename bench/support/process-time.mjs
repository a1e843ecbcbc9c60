// Processor time of processes in milliseconds, from Linux' `/proc`.
import { readFileSync } from 'node:fs'

/** Ticks of `/proc/PID/stat` per second on every Linux that Node supports. */
const TICKS = 100
/** Retries: children may exit while they are read. */
const ATTEMPTS = 3

/** Processor time of one process with all threads; `undefined` without `/proc` or without such a process. */
export function processTime(pid) {
  return timesOf(pid)?.own
}

/** Processor time of a process and all its children. The kernel adds that of an ended child to its parent. */
export function familyTime(pid, attempts = ATTEMPTS) {
  const children = childrenOf(pid)
  const living = children.map(timesOf).filter((times) => times !== undefined)
  const parent = timesOf(pid)
  if (parent === undefined) return undefined
  // A child that ended in between would count twice or not at all.
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

/** Resident memory of a process in bytes without mapped files; `undefined` as above. */
export function anonymousMemory(pid) {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024
  } catch {
    return undefined
  }
}

/** The same of a process and all its children. */
export function familyMemory(pid) {
  const known = [pid, ...childrenOf(pid)].map(anonymousMemory).filter((bytes) => bytes !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0)
}
