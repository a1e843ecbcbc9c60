import { describe, expect, it } from 'vitest'
import { createEthereumjsEngine } from '../../../test/oracle/ethereumjs-engine.ts'
import { address, callTo, ENV, executed, LAYER_2, NO_CHECKS, stateOf } from '../../../test/support/engine-fixture.ts'
import { runsAllCases } from '../../../test/support/runs.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Engine } from '../types.ts'

const HOSTILE = address(0xa1)
const OUTER = address(0xb1)

const GAS = 5_000_000n

/** Code that requests excessive resources, with the gas if it is not `GAS`: the oracle needs long for the second. */
const CODES: readonly (readonly [name: string, code: string, gasLimit?: bigint])[] = [
  ['calls itself as deep as it goes', '6000600060006000600030 5af1 5a60005260206000f3'],
  [
    'calls itself twice, as deep as it goes',
    '6000600060006000600030 5af1 6000600060006000600030 5af1 00',
    runsAllCases ? GAS : GAS / 10n,
  ],
  ['wants memory, ever more', '6001 5b 600202 60ff8153 80 6002 57 00'],
  ['wants all memory at once', '60ff63ffffffff53'],
  ['wants memory beyond every number', `60ff7f${'ff'.repeat(32)}53`],
  ['writes as many slots as it can', '6000 5b 6001018080 55 6002 56'],
  ['logs as much as it can', '5b 61040060 00a0 6000 56'],
  ['creates itself in a loop', '5b 600a600060003960 0a60006000f0 50 6000 56'],
  ['floods the precompile at 2', '5b 6020600061200060006000600261fffff1 50 6000 56'],
  ['fills the stack', '5b 5a 6000 56'],
  ['jumps where it stands', '5b 6000 56'],
]

/** Writes slots 1 to 15,000 below a frame whose memory holds a word, and returns that word. */
const FILLER = '0x6000 5b 6001018080 55 80 613a98 11 6002 57 00'.replaceAll(' ', '')
const KEEPER = `0x61abcd600052 6000600060006000600073${HOSTILE.slice(2)}5af1 602052 60406000f3`.replaceAll(' ', '')

const engines: readonly Engine[] = [createEngine({ config: LAYER_2 }), createEthereumjsEngine({ config: LAYER_2 })]

describe('excessive code ends as in @ethereumjs/evm, within its gas', () => {
  it.each(CODES.map(([name, text, gasLimit = GAS]) => ({ name, text, gasLimit })))(
    '$name',
    async ({ text, gasLimit }) => {
      const code = { [HOSTILE]: `0x${text.replaceAll(' ', '')}` }
      const outcomes = []
      for (const engine of engines) {
        const session = engine.open(ENV, stateOf({ code }))
        const {
          halt: _,
          emission: _emission,
          framesOutOfGas: _frames,
          output,
          logs,
          ...rest
        } = executed(await session.call(callTo(HOSTILE, { gasLimit }), NO_CHECKS))
        outcomes.push({ ...rest, output: bytesToHex(output), logs: logs.length, storage: session.takeDiff().storage })
        session.close()
      }
      expect(outcomes[0]).toEqual(outcomes[1])
    },
  )

  it('keeps stack and memory of suspended frames intact when the state grows', async () => {
    const engine = createEngine({ config: LAYER_2 })
    const session = engine.open(
      { ...ENV, gasLimit: 1n << 40n },
      stateOf({ code: { [HOSTILE]: FILLER, [OUTER]: KEEPER } }),
    )
    const { output, status } = executed(await session.call(callTo(OUTER, { gasLimit: 1n << 32n }), NO_CHECKS))
    expect(status).toBe('success')
    expect(bytesToHex(output)).toBe(`0x${'abcd'.padStart(64, '0')}${'1'.padStart(64, '0')}`)
    expect(session.takeDiff().storage.get(HOSTILE)?.size).toBeGreaterThanOrEqual(15_000)
  })
})
