import { type Abi, encodeFunctionData, toFunctionSelector } from 'viem'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories } from '../../../../test/support/chain-directory.ts'
import { initCode, LOGGER_RUNTIME } from '../../../../test/support/contracts.ts'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { endAll, expectSame, follow, type Scene, start } from '../../../../test/support/replica-scene.ts'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { SEQUENCER_FEE_VAULT_ADDRESS } from '../../../chain/constants.ts'
import { createNetwork } from '../../../chain/genesis/networks.ts'
import messenger from '../../../chain/predeploys/op-stack/l2-cross-domain-messenger.json' with { type: 'json' }
import bridge from '../../../chain/predeploys/op-stack/l2-standard-bridge.json' with { type: 'json' }
import { L1_BRIDGE_ADDRESS, L1_MESSENGER_ADDRESS } from '../../../chain/predeploys/op-stack/op-stack-contracts.ts'
import { userDepositSource } from '../../../chain/system-transactions/deposit-source.ts'
import { DEPOSITOR_ADDRESS, l1AttributesOf } from '../../../chain/system-transactions/l1-attributes.ts'
import { createAddress } from '../../../chain/transaction/contract-address.ts'
import { AUTO, FLASHBLOCKS, MANUAL, type MiningMode } from '../../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../../node/production/building/schedule.ts'
import { readBlockFile } from '../../../node/tools/block-file.ts'
import { exportChain } from '../../../node/tools/export-chain.ts'
import { importChain } from '../../../node/tools/import-chain.ts'
import { verifyChain } from '../../../node/tools/verify-chain.ts'
import { LATEST } from '../../../node/view/block-reference.ts'
import { bytesToHex, EMPTY_BYTES, toAddress } from '../../../primitives/hex.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const DEPOSITOR = toAddress(`0x${'d0'.repeat(20)}`)
const BEEF = toAddress(`0x${'00'.repeat(18)}beef`)
const ETHER = 10n ** 18n
const L2_MESSENGER = '0x4200000000000000000000000000000000000007'
const L2_BRIDGE = '0x4200000000000000000000000000000000000010'
/** Added to the address of a contract of layer 1 that makes a deposit (OP-stack specs: address aliasing). */
const ALIAS_OFFSET = '0x1111000000000000000000000000000000001111'
const START = 1_767_225_600n

const OP = { network: { upgrade: 'jovian' } } as const
const DENIM = { network: { upgrade: 'denim', timestamp: START }, schedule: DENIM_BLOCKS } as const
const directories = new ChainDirectories()
afterAll(() => directories.remove())

let node: RpcNode

async function startOn(chain: typeof OP | typeof DENIM, mining: MiningMode = FLASHBLOCKS): Promise<void> {
  node = await startRpcNode({ development: true }, { ...chain, development: { mining } })
  onTestFinished(() => node.stop())
}

/** Makes a deposit and returns the hash of its transaction. */
async function deposit(members: object): Promise<string> {
  return String(await node.passing(node.result('tickertape_deposit', members)))
}

function transactionsOf(number: number) {
  return node.node.view().block({ kind: 'number', number })!.block.transactions
}

