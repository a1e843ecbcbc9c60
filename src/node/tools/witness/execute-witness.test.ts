import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { conformanceJson, conformancePath, hasConformanceData } from '../../../../test/support/conformance-data.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { encodeRlp } from '../../../primitives/rlp.ts'
import { executeWitness } from './execute-witness.ts'
import type { Witness } from './witness.ts'
import { readWitness } from './witness-file.ts'
import { WitnessState } from './witness-state.ts'

const FOLDER = 'op-stack/execution/blocks'
const hasBlocks = hasConformanceData(FOLDER, 'recorded blocks of OP Sepolia')
const names = hasBlocks ? readdirSync(conformancePath(FOLDER)).filter((name) => name.endsWith('.json.gz')) : []
const [first = ''] = names

function recorded(name: string): Witness {
  return readWitness(conformanceJson(`${FOLDER}/${name}`))
}

describe.skipIf(!hasBlocks)('executeWitness', () => {
  it.each(names)('gives every receipt, every header member and the hash of %s', async (name) => {
    const witness = recorded(name)
    const { transactions, expected } = witness
    expect(await executeWitness(witness)).toEqual({
      kind: 'equal',
      number: expected.header.number,
      hash: expected.hash,
      transactions: transactions.length,
      gasUsed: expected.header.gasUsed,
    })
  })

  it('names the members that differ', async () => {
    const witness = recorded(first)
    const choices = { ...witness.choices, extraData: Uint8Array.of(0, 0, 0, 0, 100, 0, 0, 0, 6) }
    const execution = await executeWitness({ ...witness, choices })
    expect(execution).toMatchObject({
      kind: 'different',
      differences: expect.arrayContaining([
        { where: 'extraData', expected: '0x00000000fa00000006', got: '0x000000006400000006' },
        expect.objectContaining({ where: 'hash', expected: witness.expected.hash }),
      ]),
    })
  })

  it('names a transaction that the rules do not allow', async () => {
    const witness = recorded(first)
    const [attributes, transfer] = witness.transactions
    const execution = await executeWitness({ ...witness, transactions: [attributes!, transfer!, transfer!] })
    expect(execution).toMatchObject({
      differences: [{ where: 'transaction 2', got: expect.stringMatching('nonce too low') }],
    })
  })

  it('charges the L1 fee: without the scalars of L1Block the vault gets less', async () => {
    const witness = recorded(first)
    const [attributes, ...others] = witness.transactions
    const data = Buffer.from(attributes!)
    // The base fee scalar follows the selector.
    data.fill(0, data.indexOf('440a5e20', 'hex') + 4, data.indexOf('440a5e20', 'hex') + 8)
    const execution = await executeWitness({ ...witness, transactions: [data, ...others] })
    expect(execution).toMatchObject({
      differences: expect.arrayContaining([expect.objectContaining({ where: 'stateRoot' })]),
    })
  })

  it('fails when the witness lacks what execution reads', async () => {
    const witness = recorded(first)
    const withoutNodes = { ...witness, nodes: new Map([...witness.nodes].slice(0, 1)) }
    await expect(executeWitness(withoutNodes)).rejects.toMatchObject({
      code: 'WITNESS_INCOMPLETE',
      message: expect.stringMatching('the witness lacks the account 0x'),
    })
    await expect(executeWitness({ ...witness, codes: new Map() })).rejects.toMatchObject({
      message: expect.stringMatching('the witness lacks the code 0x'),
    })
  })
})

describe.skipIf(!hasBlocks)('a forged state', () => {
  const branchOf = (child: Hash) => encodeRlp([...Array<Hash>(16).fill(child), '0x'])
  const stateOf = (root: Hash, ...nodes: readonly Bytes[]) => {
    const parent = { header: { ...recorded(first).parent.header, stateRoot: root }, hash: root }
    return new WitnessState({ parent, codes: new Map(), nodes: new Map(nodes.map((node) => [keccakHash(node), node])) })
  }

  it('is refused when one node is in two places, which would take for ever to read', () => {
    const nodes = [encodeRlp([Uint8Array.of(0x20), '0x01'])]
    for (let depth = 0; depth < 30; depth++) nodes.push(branchOf(keccakHash(nodes.at(-1)!)))
    expect(() => stateOf(keccakHash(nodes.at(-1)!), ...nodes)).toThrow(
      expect.objectContaining({ code: 'INVALID_WITNESS', message: expect.stringMatching(/is in two places/) }),
    )
  })

  it('is refused when a path is longer than a key, which would exhaust the stack', () => {
    const nodes = [encodeRlp([Uint8Array.of(0x20), '0x01'])]
    for (let depth = 0; depth < 100_000; depth++)
      nodes.push(encodeRlp([Uint8Array.of(0x11), keccakHash(nodes.at(-1)!)]))
    expect(() => stateOf(keccakHash(nodes.at(-1)!), ...nodes)).toThrow(/is longer than a key/)
  })

  it.each([
    ['a path that is empty', encodeRlp(['0x', '0x01'])],
    ['a path that is a list', encodeRlp([[], '0x01'])],
    ['a value that is a list', encodeRlp([Uint8Array.of(0x20), [1n]])],
    ['a value that is no account', encodeRlp([Uint8Array.of(0x20), '0x01'])],
    ['bytes that are no RLP', Uint8Array.of(0xf8)],
  ])('is refused with %s', (_, node) => {
    expect(() => stateOf(keccakHash(node), node)).toThrow(expect.objectContaining({ code: 'INVALID_WITNESS' }))
  })
})

describe('readWitness', () => {
  it.each([
    ['the witness is not an object', null],
    ['the witness.parent is not an object', { expected: {}, attributes: {} }],
    [
      'the witness.parent.header.parentHash is not 32 bytes in hex',
      { parent: { header: {} }, expected: {}, attributes: {} },
    ],
  ])('refuses with: %s', (message, json) => {
    expect(() => readWitness(json)).toThrow(
      expect.objectContaining({ code: 'INVALID_WITNESS', message: expect.stringMatching(message) }),
    )
  })
})
