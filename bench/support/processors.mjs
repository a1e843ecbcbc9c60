// Which processor a process runs on: where several measure each other, the system's choice would be part of the result.
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * A process with all its threads, and those that they begin, on one processor.
 *
 * @param {number} pid
 * @param {number} processor from 0
 * @returns {boolean} whether the system can (`taskset` of Linux) and has that processor
 */
export function pinTo(pid, processor) {
  if (processor >= availableParallelism()) return false
  return spawnSync('taskset', ['-a', '-p', '-c', String(processor), String(pid)]).status === 0
}
