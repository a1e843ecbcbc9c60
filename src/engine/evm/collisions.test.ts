import { expect, it } from 'vitest'
import { address, callTo, ENV, executed, LAYER_2, NO_CHECKS, stateOf } from '../../../test/support/engine-fixture.ts'
import { createEngine } from '../session/create-engine.ts'

const CONTRACT = address(0xa1)
const KEYS = 2_000

/** Writes transient storage at 1 << shift, 2 << shift and so on. */
function writes(shift: number): string {
  const bits = shift.toString(16).padStart(2, '0')
  return `0x5f5b6001018060${bits}1b6001905d8061${KEYS.toString(16).padStart(4, '0')}1160015700`
}

it('keys chosen to collide take no more time than others, wherever their bits are', async () => {
  const engine = createEngine({ config: LAYER_2 })
  const timeOf = async (shift: number) => {
    const session = engine.open(ENV, stateOf({ code: { [CONTRACT]: writes(shift) } }))
    const start = performance.now()
    const { status } = executed(await session.call(callTo(CONTRACT, { gasLimit: 10_000_000n }), NO_CHECKS))
    const time = performance.now() - start
    session.close()
    expect(status).toBe('success')
    return time
  }
  const usual = Math.max(1, ...(await Promise.all([timeOf(0), timeOf(0), timeOf(0)])))
  for (let shift = 8; shift <= 244; shift += 4) {
    // Without a keyed hash they take 46 times as long; the bound tolerates a busy machine.
    expect(Math.min(await timeOf(shift), await timeOf(shift)), `shift ${shift}`).toBeLessThan(20 * usual)
  }
})
