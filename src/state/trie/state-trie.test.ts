import { createMPT } from '@ethereumjs/mpt'
import { createAccount } from '@ethereumjs/util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conformanceBytes, conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { ADDRESSES, NaiveState, stateDiffs } from '../../../test/support/naive-state.ts'
import { rlpSequence } from '../../../test/support/rlp-sequence.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { GenesisAccount } from '../../chain/predeploys/predeploy.ts'
import {
  type Address,
  type Bytes,
  bytesToHash,
  bytesToHex,
  type Hash,
  hexToBytes,
  type Slot,
  toAddress,
  toSlot,
} from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccak256, keccakHash } from '../../primitives/keccak.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import { emptyDiff } from '../diff.ts'
import { genesisDiff } from '../genesis-state.ts'
import type { StateDiff } from '../state-diff.ts'
import { createStateTrie } from './state-trie.ts'

async function storageRootOf(storage: ReadonlyMap<Slot, bigint>): Promise<Bytes> {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [slot, value] of storage) await trie.put(hexToBytes(slot), encodeRlp(bigintToBytes(value)))
  return trie.root()
}

async function stateRootOf({ contents }: NaiveState): Promise<Hash> {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [address, { account, storage }] of contents) {
    const { nonce, balance, codeHash } = account
    const storageRoot = await storageRootOf(storage)
    await trie.put(
      hexToBytes(address),
      createAccount({ nonce, balance, codeHash: hexToBytes(codeHash), storageRoot }).serialize(),
    )
  }
  return bytesToHash(trie.root())
}

describe('StateTrie', () => {
  it('has the roots of another implementation after every diff, while old tries keep theirs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stateDiffs, { maxLength: 8 }), fc.boolean(), async (steps, isHashedAtOnce) => {
        let model = new NaiveState()
        const versions = [{ trie: createStateTrie(), root: EMPTY_TRIE_ROOT }]
        for (const diff of steps) {
          const trie = versions.at(-1)!.trie.apply(diff)
          model = model.after(diff)
          const root = await stateRootOf(model)
          if (isHashedAtOnce) expect(trie.root).toBe(root)
          for (const address of ADDRESSES) {
            const storage = model.contents.get(address)?.storage ?? new Map<Slot, bigint>()
            expect(trie.storageRoot(address)).toBe(bytesToHash(await storageRootOf(storage)))
          }
          versions.push({ trie, root })
        }
        for (const { trie, root } of versions) expect(trie.root).toBe(root)
      }),
      { numRuns: 60 },
    )
  })

  it('returns itself when nothing changes', () => {
    const account = { nonce: 1n, balance: 2n, codeHash: EMPTY_CODE_HASH }
    const diff: StateDiff = {
      accounts: new Map([[ADDRESSES[0]!, { account, storageCleared: false }]]),
      storage: new Map(),
      code: new Map(),
    }
    const trie = createStateTrie().apply(diff)
    expect(trie.apply(diff)).toBe(trie)
    expect(trie.apply(emptyDiff())).toBe(trie)
  })
})

const GENESIS = 'execution-apis/genesis.json'

interface GenesisFile {
  readonly extraData: string
  readonly gasLimit: string
  readonly difficulty: string
  readonly alloc: Record<string, { balance?: string; nonce?: string; code?: string; storage?: Record<string, string> }>
}

describe.skipIf(!hasConformanceData(GENESIS, 'state root of the conformance genesis'))(
  'the conformance genesis',
  () => {
    it('has the state root of a recorded block 0', () => {
      const file = conformanceJson(GENESIS) as GenesisFile
      const alloc = new Map<Address, GenesisAccount>()
      for (const [address, { balance, nonce, code, storage }] of Object.entries(file.alloc)) {
        alloc.set(toAddress(`0x${address}`), {
          balance: BigInt(balance ?? 0),
          nonce: BigInt(nonce ?? 0),
          code: hexToBytes(code ?? '0x'),
          storage: new Map(Object.entries(storage ?? {}).map(([slot, value]) => [toSlot(slot), BigInt(value)])),
        })
      }
      const { root } = createStateTrie().apply(genesisDiff(alloc))
      const zeros = (length: number) => new Uint8Array(length)
      const quantity = (value: string) => bigintToBytes(BigInt(value))
      const header: RlpItem = [
        zeros(32),
        keccak256(encodeRlp([])),
        zeros(20),
        hexToBytes(root),
        hexToBytes(EMPTY_TRIE_ROOT),
        hexToBytes(EMPTY_TRIE_ROOT),
        zeros(256),
        quantity(file.difficulty),
        zeros(0),
        quantity(file.gasLimit),
        zeros(0),
        zeros(0),
        hexToBytes(file.extraData),
        zeros(32),
        zeros(8),
      ]
      const [first] = rlpSequence(conformanceBytes('execution-apis/chain.rlp'))
      const [firstHeader] = first!.item as readonly RlpItem[]
      const [parentHash] = firstHeader as readonly Bytes[]
      expect(keccakHash(encodeRlp(header))).toBe(bytesToHex(parentHash!))
    })
  },
)
