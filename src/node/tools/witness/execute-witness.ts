import { includedTransaction } from '../../../chain/block/block-codec.ts'
import type { Header } from '../../../chain/block/header.ts'
import { encodeReceipt } from '../../../chain/receipt/receipt-codec.ts'
import { invalidTransactionMessage } from '../../../chain/transaction/refusal-text.ts'
import { decodeTransaction } from '../../../chain/transaction/transaction-codec.ts'
import { nextAttributes } from '../../../engine/block/block-attributes.ts'
import { BlockBuilder, type BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { requestsFaultMessage } from '../../../engine/block/requests.ts'
import { createEngine } from '../../../engine/session/create-engine.ts'
import { type Bytes, bytesToHex, type Hash } from '../../../primitives/hex.ts'
import { openStateTrie } from '../../../state/trie/state-trie.ts'
import type { Witness } from './witness.ts'
import { WitnessState } from './witness-state.ts'

/** The first member in which the executed block differs from the recorded one. */
export interface WitnessDifference {
  /** Such as `receipt 3` or `stateRoot`. */
  readonly where: string
  readonly expected: string
  readonly got: string
}

export type WitnessExecution =
  | {
      readonly kind: 'equal'
      readonly number: number
      readonly hash: Hash
      readonly transactions: number
      readonly gasUsed: number
    }
  | { readonly kind: 'different'; readonly number: number; readonly differences: readonly WitnessDifference[] }

/**
 * Builds a block anew from its attributes and the state in its witness, and compares every receipt, every
 * member of the header, and the hash.
 *
 * @throws WitnessError WITNESS_INCOMPLETE when execution reads what the witness does not have
 * @example await executeWitness(readWitness(json)) // { kind: 'equal', number: 26207960, … }
 */
export async function executeWitness(witness: Witness): Promise<WitnessExecution> {
  const { config, parent, choices } = witness
  const state = new WitnessState(witness)
  const attributes = nextAttributes(parent, choices, config)
  const trie = openStateTrie(parent.header.stateRoot, state)
  const builder = await BlockBuilder.open(attributes, { engine: createEngine({ config }), state, trie })
  try {
    const refused = (await addAll(builder, witness.transactions)) ?? (await completed(builder))
    if (refused !== undefined) return { kind: 'different', number: attributes.number, differences: [refused] }
    return compared(builder.flashblock(), witness.expected)
  } finally {
    builder.close()
  }
}

async function addAll(builder: BlockBuilder, transactions: readonly Bytes[]): Promise<WitnessDifference | undefined> {
  for (const [index, raw] of transactions.entries()) {
    const transaction = includedTransaction(decodeTransaction(raw))
    const room = builder.attributes.gasLimit - BigInt(builder.gasUsed)
    const inclusion = await builder.add(transaction, room)
    if (inclusion.kind === 'invalid') {
      return { where: `transaction ${index}`, expected: 'valid', got: invalidTransactionMessage(inclusion.error) }
    }
  }
  return undefined
}

/** Ends the block with its withdrawals and requests (layer 1). */
async function completed(builder: BlockBuilder): Promise<WitnessDifference | undefined> {
  const fault = await builder.complete()
  return fault && { where: 'requests', expected: 'valid', got: requestsFaultMessage(fault) }
}

function compared({ block, receipts }: BuiltFlashblock, expected: Witness['expected']): WitnessExecution {
  const { header, hash, transactions } = block
  const differences = [
    ...receiptDifferences(receipts.map(encodeReceipt), expected.receipts),
    ...headerDifferences(header, expected.header),
    ...(hash === expected.hash ? [] : [{ where: 'hash', expected: expected.hash, got: hash }]),
  ]
  const { number, gasUsed } = header
  if (differences.length > 0) return { kind: 'different', number, differences }
  return { kind: 'equal', number, hash, transactions: transactions.length, gasUsed }
}

function receiptDifferences(got: readonly Bytes[], expected: readonly Bytes[]): readonly WitnessDifference[] {
  const count = Math.max(got.length, expected.length)
  return Array.from({ length: count }, (_, index) => difference(`receipt ${index}`, expected[index], got[index])).flat()
}

function headerDifferences(got: Header, expected: Header): readonly WitnessDifference[] {
  // `foreign` is no part of the encoding.
  const members = (Object.keys(expected) as (keyof Header)[]).filter((member) => member !== 'foreign')
  return members.flatMap((member) => difference(member, expected[member], got[member]))
}

type Comparable = Bytes | bigint | number | string | undefined

function difference(where: string, expected: Comparable, got: Comparable): readonly WitnessDifference[] {
  const texts = { expected: textOf(expected), got: textOf(got) }
  return texts.expected === texts.got ? [] : [{ where, ...texts }]
}

function textOf(value: Comparable): string {
  if (value === undefined) return 'nothing'
  return value instanceof Uint8Array ? bytesToHex(value) : String(value)
}
