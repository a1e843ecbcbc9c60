import { describe, expect, it, test } from 'vitest'
import { difference } from '../../../test/fuzz/compare-engines.ts'
import type { FuzzProgram } from '../../../test/fuzz/fuzz-program.ts'
import { address } from '../../../test/support/engine-fixture.ts'
import { FORKS, type Fork } from '../../chain/forks/forks.ts'

const CONTRACT = address(0xa1)
const OTHER = address(0xb1)

/** 17 equal pushes (a small number or a contract's address), the opcode, STOP. */
function programOf(fork: Fork, opcode: number, word: string): FuzzProgram {
  const code = [...Array.from({ length: 17 }, () => word), opcode.toString(16).padStart(2, '0'), '00']
  const storage = new Map()
  return {
    fork,
    accounts: new Map([
      [CONTRACT, { nonce: 1n, balance: 5n, code, storage }],
      [OTHER, { nonce: 1n, balance: 0n, code: ['60016000f3'], storage }],
    ]),
    calls: [{ to: CONTRACT, value: 3n, gasLimit: 200_000n, data: ['01'], accessList: [] }],
  }
}

describe('every instruction exists, costs and behaves in every fork as in @ethereumjs/evm', () => {
  it.each(FORKS)('%s', async (fork) => {
    const differences: unknown[] = []
    for (let opcode = 0; opcode < 256; opcode++) {
      for (const word of ['6001', '60b1', '6000']) {
        const found = await difference(programOf(fork, opcode, word))
        if (found !== undefined) differences.push({ opcode: opcode.toString(16), word, ...found })
      }
    }
    expect(differences).toEqual([])
  })
})

test('the comparison accepts a creation that reverts with 0xef, for which @ethereumjs/evm halts', async () => {
  const creation = { to: null, value: 0n, gasLimit: 200_000n, data: ['60ef60005360016000fd'], accessList: [] }
  expect(await difference({ fork: 'osaka', accounts: new Map(), calls: [creation] })).toBeUndefined()
})
