/** Length of a step of work between yields, in milliseconds. */
const STEP_MS = 1

/**
 * Runs a generator to its end, in steps between which other work runs.
 *
 * @param afterYield may throw to stop
 */
export async function inSteps<Result>(steps: Generator<unknown, Result>, afterYield = () => {}): Promise<Result> {
  for (;;) {
    for (const end = performance.now() + STEP_MS; performance.now() < end; ) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
    await new Promise(setImmediate)
    afterYield()
  }
}

/** Runs a generator to its end at once. */
export function finished<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
