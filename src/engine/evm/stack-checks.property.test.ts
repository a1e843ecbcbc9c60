import { describe, expect, it } from 'vitest'
import { difference } from '../../../test/fuzz/compare-engines.ts'
import { type FuzzProgram, programText } from '../../../test/fuzz/fuzz-program.ts'
import { address } from '../../../test/support/engine-fixture.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import type { Fork } from '../../chain/forks/forks.ts'

const CONTRACT = address(0xa1)
const RUNS = propertyRuns(2_000)
const BLOCKS = 6

/** Calls of one contract with these call data, one after the other. */
function programOf(code: string, data: readonly string[] = [''], fork: Fork = 'prague'): FuzzProgram {
  const account = { nonce: 1n, balance: 0n, code: [code.replaceAll(' ', '')], storage: new Map() }
  const calls = data.map((text) => ({ to: CONTRACT, value: 0n, gasLimit: 100_000n, data: [text], accessList: [] }))
  return { fork, accounts: new Map([[CONTRACT, account]]), calls }
}

const word = (number: number) => number.toString(16).padStart(64, '0')
/** Returns the word on top of the stack. */
const RETURN_TOP = '5f5260205ff3'

/** Code blocks that are entered by a jump, with call data for each call. */
const CODES: readonly (readonly [name: string, code: string, data?: readonly string[]])[] = [
  ['takes a word too many', '6003 56 5b 6001 01 00'],
  [
    'takes a word too many after it took enough',
    '5f35 8015 600b 57 6001 6001 5b 01 01 00',
    [word(1), word(0), word(1)],
  ],
  ['leaves before it would take a word too many', `6003 56 5b 6001 600a 57 50 50 5b 6007 ${RETURN_TOP}`],
  ['pushes words until the stack is full', '5b 6001 5f 56'],
  ['pushes 100 words a round until the stack is full', `5b ${'5f'.repeat(100)} 5f 56`],
  ['pushes more words than the stack holds', `6003 56 5b ${'5f'.repeat(1_030)} 00`],
  ['takes 300 words', `${'6001'.repeat(300)} 61025c 56 5b ${'01'.repeat(299)} ${RETURN_TOP}`],
  ['takes a word more than 300', `${'6001'.repeat(300)} 61025c 56 5b ${'01'.repeat(300)} ${RETURN_TOP}`],
  ['has an undefined instruction behind enough words', '6003 56 5b 6001 6002 0c 00'],
  ['goes on after a call', `6003 56 5b 6001 5f5f5f5f5f 60ff 5a f1 01 ${RETURN_TOP}`],
  ['takes a word too many after a call', '6003 56 5b 6001 5f5f5f5f5f 60ff 5a f1 01 01 00'],
  ['ends in an incomplete push', '6003 56 5b 62'],
]

describe('the stack is checked in code blocks as in @ethereumjs/evm, in code that', () => {
  it.each(CODES.map(([name, code, data]) => ({ name, code, data })))('$name', async ({ code, data }) => {
    expect(await difference(programOf(code, data))).toBeUndefined()
  })

  it('a fork runs that lacks an instruction, before and after forks that have it', async () => {
    const code = `6003 56 5b 5f 6001 01 ${RETURN_TOP}`

    for (const fork of ['paris', 'shanghai', 'paris', 'prague'] as const) {
      expect(await difference(programOf(code, [''], fork)), fork).toBeUndefined()
    }
  })

  it('jumps at random between blocks with random needs', async () => {
    const random = testRandom()
    const failures: string[] = []

    for (let run = 0; run < RUNS; run++) {
      const program = programOf(randomBlocks(random), [word(0), word(1), word(2)])
      if ((await difference(program)) !== undefined) failures.push(programText(program))
    }

    expect(failures).toEqual([])
  })
})

/** Blocks of stack instructions, each followed by a jump to one of them or by the end. */
function randomBlocks(random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit)
  const instruction = () => {
    const depth = below(4).toString(16)
    const choices = ['50', '01', '10', '15', '5f', '6001', '5a', `8${depth}`, `9${depth}`]
    return choices[below(choices.length)]!
  }
  const bodies = Array.from({ length: BLOCKS }, () => `5b${Array.from({ length: below(9) }, instruction).join('')}`)
  const JUMP_SIZE = 3
  const starts: number[] = []
  let size = 2
  for (const body of bodies) {
    starts.push(size)
    size += body.length / 2 + JUMP_SIZE
  }
  const jumps = ['56', '57', '57', '57']
  const blocks = bodies.map(
    (body) => `${body}60${starts[below(BLOCKS)]!.toString(16).padStart(2, '0')}${jumps[below(4)]}`,
  )
  return `5f35${blocks.join('')}${RETURN_TOP}`
}
