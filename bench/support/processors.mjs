// Pins processes to processors, so that the placement by the system does not affect results.
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Pins a process with all its threads, present and future, to one processor.
 *
 * @param {number} pid
 * @param {number} processor from 0
 * @returns {boolean} whether the system supports it (`taskset` of Linux) and has that processor
 */
export function pinTo(pid, processor) {
  if (processor >= availableParallelism()) return false
  return spawnSync('taskset', ['-a', '-p', '-c', String(processor), String(pid)]).status === 0
}