describe.each([
  ['op', OP, 1],
  ['denim', DENIM, 2],
] as const)('tickertape_deposit on a chain of the profile %s', (_, chain, systemTransactions) => {
  test('includes the deposit behind the system transactions and before those of the pool', async () => {
    await startOn(chain)
    const { raw, hash: pooled } = signTransfer({ nonce: 0n })

    const hash = await deposit({ from: DEPOSITOR, to: BEEF, mint: '0x64', value: '0x28' })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    await node.nextBlock()

    const receipt = await node.result('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({
      type: '0x7e',
      status: '0x1',
      transactionIndex: `0x${systemTransactions}`,
      gasUsed: '0x5208',
      depositNonce: '0x0',
      depositReceiptVersion: '0x1',
      l1Fee: '0x0',
    })
    expect(transactionsOf(Number(receipt.blockNumber))[systemTransactions + 1]?.hash).toBe(pooled)
    expect(await node.result('eth_getBalance', DEPOSITOR, 'latest')).toBe('0x3c')
    expect(await node.result('eth_getBalance', BEEF, 'latest')).toBe('0x28')
    expect(await node.result('eth_getTransactionCount', DEPOSITOR, 'latest')).toBe('0x1')
  })

  test('resolves when the first flashblock of the next block is announced', async () => {
    await startOn(chain)
    await node.nextBlock()
    const { latest } = node.node.view().head.sealed

    const hash = await deposit({ to: BEEF })

    expect(node.node.view().head.sealed.latest).toBe(latest + 1)
    expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({
      blockNumber: `0x${(latest + 2).toString(16)}`,
    })
  })

  test('gives all deposits of an L1 origin different source hashes, by the documented log index', async () => {
    await startOn(chain)
    const hashes: string[] = []
    for (let round = 0; round < 3; round++) {
      const two = [0, 1].map(() => node.result('tickertape_deposit', { from: DEPOSITOR, to: BEEF, value: '0x1' }))
      hashes.push(...(await node.passing(Promise.all(two))).map(String))
    }

    const found = await Promise.all(hashes.map((hash) => node.result('eth_getTransactionByHash', hash)))
    expect(new Set(found.map(({ sourceHash }) => sourceHash)).size).toBe(6)
    const { sourceHash, blockNumber } = found.at(-1)!
    await node.nextBlock()
    const l1 = l1AttributesOf({ transactions: transactionsOf(Number(blockNumber)) })!
    expect(l1.sequenceNumber).toBeGreaterThan(0n)
    expect(sourceHash).toBe(userDepositSource(l1.hash, l1.sequenceNumber * 65_536n + 1n))
  })

  test.each([
    ['auto', AUTO],
    ['manual', MANUAL],
  ])('mines a block of the deposit alone with mining on demand (%s)', async (_mode, mining) => {
    await startOn(chain, mining)
    if (mining === MANUAL) await node.node.submit(signTransfer({ nonce: 0n }).raw)

    const hash = await deposit({ from: DEPOSITOR, to: BEEF, value: '0x5' })

    expect(await node.result('eth_blockNumber')).toBe('0x1')
    expect(
      transactionsOf(1)
        .slice(systemTransactions)
        .map((transaction) => transaction.hash),
    ).toEqual([hash])
    expect(await node.result('eth_getBalance', BEEF, 'latest')).toBe('0x5')
  })

  async function startScene() {
    onTestFinished(endAll)
    const directory = directories.next()
    const { genesis } = createNetwork(chain.network)
    const scene = await start({ ...chain, directory, development: { mining: FLASHBLOCKS } })
    return { directory, genesis, scene }
  }

  async function includeDeposit({ node, nextBlock }: Scene): Promise<void> {
    const made = node.development!.deposit({
      from: DEPOSITOR,
      to: BEEF,
      mint: 7n,
      value: 5n,
      gasLimit: 100_000n,
      data: EMPTY_BYTES,
    })
    await nextBlock()
    expect(await made).toMatchObject({ kind: 'included' })
    await nextBlock()
  }

  test('is durable and reaches replicas', async () => {
    const { directory, genesis, scene } = await startScene()
    const replica = await follow(scene.stream.url, { genesis })
    await includeDeposit(scene)
    const { sequence } = scene.node.view().head
    await expect.poll(() => replica.view().head.sequence).toBe(sequence)
    await expectSame(replica, scene.node)
    await endAll()

    const again = await startManualNode({ ...chain, directory, clock: scene.clock })
    const view = again.node.view()
    expect(view.account(view.state(LATEST)!, BEEF)?.balance).toBe(5n)
    await again.node.stop()
  })

  test('is verified, exported and imported with its block', async () => {
    const { directory, genesis, scene } = await startScene()
    await includeDeposit(scene)
    await endAll()

    expect(await verifyChain({ directory, genesis }, async () => {})).toMatchObject({ kind: 'sound' })
    const [file, copied] = [directories.next(), directories.next()]
    await exportChain({ directory, genesis }, file, {}, async () => {})
    const into = { directory: copied, genesis, history: 'all' as const }
    expect(await importChain(into, readBlockFile(file), async () => {})).toMatchObject({ kind: 'imported' })
  })
})

