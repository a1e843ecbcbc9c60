import { createBlock } from '../../src/chain/block/block.ts'
import { decodeTransaction, recoverTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import type { Witness } from '../../src/node/tools/witness/witness.ts'
import { WitnessError } from '../../src/node/tools/witness/witness-error.ts'
import { WitnessState } from '../../src/node/tools/witness/witness-state.ts'
import { type Address, bytesToHex, type Hash, toAddress } from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import { bigintToHash, bigintToSlot, toQuantity } from '../../src/primitives/quantity.ts'
import { formatBlock } from '../../src/rpc/format/block.ts'
import { openStateTrie, type StateTrie } from '../../src/state/trie/state-trie.ts'
import { type RpcServer, startRpcServer } from './rpc-server.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * Stands in for the node of a recorded block: it has the block, and the state of its parent as far as the witness of
 * the block has it. With proofs it has nothing else; without them all other accounts and slots are empty.
 */
export function startWitnessNode(
  witness: Witness,
  { hasProofs = false }: { readonly hasProofs?: boolean } = {},
): Promise<RpcServer> {
  const { config, parent, expected } = witness
  const state = new WitnessState(witness)
  const shown = (header: typeof parent.header, hash: Hash, raw: Witness['transactions']) => {
    const transactions = raw.map((bytes) => recoverTransaction(decodeTransaction(bytes)))
    return {
      block: createBlock({ header, hash, transactions, uncles: [], withdrawals: [], size: 0 }),
      receipts: [],
      status: 'sealed' as const,
    }
  }
  const blocks = [shown(parent.header, parent.hash, []), shown(expected.header, expected.hash, witness.transactions)]
  const full = (block: (typeof blocks)[number]) => formatBlock(block, true)
  const read = <T>(value: () => T): T | undefined => {
    try {
      return value()
    } catch (error) {
      if (error instanceof WitnessError) return undefined
      throw error
    }
  }
  const account = (address: unknown) => read(() => state.account(toAddress(address as string)))
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => toQuantity(config.chainId),
    eth_blockNumber: () => toQuantity(expected.header.number),
    eth_getBlockByNumber: ([number]) =>
      blocks.filter(({ block }) => toQuantity(block.header.number) === number).map(full)[0],
    eth_getBlockByHash: ([hash]) => blocks.filter(({ block }) => block.hash === hash).map(full)[0] ?? null,
    eth_getTransactionByHash: ([hash]) =>
      (full(blocks[1]!).transactions as { hash: string }[]).find((transaction) => transaction.hash === hash) ?? null,
    eth_getBalance: ([address]) => toQuantity(account(address)?.balance ?? 0n),
    eth_getTransactionCount: ([address]) => toQuantity(account(address)?.nonce ?? 0n),
    eth_getStorageAt: ([address, slot]) =>
      bigintToHash(read(() => state.storage(toAddress(address as string), bigintToSlot(BigInt(slot as string)))) ?? 0n),
    eth_getCode: ([address]) => bytesToHex(state.code(account(address)?.codeHash ?? EMPTY_CODE_HASH)),
  }
  if (hasProofs) {
    const trie = openStateTrie(parent.header.stateRoot, state)
    answers.eth_getProof = ([address, slots]) =>
      // An empty proof proves nothing: whoever needs it fails.
      read(() => proofOf(trie, toAddress(address as string), slots as readonly string[])) ?? NO_PROOF
  }
  const answer = ({ id, method, params }: Call) => {
    const give = answers[method]
    if (give === undefined) return { jsonrpc: '2.0', id, error: { code: -32_601, message: `no method ${method}` } }
    return { jsonrpc: '2.0', id, result: give(params) ?? null }
  }
  return startRpcServer(async (body) => {
    const calls = JSON.parse(body) as Call | Call[]
    return JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls))
  })
}

const NO_PROOF = { accountProof: [], storageProof: [] }

/** The members of a response to `eth_getProof` that prove something. */
function proofOf(trie: StateTrie, address: Address, slots: readonly string[]) {
  return {
    accountProof: trie.accountProof(address).map(bytesToHex),
    storageProof: slots.map((key) => {
      const proof = trie.storageProof(address, bigintToSlot(BigInt(key))).map(bytesToHex)
      return { key, proof }
    }),
  }
}
