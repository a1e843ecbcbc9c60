import type { Block } from '../../../chain/block/block.ts'
import { decodeBlock } from '../../../chain/block/block-codec.ts'
import type { Header } from '../../../chain/block/header.ts'
import { hashHeader, readHeader } from '../../../chain/block/header-codec.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { TransactionDecodeError } from '../../../chain/transaction/transaction-decode-error.ts'
import { type Bytes, type Hash, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { decodeRlp, RlpError } from '../../../primitives/rlp.ts'
import type { Witness } from './witness.ts'
import { WitnessError } from './witness-error.ts'
import type { WitnessMembers } from './witness-members.ts'

/**
 * Reads a block with the witness that a node gives for it: `block` of debug_getRawBlock, `receipts` of
 * debug_getRawReceipts and `witness` of debug_executionWitness (docs/witnesses.md).
 *
 * @param config the rules of its chain, which the file does not name
 * @throws WitnessError INVALID_WITNESS
 */
export function readNodeWitness(file: WitnessMembers, config: ChainConfig): Witness {
  const block = decoded('block', () => decodeBlock(file.bytes('block')))
  const witness = file.object('witness')
  const headers = decoded('witness.headers', () =>
    witness.bytesList('headers').map((raw) => readHeader(decodeRlp(raw))),
  )
  const ancestors = ancestorsOf(block, headers)
  const { header, hash, transactions } = block
  return {
    config,
    // Its hash is that of the block's parent, so there is one.
    parent: { header: headers.at(-1)!, hash: header.parentHash },
    ancestors,
    choices: choicesOf(block),
    transactions: transactions.map(({ raw }) => raw),
    codes: byHash(witness.bytesList('codes')),
    nodes: byHash(witness.bytesList('state')),
    expected: { hash, header, receipts: file.bytesList('receipts') },
  }
}

/** The hashes of the ancestors by number. @throws WitnessError when the headers do not lead to the block */
function ancestorsOf({ header }: Block, headers: readonly Header[]): ReadonlyMap<number, Hash> {
  const ancestors = new Map<number, Hash>()
  let { parentHash, number } = header
  for (const ancestor of headers.toReversed()) {
    number--
    if (hashHeader(ancestor) !== parentHash || ancestor.number !== number) {
      throw invalid(`the witness.headers do not lead to block ${header.number}: block ${number} is another one`)
    }
    ancestors.set(number, parentHash)
    parentHash = ancestor.parentHash
  }
  if (ancestors.size === 0) throw invalid('the witness.headers are empty: they end with the parent of the block')
  return ancestors
}

function choicesOf({ header, withdrawals = [] }: Block): Witness['choices'] {
  const { timestamp, gasLimit, miner, mixHash, extraData, parentBeaconBlockRoot = ZERO_HASH } = header
  return { timestamp, gasLimit, miner, mixHash, extraData, parentBeaconBlockRoot, withdrawals }
}

/** Values by their keccak-256. */
export function byHash(preimages: readonly Bytes[]): ReadonlyMap<Hash, Bytes> {
  return new Map(preimages.map((bytes) => [keccakHash(bytes), bytes]))
}

function decoded<T>(path: string, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof RlpError || error instanceof TransactionDecodeError)) throw error
    throw invalid(`the witness.${path} cannot be decoded: ${error.message}`)
  }
}

function invalid(message: string): WitnessError {
  return new WitnessError('INVALID_WITNESS', message)
}
