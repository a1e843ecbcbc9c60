// Snapshots after many changed slots, and mining of many empty blocks.
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { keccakHash } from '../../dist/primitives/keccak.js'
import { compile } from './compile.mjs'
import { createClient } from './json-rpc-client.mjs'

/** Slots that one transaction writes: within the gas limit of a block of every node. */
const SLOTS_PER_TRANSACTION = 500
/** Blocks per request: Anvil answers when all are there. */
const BLOCKS_PER_REQUEST = 100_000

/** Mines empty blocks. */
export async function mineEmpty({ port }, count) {
  const client = createClient(port)
  for (let left = count; left > 0; left -= BLOCKS_PER_REQUEST) {
    await client.request('hardhat_mine', [`0x${Math.min(left, BLOCKS_PER_REQUEST).toString(16)}`, '0x1'])
  }
  client.close()
}

const SELECTOR = keccakHash(new TextEncoder().encode('write(uint256,uint256)')).slice(0, 10)

const word = (value) => value.toString(16).padStart(64, '0')

/** @returns milliseconds of each round: `snapshot`, `revert`, and `both` */
export async function measureRevert({ port }, { slots, rounds }) {
  const client = createClient(port)
  const from = DEVELOPMENT_ACCOUNTS[0].address
  async function send(fields) {
    const hash = await client.request('eth_sendTransaction', [{ from, gas: '0xe4e1c0', ...fields }])
    for (;;) {
      const receipt = await client.request('eth_getTransactionReceipt', [hash])
      if (receipt === null) continue
      if (receipt.status !== '0x1') throw new Error('a transaction of the preparation failed')
      return receipt
    }
  }
  async function timed(action) {
    const start = performance.now()
    const result = await action()
    return { result, ms: performance.now() - start }
  }
  const { contractAddress: to } = await send({ data: `0x${compile('Slots').init.toString('hex')}` })
  const storedAt = (slot) => client.request('eth_getStorageAt', [to, `0x${slot.toString(16)}`, 'latest'])
  const samples = []
  for (let round = 0; round < rounds; round++) {
    const snapshot = await timed(() => client.request('evm_snapshot'))
    for (let first = 0; first < slots; first += SLOTS_PER_TRANSACTION)
      await send({ to, data: `${SELECTOR}${word(first)}${word(SLOTS_PER_TRANSACTION)}` })
    const revert = await timed(() => client.request('evm_revert', [snapshot.result]))
    if (revert.result !== true || BigInt(await storedAt(slots - 1)) !== 0n) throw new Error('a revert did not succeed')
    samples.push({ snapshot: snapshot.ms, revert: revert.ms, both: snapshot.ms + revert.ms })
  }
  client.close()
  return samples
}
