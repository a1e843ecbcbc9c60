// Instructions that a process executes, from `perf stat`: unlike processor time, they do not depend on other programs.
import { spawn, spawnSync } from 'node:child_process'

const EVENT = 'instructions:u'

/** Whether the machine exposes the counter; virtual machines often do not. */
export function canCountInstructions() {
  const { status, stderr } = spawnSync('perf', ['stat', '-x', ',', '-e', EVENT, 'true'], { encoding: 'utf8' })
  return status === 0 && parseCount(stderr) !== undefined
}

/** Counts the instructions of a process with all its threads, until the returned function is called. */
export function countInstructions(pid) {
  const perf = spawn('perf', ['stat', '-x', ',', '-e', EVENT, '-p', `${pid}`], { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  perf.stderr.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const ended = new Promise((resolve) => perf.once('close', resolve))
  return async () => {
    perf.kill('SIGINT')
    await ended
    return parseCount(text)
  }
}

/** The count in the comma-separated output of `perf stat`; `undefined` if the machine has no counter. */
export function parseCount(text) {
  const line = text.split('\n').find((row) => row.includes(EVENT))
  const count = Number(line?.split(',')[0])
  return Number.isFinite(count) && count > 0 ? count : undefined
}
