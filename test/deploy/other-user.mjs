import { spawnSync } from 'node:child_process'

/** `nobody` on most systems. */
const OTHER = 65_534

/** A user without rights that a process can be started as; `undefined`: only root can, so it runs as the present user. */
export function otherUser(report, what) {
  if (process.getuid?.() === 0 && spawnSync('true', [], { uid: OTHER, gid: OTHER }).status === 0) return OTHER
  report.notDone(`${what}: a user of its own: only root can start a process as another user`)
  return undefined
}