describe('the contracts of the genesis, called by deposits', () => {
  test('relays a message of the L1 messenger, by which the bridge pays out ether', async () => {
    await startOn(OP)
    const finalize = encodeFunctionData({
      abi: bridge.abi as Abi,
      functionName: 'finalizeBridgeETH',
      args: [SENDER, BEEF, 7n, '0x'],
    })
    const nonce = 1n << 240n
    const relay = encodeFunctionData({
      abi: messenger.abi as Abi,
      functionName: 'relayMessage',
      args: [nonce, L1_BRIDGE_ADDRESS, L2_BRIDGE, 7n, 200_000n, finalize],
    })
    const aliased = toAddress(`0x${(BigInt(L1_MESSENGER_ADDRESS) + BigInt(ALIAS_OFFSET)).toString(16)}`)

    const hash = await deposit({ from: aliased, to: L2_MESSENGER, value: '0x7', gas: '0xf4240', data: relay })

    expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await node.result('eth_getBalance', BEEF, 'pending')).toBe('0x7')
  })

  test('lets the vaults pay their recipient once their minimum is reached', async () => {
    await startOn(OP)
    const withdraw = toFunctionSelector('function withdraw()')
    const early = await deposit({ to: SEQUENCER_FEE_VAULT_ADDRESS, data: withdraw, gas: '0x30d40' })
    const minimum = `0x${(10n * ETHER).toString(16)}`
    await deposit({ from: DEPOSITOR, to: SEQUENCER_FEE_VAULT_ADDRESS, value: minimum })
    const before = BigInt(String(await node.result('eth_getBalance', SENDER, 'pending')))
    const late = await deposit({ from: DEPOSITOR, to: SEQUENCER_FEE_VAULT_ADDRESS, data: withdraw, gas: '0x30d40' })

    expect(await node.result('eth_getTransactionReceipt', early)).toMatchObject({ status: '0x0' })
    expect(await node.result('eth_getTransactionReceipt', late)).toMatchObject({ status: '0x1' })
    expect(BigInt(String(await node.result('eth_getBalance', SENDER, 'pending'))) - before).toBe(10n * ETHER)
  })
})

