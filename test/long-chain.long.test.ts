import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import type { Block } from '../src/chain/block/block.ts'
import { blockSize } from '../src/chain/block/block-codec.ts'
import { hashHeader } from '../src/chain/block/header-codec.ts'
import { EMPTY_TRIE_ROOT, MESSAGE_PASSER_ADDRESS } from '../src/chain/constants.ts'
import { nextBaseFee } from '../src/chain/fees/base-fee.ts'
import { createNetwork } from '../src/chain/genesis/networks.ts'
import { encodeReceipt } from '../src/chain/receipt/receipt-codec.ts'
import { PENDING } from '../src/node/view/block-reference.ts'
import { type Address, type Bytes, bytesToHash, type Hash, hexToBytes } from '../src/primitives/hex.ts'
import { bigintToBytes } from '../src/primitives/quantity.ts'
import { encodeRlp } from '../src/primitives/rlp.ts'
import { genesisDiff } from '../src/state/genesis-state.ts'
import type { Layer } from '../src/state/layer.ts'
import type { StateDiff } from '../src/state/state-diff.ts'
import { startManualNode } from './support/manual-node.ts'
import { testRandom } from './support/test-seed.ts'
import { signTransfer } from './support/transfers.ts'

const BLOCKS = 500
const SLOTS = 10

/** State and storage tries of another implementation. */
class ReferenceState {
  readonly #accounts = new MerklePatriciaTrie({ useKeyHashing: true })
  readonly #storage = new Map<Address, MerklePatriciaTrie>()

  async apply(diff: StateDiff): Promise<void> {
    for (const [address, slots] of diff.storage) {
      const trie = this.#storage.get(address) ?? new MerklePatriciaTrie({ useKeyHashing: true })
      this.#storage.set(address, trie)
      for (const [slot, value] of slots) {
        if (value === 0n) await trie.del(hexToBytes(slot))
        else await trie.put(hexToBytes(slot), encodeRlp(bigintToBytes(value)))
      }
    }
    for (const [address, { account }] of diff.accounts) {
      expect(account).toBeDefined()
      const { nonce, balance, codeHash } = account!
      const fields = [
        bigintToBytes(nonce),
        bigintToBytes(balance),
        hexToBytes(this.storageRoot(address)),
        hexToBytes(codeHash),
      ]
      await this.#accounts.put(hexToBytes(address), encodeRlp(fields))
    }
  }

  get root(): Hash {
    return bytesToHash(this.#accounts.root())
  }

  storageRoot(address: Address): Hash {
    const trie = this.#storage.get(address)
    return trie === undefined ? EMPTY_TRIE_ROOT : bytesToHash(trie.root())
  }
}

async function listRoot(items: readonly Bytes[]): Promise<Hash> {
  const trie = new MerklePatriciaTrie()
  for (const [index, item] of items.entries()) await trie.put(encodeRlp(bigintToBytes(BigInt(index))), item)
  return bytesToHash(trie.root())
}

test(`over ${BLOCKS} blocks, sealed blocks equal the pending ones, and every root and parent hash is correct`, async () => {
  const random = testRandom()
  const { genesis } = createNetwork()
  const { node, nextFlashblock } = await startManualNode()
  const state = new ReferenceState()
  await state.apply(genesisDiff(genesis.alloc))
  const genesisBlock = node.view().block({ kind: 'number', number: 0 })!.block
  expect(state.root).toBe(genesisBlock.header.stateRoot)

  const flashblocks: { layer: Layer; block: Block }[] = []
  const sealedBlocks: Block[] = []
  node.events.on('flashblock', ({ layer, block }) => flashblocks.push({ layer, block }))
  node.events.on('sealed', ({ block }) => sealedBlocks.push(block))

  const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
  const sent = new Set<Hash>()
  const pendingContent = new Map<number, Block>()
  let parent = genesisBlock
  // The opening of block 1 was announced before a listener could be added.
  let seen: number[] = [0]
  await state.apply(node.view().head.pending.layers[0]!.diff)

  while (sealedBlocks.length < BLOCKS) {
    for (let count = Math.floor(random() * 3); count > 0; count--) {
      const from = Math.floor(random() * DEVELOPMENT_ACCOUNTS.length)
      const to = DEVELOPMENT_ACCOUNTS[Math.floor(random() * DEVELOPMENT_ACCOUNTS.length)]!.address
      const tip = BigInt(1 + Math.floor(random() * 1_000_000))
      const value = BigInt(Math.floor(random() * 1e15))
      const transaction = signTransfer({ from, to, nonce: nonces[from]!, value, maxPriorityFeePerGas: tip })
      expect((await node.submit(transaction.raw)).kind).toBe('accepted')
      nonces[from]! += 1n
      sent.add(transaction.hash)
    }
    const pending = node.view().block(PENDING)!.block
    pendingContent.set(pending.header.number, pending)
    await nextFlashblock()

    for (const { layer, block } of flashblocks.splice(0)) {
      await state.apply(layer.diff)
      expect(layer.header.stateRoot).toBe(state.root)
      expect(layer.header.withdrawalsRoot).toBe(state.storageRoot(MESSAGE_PASSER_ADDRESS))
      expect(block.hash).toBe(hashHeader(block.header))
      const { number } = block.header
      if (number === parent.header.number + 1) seen.push(layer.index)
      if (layer.index === SLOTS) {
        const sealed = sealedBlocks.at(-1)!
        expect(sealed).toBe(block)
        const before = pendingContent.get(number)!
        expect(sealed.transactions.slice(0, before.transactions.length)).toEqual(before.transactions)
        expect(seen).toEqual(Array.from({ length: SLOTS + 1 }, (_, index) => index))
        await checkSealed(sealed, parent)
        parent = sealed
        seen = []
        pendingContent.delete(number)
      }
    }
  }
  await node.stop()

  const included = sealedBlocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  expect(new Set(included).size).toBe(included.length)
  expect(included.every((hash) => sent.has(hash))).toBe(true)
  expect(sent.size - included.length).toBeLessThan(10)
  expect(node.counts.missedSlots).toBe(0)

  async function checkSealed(block: Block, previous: Block): Promise<void> {
    const { header } = block
    const view = node.view().block({ kind: 'hash', hash: block.hash, requireCanonical: true })!
    expect(view.status).toBe('sealed')
    expect(header.parentHash).toBe(previous.hash)
    expect(header.number).toBe(previous.header.number + 1)
    expect(header.timestamp).toBe(previous.header.number === 0 ? header.timestamp : previous.header.timestamp + 2n)
    expect(header.baseFeePerGas).toBe(nextBaseFee(previous.header, node.config))
    expect(header.transactionsRoot).toBe(await listRoot(block.transactions.map(({ raw }) => raw)))
    expect(header.receiptsRoot).toBe(await listRoot(view.receipts.map(encodeReceipt)))
    expect(header.gasUsed).toBe(view.receipts.at(-1)?.cumulativeGasUsed ?? 0)
    expect(block.size).toBe(blockSize(block))
  }
}, 180_000)
