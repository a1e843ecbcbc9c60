import { DEVELOPMENT_ACCOUNTS } from '../../../src/chain/accounts/development-accounts.ts'
import { decodeBlock, encodeBlock } from '../../../src/chain/block/block-codec.ts'
import { decodeHeader, encodeHeader } from '../../../src/chain/block/header-codec.ts'
import { decodeSentTransaction } from '../../../src/chain/transaction/blob-sidecar.ts'
import {
  decodeTransaction,
  encodeTransaction,
  signTransaction,
} from '../../../src/chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../../src/chain/transaction/transaction-decode-error.ts'
import { decodeSolidityRevert } from '../../../src/engine/call/revert-reason.ts'
import { WitnessError } from '../../../src/node/tools/witness/witness-error.ts'
import { WitnessState } from '../../../src/node/tools/witness/witness-state.ts'
import { hexToBytes } from '../../../src/primitives/hex.ts'
import { keccakHash } from '../../../src/primitives/keccak.ts'
import { decodeRlp, encodeRlp, RlpError } from '../../../src/primitives/rlp.ts'
import { decodeAddresses, decodeString, decodeWords } from '../../../src/rest/tokenized-stocks/abi.ts'
import { signBlobTransfer } from '../../support/blob-transactions.ts'
import { GENESIS } from '../../support/record-writer.ts'
import { signTransfer } from '../../support/transfers.ts'
import { decodedOr, requireCanonical } from './expectations.ts'
import type { FuzzTarget } from './fuzz-target.ts'

const TRANSFER = signTransfer({ nonce: 0n })
const DATA = signTransfer({ nonce: 300n, data: new Uint8Array(60).fill(7), to: null })
const [ACCOUNT] = DEVELOPMENT_ACCOUNTS
const COMMON = { nonce: 1n, to: ACCOUNT!.address, value: 2n, data: Uint8Array.of(1), gasLimit: 21_000n, chainId: 1n }
const LEGACY = signTransaction({ ...COMMON, type: 0, gasPrice: 7n }, ACCOUNT!.privateKey)
const WITH_LIST = signTransaction({ ...COMMON, type: 1, gasPrice: 7n, accessList: [] }, ACCOUNT!.privateKey)
const SIGNED_BLOCK = { ...GENESIS, transactions: [TRANSFER, DATA] }
/** `Error("x")`, and the word 32, a length and text, as contracts return them. */
const ERROR_DATA = hexToBytes(`0x08c379a0${'20'.padStart(64, '0')}${'1'.padStart(64, '0')}${'78'.padEnd(64, '0')}`)

/** Encodings of Ethereum: what clients send, other nodes and files contain, and contracts return. */
export const FUZZED_CHAIN: Readonly<Record<string, FuzzTarget>> = {
  rlp: {
    description: 'RLP: refused with RlpError, or encoded again to the same bytes',
    run: (bytes) => {
      const item = decodedOr([RlpError], () => decodeRlp(bytes))
      if (item !== undefined) requireCanonical(bytes, encodeRlp(item))
    },
    seeds: () => [encodeRlp([]), encodeRlp([1n, '0x', '0x0400', [[2n]], new Uint8Array(60)]), TRANSFER.raw],
  },
  transaction: {
    description: 'an EIP-2718 transaction: TransactionDecodeError, or encoded again to the same bytes',
    run: (bytes) => {
      const transaction = decodedOr([TransactionDecodeError], () => decodeTransaction(bytes))
      if (transaction !== undefined) requireCanonical(bytes, encodeTransaction(transaction))
    },
    seeds: () => [TRANSFER, DATA, LEGACY, WITH_LIST, signBlobTransfer().transaction].map(({ raw }) => raw),
  },
  'sent-transaction': {
    description: 'a transaction of eth_sendRawTransaction, blobs included',
    run: (bytes) => void decodedOr([TransactionDecodeError], () => decodeSentTransaction(bytes)),
    // Most of 131 KiB are the blob.
    seeds: () => [TRANSFER.raw, signBlobTransfer().sent.subarray(0, 300)],
  },
  header: {
    description: 'a block header: RlpError, or encoded again to the same bytes',
    run: (bytes) => {
      const header = decodedOr([RlpError], () => decodeHeader(bytes))
      if (header !== undefined) requireCanonical(bytes, encodeHeader(header))
    },
    seeds: () => [encodeHeader(GENESIS.header)],
  },
  block: {
    description: 'a block of a file or of debug_getRawBlock: RlpError or TransactionDecodeError, or the same bytes',
    run: (bytes) => {
      const block = decodedOr([RlpError, TransactionDecodeError], () => decodeBlock(bytes))
      if (block !== undefined) requireCanonical(bytes, encodeBlock(block))
    },
    seeds: () => [encodeBlock(GENESIS), encodeBlock(SIGNED_BLOCK)],
  },
  witness: {
    description: 'a trie node of a witness: WitnessError, or an account',
    run: (bytes) => {
      const hash = keccakHash(bytes)
      const parent = { header: { ...GENESIS.header, stateRoot: hash }, hash }
      decodedOr([WitnessError], () => {
        new WitnessState({ parent, codes: new Map(), nodes: new Map([[hash, bytes]]) }).account(ACCOUNT!.address)
      })
    },
    seeds: () => [
      encodeRlp([new Uint8Array(33).fill(0x20), encodeRlp([1n, 2n, `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`])]),
      encodeRlp([Uint8Array.of(0x16), `0x${'33'.repeat(32)}`]),
      encodeRlp([...Array.from({ length: 16 }, () => `0x${'44'.repeat(32)}` as const), '0x']),
    ],
  },
  'contract-output': {
    description: 'what contracts return and revert with: a value, or none',
    run: (bytes) => {
      decodeString(bytes, 256)
      decodeWords(bytes, 64)
      decodeAddresses(bytes, 64)
      decodeSolidityRevert(bytes)
    },
    seeds: () => [ERROR_DATA, ERROR_DATA.subarray(4)],
  },
}
