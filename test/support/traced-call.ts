import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { Tracer } from '../../src/engine/tracer.ts'
import type { Call, Executed } from '../../src/engine/types.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { address, ENV, executed, LAYER_2, NO_CHECKS } from './engine-fixture.ts'

/** The contract that is called, and one that it may call. */
export const TOP = address(0xa1)
export const OTHER = address(0xb1)

export const tracedEngine = createEngine({ config: LAYER_2 })

/** Runs a call that must not be invalid, with a tracer. */
export async function tracedCall(
  tracer: Tracer,
  state: StateReader,
  call: Call,
): Promise<{ readonly result: Executed; readonly diff: StateDiff }> {
  const session = tracedEngine.open(ENV, state, { tracer: () => tracer })
  try {
    const result = executed(await session.call(call, NO_CHECKS))
    return { result, diff: session.takeDiff() }
  } finally {
    session.close()
  }
}
