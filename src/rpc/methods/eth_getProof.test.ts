import { verifyMerkleProof } from '@ethereumjs/mpt'
import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { decodeRlp } from '../../primitives/rlp.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
const TOKEN = DEMO_STOCKS[0]!.address
const NOBODY = '0x00000000000000000000000000000000000000aa'
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

interface Proof {
  readonly nonce: string
  readonly storageHash: string
  readonly accountProof: string[]
  readonly storageProof: { readonly key: string; readonly value: string; readonly proof: string[] }[]
}

async function proofOf(address: string, keys: string[], block: string): Promise<Proof> {
  return (await node.result('eth_getProof', address, keys, block)) as unknown as Proof
}

/** The value that another implementation reads from a proof. */
async function proven(root: string, key: string, proof: readonly string[]): Promise<string | null> {
  const value = await verifyMerkleProof(keccak256(hexToBytes(key)), proof.map(hexToBytes), {
    useKeyHashing: false,
    root: hexToBytes(root),
  })
  return value === null ? null : bytesToHex(value)
}

test.each(['pending', 'latest', '0x2', 'earliest'])('proves an account and its slots at %s', async (block) => {
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await node.node.submit(signTransfer({ nonce }).raw)
    await node.nextBlock()
  }
  await node.node.submit(signTransfer({ nonce: 4n }).raw)
  await node.nextFlashblock()
  const { stateRoot } = await node.result('eth_getBlockByNumber', block, false)

  const sender = await proofOf(SENDER, [], block)
  const account = await proven(stateRoot as string, SENDER, sender.accountProof)
  const [nonce] = decodeRlp(hexToBytes(account!)) as Uint8Array[]
  expect(BigInt(sender.nonce)).toBe(nonce!.length === 0 ? 0n : BigInt(bytesToHex(nonce!)))
  expect(sender.nonce).toBe(
    await node.result('eth_getTransactionCount', SENDER, block === 'pending' ? 'pending' : block),
  )

  const slots = ['0x0', '0x2', `0x${'ff'.repeat(32)}`]
  const token = await proofOf(TOKEN, slots, block)
  expect(token.storageProof.map(({ key }) => key)).toEqual(slots)
  for (const { key, value, proof } of token.storageProof) {
    const padded = `0x${key.slice(2).padStart(64, '0')}`
    const found = await proven(token.storageHash, padded, proof)
    expect(found === null ? 0n : BigInt(bytesToHex(decodeRlp(hexToBytes(found)) as Uint8Array))).toBe(BigInt(value))
  }

  const nobody = await proofOf(NOBODY, [], block)
  expect(await proven(stateRoot as string, NOBODY, nobody.accountProof)).toBeNull()
})

test('rejects a block before the proof window and names the flag', async () => {
  node = await startRpcNode({ proofWindowSeconds: 100 })
  for (let block = 0; block < 130; block++) await node.nextBlock()
  expect((await node.request('eth_getProof', SENDER, [], '0x2')).result).toBeDefined()
  expect((await node.request('eth_getProof', SENDER, [], '0x1')).error).toEqual({
    code: -32000,
    message: 'distance to target block exceeds maximum proof window of 100 seconds (--proof-window)',
  })
})