describe('tickertape_deposit', () => {
  afterEach(endAll)

  test.each([
    ['whose value exceeds the balance', { mint: '0x64', value: '0x65', to: BEEF }, 121_000],
    ['that reverts', { mint: '0x64', value: '0x0', data: '0x5f5ffd' }, 53_000],
  ])('includes a deposit %s with status 0, and keeps its mint and nonce', async (_, members, leastGas) => {
    await startOn(OP)

    const hash = await deposit({ from: DEPOSITOR, ...members })

    const receipt = await node.result('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({ status: '0x0', depositNonce: '0x0' })
    expect(Number(receipt.gasUsed)).toBeGreaterThanOrEqual(leastGas)
    expect(await node.result('eth_getBalance', DEPOSITOR, 'pending')).toBe('0x64')
    expect(await node.result('eth_getTransactionCount', DEPOSITOR, 'pending')).toBe('0x1')
  })

  test('creates a contract without `to`, at the nonce of the depositor', async () => {
    await startOn(OP)

    const hash = await deposit({ from: DEPOSITOR, data: bytesToHex(initCode(LOGGER_RUNTIME)) })

    const { contractAddress } = await node.result('eth_getTransactionReceipt', hash)
    expect(contractAddress).toBe(createAddress(DEPOSITOR, 0n))
    expect(await node.result('eth_getCode', contractAddress, 'pending')).toBe(`0x${LOGGER_RUNTIME}`)
  })

  test('deposits from the first account of the node, and mints the value, by default', async () => {
    await startOn(OP)
    const before = BigInt(String(await node.result('eth_getBalance', SENDER, 'latest')))

    const hash = await deposit({ to: BEEF, value: `0x${ETHER.toString(16)}` })

    expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({
      from: SENDER,
      mint: `0x${ETHER.toString(16)}`,
      gas: `0x${(121_000).toString(16)}`,
    })
    expect(BigInt(String(await node.result('eth_getBalance', SENDER, 'pending')))).toBe(before)
  })

  test('drops the transaction of the pool whose nonce a deposit used, and includes the next one', async () => {
    await startOn(OP, MANUAL)
    const [used, next] = [0n, 1n].map((nonce) => signTransfer({ nonce }))
    for (const { raw } of [used!, next!]) await node.result('eth_sendRawTransaction', bytesToHex(raw))

    await deposit({ to: BEEF, value: '0x1' })
    await node.result('evm_mine')

    expect(transactionsOf(2).map(({ hash }) => hash)).toEqual([expect.anything(), next!.hash])
    expect(await node.result('eth_getTransactionByHash', used!.hash)).toBeNull()
    expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  test('leaves a deposit for the next block if the gas of a block of layer 1 is used up', async () => {
    await startOn(OP)
    const three = [0, 1, 2].map(() =>
      node.result('tickertape_deposit', { from: DEPOSITOR, to: BEEF, gas: `0x${(9_000_000).toString(16)}` }),
    )

    const hashes = await node.passing(Promise.all(three))

    const receipts = await Promise.all(hashes.map((hash) => node.result('eth_getTransactionReceipt', hash)))
    expect(receipts.map(({ blockNumber }) => blockNumber)).toEqual(['0x2', '0x2', '0x3'])
  })

  test('is refused where the chain has no deposits', async () => {
    node = await startRpcNode({ development: true })
    onTestFinished(() => node.stop())

    expect((await node.request('tickertape_deposit', { to: BEEF })).error).toEqual({
      code: -32000,
      message: 'this chain has no deposits: use --profile op or denim',
    })
  })

  test.each([
    ['without `to` and code', {}, /give `to`, or the code/],
    ['with too little gas', { to: BEEF, gas: '0x5207' }, /gas 20999 is too low: the portal wants at least 21000/],
    ['with too little gas for its calldata', { to: BEEF, data: '0x01', gas: '0x5208' }, /at least 21040/],
    [
      'with too much gas',
      { to: BEEF, gas: '0x1312d01' },
      /gas 20000001 is too high: the portal sells at most 20000000/,
    ],
    ['that is too large', { to: BEEF, data: `0x${'01'.repeat(120_001)}`, gas: '0x1312d00' }, /has 120001 bytes/],
    ['that mints more than 128 bits', { to: BEEF, mint: `0x1${'0'.repeat(32)}` }, /more than 128 bits/],
    ['of the protocol itself', { to: BEEF, from: DEPOSITOR_ADDRESS }, /choose another `from`/],
    ['with a value that is no quantity', { to: BEEF, value: '-0x1' }, /value/],
  ])('refuses a deposit %s and changes nothing', async (_, members, message) => {
    await startOn(OP, MANUAL)

    const { error } = await node.request('tickertape_deposit', members)

    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
    expect(await node.result('eth_blockNumber')).toBe('0x0')
  })

  test('answers deposits that wait when the node stops', async () => {
    await startOn(OP)
    const made = node.request('tickertape_deposit', { to: BEEF })
    await node.rpc.handle('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')
    await node.stop()

    expect((await made).error).toMatchObject({ message: 'the node is stopping: the deposit was not made' })
  })

  test('mines deposits that wait for a scheduled block when mining becomes manual', async () => {
    await startOn(OP)
    const made = node.result('tickertape_deposit', { from: DEPOSITOR, to: BEEF, value: '0x1' })
    await node.node.development!.mining.setMode(() => MANUAL, { minesWaiting: false })

    const receipt = await node.result('eth_getTransactionReceipt', await made)
    expect(receipt).toMatchObject({ status: '0x1' })
  })

  test('is refused by a node that builds no blocks', async () => {
    node = await startRpcNode({ development: true }, { ...OP, sequencing: false, development: { mining: FLASHBLOCKS } })
    onTestFinished(() => node.stop())

    expect((await node.request('tickertape_deposit', { to: BEEF })).error?.message).toMatch(/builds no blocks/)
  })
})
