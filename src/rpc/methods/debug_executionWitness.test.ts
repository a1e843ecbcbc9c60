import { describe, expect, it, onTestFinished } from 'vitest'
import { initCode } from '../../../test/support/contracts.ts'
import { openTestFork, startForkedNode, startNodeOn } from '../../../test/support/forked-node.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { asking, caughtUp, serveStream, startReplica } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { signTransfer, type TransferOptions } from '../../../test/support/transfers.ts'
import { executedFromWitness, type WitnessJson } from '../../../test/support/verified-witness.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { hashHeader, readHeader } from '../../chain/block/header-codec.ts'
import { signAuthorization } from '../../chain/transaction/authorization.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { signTransaction } from '../../chain/transaction/transaction-codec.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { decodeRlp } from '../../primitives/rlp.ts'

/** Stores the words of the calldata in pairs: a slot and its value. */
const STORE_RUNTIME = '5f5b368110600957005b806020013581355560400160015600'
/** Stores the hash of the block that the first word of the calldata names. */
const HASH_RUNTIME = '5f35405f5500'
/** Destroys itself in the transaction that creates it. */
const DESTROYED = hexToBytes('0x33ff')

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const STORE = createAddress(SENDER, 0n)
const HASHES = createAddress(SENDER, 1n)

class Scene {
  readonly node: RpcNode
  #nonce = 0n

  constructor(node: RpcNode) {
    this.node = node
  }

