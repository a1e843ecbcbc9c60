import { executionTimeout } from '../protocol/errors.ts'
import type { ReadContext } from './reading.ts'

/**
 * Runs work that is computed in steps of a few milliseconds, and yields between them.
 *
 * @throws RpcError when it takes longer than a call may
 */
export async function runWithinTime<T>(
  steps: Generator<void, T>,
  { mayContinue, options }: Pick<ReadContext, 'mayContinue' | 'options'>,
): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (!(await mayContinue())) throw executionTimeout(options.callTimeoutMs)
  }
}
