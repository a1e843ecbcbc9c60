import { spawnSync } from 'node:child_process'

/** `nobody` on most systems. */
const OTHER = 65_534

/** A user id without rights for a process; `undefined` unless this process is root, which alone can start it. */
export function otherUser(report, what) {
  if (process.getuid?.() === 0 && spawnSync('true', [], { uid: OTHER, gid: OTHER }).status === 0) return OTHER
  report.notDone(`${what}: a user of its own: only root can start a process as another user`)
  return undefined
}