  send(transfer: Omit<TransferOptions, 'nonce'>): Promise<unknown> {
    const { raw } = signTransfer({ nonce: this.#nonce++, value: 0n, gasLimit: 3_000_000n, ...transfer })
    return this.node.result('eth_sendRawTransaction', bytesToHex(raw))
  }

  store(slots: ReadonlyMap<number, number>): Promise<unknown> {
    const words = [...slots].flat().map((value) => value.toString(16).padStart(64, '0'))
    return this.send({ to: STORE, data: hexToBytes(`0x${words.join('')}`) })
  }

  /** Stores the hash of a block. */
  storeHash(number: number): Promise<unknown> {
    return this.send({ to: HASHES, data: hexToBytes(`0x${number.toString(16).padStart(64, '0')}`) })
  }

  /** Account 5 delegates to the contract with the slots (EIP-7702), and the transaction calls it. */
  delegate(): Promise<unknown> {
    const { chainId } = this.node.node.config
    const { address, privateKey } = DEVELOPMENT_ACCOUNTS[5]!
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, gasLimit: 300_000n, accessList: [] }
    const data = hexToBytes(`0x${'7'.padStart(64, '0')}${'8'.padStart(64, '0')}`)
    const authorizationList = [signAuthorization({ chainId, address: STORE, nonce: 0n }, privateKey)]
    const call = { to: address, value: 0n, data, nonce: this.#nonce++, chainId, ...fees }
    const { raw } = signTransaction({ type: 4, authorizationList, ...call }, DEVELOPMENT_ACCOUNTS[0]!.privateKey)
    return this.node.result('eth_sendRawTransaction', bytesToHex(raw))
  }

  async deploy(): Promise<void> {
    for (const runtime of [STORE_RUNTIME, HASH_RUNTIME]) await this.send({ to: null, data: initCode(runtime) })
    await this.node.nextBlock()
  }

  async witness(block: string): Promise<WitnessJson> {
    return (await this.node.result('debug_executionWitness', block)) as unknown as WitnessJson
  }
}

async function startScene(...options: Parameters<typeof startRpcNode>): Promise<Scene> {
  return new Scene(await startRpcNode(...options))
}

const CHAINS: readonly (readonly [string, Parameters<typeof startRpcNode>])[] = [
  ['the default profile', []],
  ['the OP stack', [{}, { network: { upgrade: 'jovian' } }]],
  ['Base', [{}, { network: { upgrade: 'azul' } }]],
  ['Denim', [{}, { network: { upgrade: 'denim', timestamp: 1_767_225_600n }, schedule: DENIM_BLOCKS }]],
  ['layer 1', [{ dialect: 'ethereum' }, { genesis: layer1Genesis() }]],
]

describe.each(CHAINS)('debug_executionWitness on a chain of %s', (_, options) => {
  it('lets a stateless execution give the receipts, the roots and the hash of each block', async () => {
    const scene = await startScene(...options)
    const { node } = scene
    await scene.deploy()
    await scene.store(new Map(Array.from({ length: 40 }, (_, slot) => [slot, slot + 1])))
    await node.nextBlock()
    await scene.send({ to: DEVELOPMENT_ACCOUNTS[3]!.address, value: 5n })
    await scene.send({ to: `0x${'ab'.repeat(20)}` as typeof STORE, value: 7n })
    await scene.send({ to: null, data: DESTROYED, value: 9n })
    await node.nextBlock()
    await scene.delegate()
    await node.nextBlock()
    await scene.storeHash(1)
    await node.nextBlock()
    await node.nextBlock()
    const random = testRandom()
    const below = (limit: number) => Math.floor(random() * limit)
    for (let round = 0; round < 4; round++) {
      await scene.store(new Map(Array.from({ length: 12 }, () => [below(40), below(3) === 0 ? 9 : 0])))
      await node.nextBlock()
    }
    // All that is left: each branch of the storage trie collapses.
    await scene.store(new Map(Array.from({ length: 39 }, (_, slot) => [slot, 0])))
    await node.nextBlock()
    const { latest } = node.node.view().head.sealed
    for (let number = 1; number <= latest; number++) {
      const hash = node.node.view().blockHash({ kind: 'number', number })
      expect(await executedFromWitness(node, number)).toMatchObject({ kind: 'equal', number, hash })
    }
    expect(node.logged).toEqual([])
  })
})

describe('debug_executionWitness', () => {
  it('has sorted lists, and the headers from the oldest block whose hash is read to the parent', async () => {
    const scene = await startScene()
    const { node } = scene
    await scene.deploy()
    await node.nextBlock()
    await scene.storeHash(1)
    await node.nextBlock()

    const { state, codes, keys, headers } = await scene.witness('0x3')
    for (const list of [state, codes, keys]) expect(list).toEqual([...new Set(list)].sort())
    expect(keys).toEqual(expect.arrayContaining([SENDER, HASHES, `0x${'0'.repeat(64)}`]))
    expect(codes).toContain(`0x${HASH_RUNTIME}`)
    const hashes = headers.map((raw) => hashHeader(readHeader(decodeRlp(hexToBytes(raw)))))
    expect(hashes).toEqual([1, 2].map((number) => node.node.view().blockHash({ kind: 'number', number })))
    expect((await scene.witness('0x2')).headers).toEqual(headers.slice(0, 1))
  })

  it('is the same by number, tag and hash', async () => {
    const scene = await startScene()
    const { node } = scene
    await scene.deploy()
    await scene.store(new Map([[1, 1]]))
    await node.nextBlock()

    const witness = await scene.witness('0x2')
    const { hash } = await node.result('eth_getBlockByNumber', '0x2', false)
    for (const reference of ['latest', String(hash)]) expect(await scene.witness(reference)).toEqual(witness)
    expect(await node.result('debug_executionWitness', { blockHash: hash })).toEqual(witness)
  })

  it('includes deposits of the OP stack', async () => {
    const scene = await startScene({ development: true }, { network: { upgrade: 'jovian' } })
    const { node } = scene
    await scene.deploy()
    const deposit = {
      from: SENDER,
      to: STORE,
      mint: '0x64',
      value: '0x64',
      data: `0x${'0'.repeat(63)}1${'0'.repeat(63)}2`,
    }
    await node.passing(node.result('tickertape_deposit', deposit))
    await node.nextBlock()

    const { latest } = node.node.view().head.sealed
    const { transactions } = await node.result('eth_getBlockByNumber', 'latest', false)
    expect(transactions).toHaveLength(2)
    expect(await executedFromWitness(node, latest)).toMatchObject({ kind: 'equal', transactions: 2 })
  })

  it('is the same on a replica', async () => {
    const scene = await startScene()
    const { node } = scene
    await scene.deploy()
    await scene.store(new Map([[1, 1]]))
    await node.nextBlock()
    const stream = await serveStream(node.node)
    onTestFinished(() => stream.close())
    const replica = await startReplica(stream.url)
    onTestFinished(() => replica.stop())
    await caughtUp(replica, node.node)

    const ask = [asking(replica), asking(node.node)] as const
    const [given, wanted] = await Promise.all(ask.map((request) => request('debug_executionWitness', 'latest')))
    expect(given).toBe(wanted)
    expect(given).toContain('"state":["0x')
  })

  it('proves blocks that are older than the tries in memory', async () => {
    const scene = await startScene()
    const { node } = scene
    await scene.deploy()
    await scene.store(new Map([[1, 1]]))
    await node.nextBlock()
    for (let block = 0; block < 140; block++) await node.nextBlock()
    await node.node.idle()

    expect(await executedFromWitness(node, 2)).toMatchObject({ kind: 'equal', number: 2 })
  })
})

/** The error for a block. */
async function refusal({ node }: Scene, block: string) {
  return (await node.request('debug_executionWitness', block)).error
}

describe('debug_executionWitness without a witness', () => {
  it('refuses genesis, the open block, and blocks that are not there', async () => {
    const scene = await startScene()
    await scene.deploy()
    const { hash } = await scene.node.result('eth_getBlockByNumber', 'pending', false)
    expect(await refusal(scene, 'earliest')).toEqual({
      code: -32000,
      message: 'the genesis block has no witness: it has no parent',
    })
    for (const open of ['pending', String(hash)]) {
      const message = 'block 2 is not sealed: only sealed blocks have a witness'
      expect(await refusal(scene, open)).toEqual({ code: -32000, message })
    }
    for (const unknown of ['0xff', `0x${'99'.repeat(32)}`]) {
      expect(await refusal(scene, unknown)).toEqual({ code: -32000, message: 'header not found' })
    }
  })

  it('refuses blocks before the proof window, and pruned ones, and names the flag', async () => {
    const windowed = await startScene({ proofWindowSeconds: 100 })
    for (let block = 0; block < 131; block++) await windowed.node.nextBlock()
    expect(await refusal(windowed, '0x1')).toEqual({
      code: -32000,
      message: 'distance to target block exceeds maximum proof window of 100 seconds (--proof-window)',
    })
    const pruned = await startScene({ proofWindowSeconds: Number.POSITIVE_INFINITY }, { history: 1, finalityDepth: 1 })
    for (let block = 0; block < 20; block++) await pruned.node.nextBlock()
    await pruned.node.node.idle()
    expect(await refusal(pruned, '0x1')).toMatchObject({ code: -32000, message: expect.stringMatching('--history') })
  })

  it('refuses blocks after changes of the state from outside', async () => {
    const scene = await startScene({ development: true }, { development: { mining: MANUAL } })
    const { node } = scene
    await node.result('anvil_setBalance', SENDER, '0x56bc75e2d63100000')
    await scene.send({ to: DEVELOPMENT_ACCOUNTS[3]!.address, value: 5n })
    await node.result('evm_mine')
    const error = { code: -32000, message: expect.stringMatching('^block 1 has no witness: .*changed from outside') }
    expect(await refusal(scene, '0x1')).toEqual(error)
    // From the store as from memory.
    await node.node.idle()
    expect(await refusal(scene, '0x1')).toEqual(error)
    await node.result('evm_mine')
    expect(await executedFromWitness(node, 2)).toMatchObject({ kind: 'equal' })
  })

  it('refuses blocks that were mined without their system calls', async () => {
    const scene = await startScene({ development: true }, { development: { mining: MANUAL } })
    await scene.node.result('anvil_mine', '0x64')
    const error = { code: -32000, message: expect.stringMatching('^block 1 has no witness: .*its system calls$') }
    expect(await refusal(scene, '0x1')).toEqual(error)
    expect(await executedFromWitness(scene.node, 100)).toMatchObject({ kind: 'equal' })
  })

  it('refuses blocks of a fork', async () => {
    const upstream = await startForkedNode()
    onTestFinished(() => upstream.close())
    const fork = await openTestFork(upstream.url)
    const forked = await startNodeOn(fork)
    onTestFinished(() => forked.node.stop())
    const ask = asking(forked.node)
    await forked.nextBlock()
    expect(await ask('debug_executionWitness', 'latest')).toMatch(/forks another one \(--fork-url\)/)
  })

  it('ends with an error at the limits of a response and of the time of a call', async () => {
    const small = await startScene({ maxResponseBytes: 5_000 })
    await small.deploy()
    expect(await refusal(small, '0x1')).toMatchObject({ code: -32003 })
    const short = await startScene({ callTimeoutMs: -1 })
    await short.deploy()
    expect(await refusal(short, '0x1')).toEqual({ code: -32000, message: 'execution aborted (timeout = -0.001s)' })
  })
})
