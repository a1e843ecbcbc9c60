import { encodeErrorResult, encodeFunctionData, parseAbi } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initCode } from '../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { AUTO } from '../../node/development/mining-mode.ts'
import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { type Address, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { createRpc } from '../../rpc/create-rpc.ts'
import type { ReportedCall } from '../../rpc/protocol/reported-call.ts'
import { AbiBook, artifactOf } from './abi-book.ts'
import { DeveloperOutput } from './developer-output.ts'
import { ExecutionWatcher } from './execution-watcher.ts'
import { NO_COLOURS } from './report-text.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const ABI = parseAbi(['function poke(uint256 x)', 'error TooLow(uint256 given, address who)'])
const CONSOLE = parseAbi(['function log(string, uint256)'])

/** Copies data that follows the code to memory, then runs `end`, which finds its size on no stack. */
function withData(data: string, end: (size: string) => string): string {
  const size = (data.length / 2).toString(16).padStart(4, '0')
  const code = end(size)
  const offset = (8 + code.length / 2).toString(16).padStart(2, '0')
  return `61${size}60${offset}5f39${'5b'}${code}${data}`
}

const LOGGED = encodeFunctionData({ abi: CONSOLE, functionName: 'log', args: ['x is', 5n] }).slice(2)
/** Prints, then stops. */
const PRINTER_RUNTIME = withData(LOGGED, (size) => `5f5f61${size}5f73${CONSOLE_ADDRESS.slice(2)}5afa5000`)
const PRINTER = createAddress(SENDER, 0n)
const ERROR = encodeErrorResult({ abi: ABI, errorName: 'TooLow', args: [7n, SENDER] }).slice(2)
const REVERTER_RUNTIME = withData(ERROR, (size) => `61${size}5ffd`)
const REVERTER = createAddress(SENDER, 1n)
/** Calls the reverter with the selector of poke and passes its failure on. */
const POKE = encodeFunctionData({ abi: ABI, functionName: 'poke', args: [1n] }).slice(2)
const CALLER_RUNTIME = withData(POKE, (size) => `5f5f61${size}5f5f73${REVERTER.slice(2)}5af1503d5f5f3e3d5ffd`)
const CALLER = createAddress(SENDER, 2n)

let node: RpcNode
let watcher: ExecutionWatcher
let written: string
let nonce: bigint
let own: Set<string>
beforeEach(async () => {
  node = await startRpcNode()
  written = ''
  nonce = 0n
  own = new Set()
})
afterEach(async () => {
  await watcher.close()
  expect(node.logged).toEqual([])
  await node.stop()
})

function keep(text: string): void {
  written += text
}

function watch(book = new AbiBook(), format: 'text' | 'json' = 'text', maxPerSecond = 1_000, write = keep): void {
  const now = () => node.clock.monotonic()
  watcher = new ExecutionWatcher(
    { watchesTransactions: true },
    {
      node: node.node,
      output: new DeveloperOutput({ format, colours: NO_COLOURS, maxPerSecond }, { write, now }),
      book,
      now,
      isEnabled: () => node.node.development?.logging.isEnabled ?? true,
      isOwn: (hash) => own.has(hash),
      yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
      onFailure: (error) => node.logged.push(error as object),
    },
  )
}

async function send(to: Address | null, data: Uint8Array = new Uint8Array(0), value = 0n): Promise<string> {
  const transaction = signTransfer({ nonce: nonce++, to, data, value, gasLimit: 500_000n })
  await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
  return transaction.hash
}

async function deployAll(): Promise<void> {
  for (const runtime of [PRINTER_RUNTIME, REVERTER_RUNTIME, CALLER_RUNTIME]) await send(null, initCode(runtime))
  await node.nextBlock()
}

/** Everything printed so far, then nothing. */
async function printed(): Promise<string> {
  await watcher.close()
  const text = written
  written = ''
  return text
}

const BOOK = new AbiBook([
  artifactOf(
    {
      contractName: 'Reverter',
      abi: [
        { type: 'function', name: 'poke', inputs: [{ name: 'x', type: 'uint256' }] },
        {
          type: 'error',
          name: 'TooLow',
          inputs: [
            { name: 'given', type: 'uint256' },
            { name: 'who', type: 'address' },
          ],
        },
      ],
      deployedBytecode: `0x${REVERTER_RUNTIME}`,
    },
    'Reverter',
  )!,
])

test('prints a transaction that the process sent by itself only if it failed', async () => {
  watch()
  await deployAll()
  written = ''
  const paid = await send(SENDER, undefined, 1n)
  const failed = await send(REVERTER, hexToBytes(`0x${POKE}`))
  for (const hash of [paid, failed]) own.add(hash)
  await node.nextFlashblock()

  const text = await printed()

  expect(text).toContain(`Transaction ${failed}\n`)
  expect(text).not.toContain(paid)
})

test('prints a transfer with its value, block, flashblock and time', async () => {
  watch()
  const hash = await send(CALLER, undefined, 1_500_000_000_000_000_000n)
  await node.nextFlashblock()

  expect(await printed()).toBe(
    `Transaction ${hash}
  Method          transfer
  From            ${checksumAddress(SENDER)} (Account 0)
  To              ${checksumAddress(CALLER)}
  Value           1.5 ETH
  Gas             21000 of 500000
  Block           1, flashblock 1
  Pre-confirmed   after 200 ms

`,
  )
})

test('prints names of contracts that Hardhat reports as compiled', async () => {
  await node.stop()
  node = await startRpcNode({ development: true })
  watch()
  const contract = {
    abi: [{ type: 'function', name: 'poke', inputs: [{ name: 'x', type: 'uint256' }] }],
    evm: { deployedBytecode: { object: REVERTER_RUNTIME, immutableReferences: {} } },
  }
  const output = { contracts: { 'contracts/Reverter.sol': { Reverter: contract, Broken: { abi: 7 } } } }
  expect(await node.result('hardhat_addCompilationResult', '0.8.30', {}, output)).toBe(true)
  await deployAll()
  await node.nextFlashblock()

  await send(REVERTER, hexToBytes(`0x${POKE}`))
  await node.nextFlashblock()

  expect(await printed()).toMatch(/Method +poke\(uint256\)/)
})

test('prints each call of a batch', async () => {
  await node.stop()
  node = await startRpcNode({ development: true })
  watch()
  const bundle = {
    ...{ version: '2.0.0', from: SENDER, chainId: '0x7a69', atomicRequired: true },
    calls: [
      { to: CALLER, value: '0xde0b6b3a7640000' },
      { to: REVERTER, data: '0xa9059cbb' },
    ],
  }
  await node.result('wallet_sendCalls', bundle)
  await node.nextFlashblock()

  expect(await printed()).toContain(
    `  Method          wallet_sendCalls
  From            ${checksumAddress(SENDER)} (Account 0)
  To              ${checksumAddress(SENDER)} (Account 0)
  Call 1          transfer to ${checksumAddress(CALLER)}, 1 ETH
  Call 2          transfer(address,uint256) to ${checksumAddress(REVERTER)}
  Gas `,
  )
})

test('prints deployments with the created contract, and console.log once, of a transaction', async () => {
  watch()
  await deployAll()
  await send(PRINTER)
  await node.nextFlashblock()

  const text = await printed()
  expect(text).toContain(`  Method          deployment\n`)
  expect(text).toContain(`  Created         ${checksumAddress(PRINTER)}\n`)
  expect(text.split('  console.log\n    x is 5\n')).toHaveLength(2)
})

test('prints why a transaction failed, with custom error, contract, function and where it began', async () => {
  watch(BOOK)
  await deployAll()
  await send(CALLER, hexToBytes('0x01020304'))
  await node.nextFlashblock()

  expect(await printed()).toContain(
    `  Method          0x01020304
  From            ${checksumAddress(SENDER)} (Account 0)
  To              ${checksumAddress(CALLER)}
  Gas             `,
  )
})

test('the trace leads to the call that failed first', async () => {
  watch(BOOK)
  await deployAll()
  await send(CALLER, hexToBytes('0x01020304'))
  await node.nextFlashblock()

  expect(await printed()).toContain(
    `  Error           reverted with TooLow(given: 7, who: ${SENDER})
    ${checksumAddress(CALLER)}.0x01020304
      Reverter.poke(uint256)  <- failed here
`,
  )
})

test('prints calls and estimates that fail or use the console, once each, and no others', async () => {
  watch(BOOK)
  await deployAll()
  await printed()
  const rpc = createRpc(
    { ...node.options, development: true },
    { ...node.deps, onCall: (call) => watcher.report(call) },
  )
  const request = (method: string, to: Address, data = '0x') =>
    rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{ from: SENDER, to, data }] }))

  await request('eth_call', PRINTER)
  expect(written).toBe(
    `eth_call
  Method          receive
  From            ${checksumAddress(SENDER)} (Account 0)
  To              ${checksumAddress(PRINTER)}
  console.log
    x is 5

`,
  )
  written = ''
  await request('eth_estimateGas', PRINTER)
  expect(written.split('x is 5')).toHaveLength(2)
  written = ''
  expect(await request('eth_call', REVERTER, `0x${POKE}`)).toContain('"code":3')
  expect(written).toContain(`  Method          poke(uint256)\n`)
  expect(written).toContain('(Reverter)\n  Error           reverted with TooLow(given: 7')
  written = ''
  await request('eth_estimateGas', REVERTER, `0x${POKE}`)
  expect(written).toContain('eth_estimateGas\n')
  written = ''
  // viem's estimate before it sends.
  await request('eth_fillTransaction', REVERTER, `0x${POKE}`)
  expect(written).toContain('eth_fillTransaction\n')
  written = ''
  await request('eth_call', SENDER)
  await request('eth_estimateGas', SENDER)
  await request('eth_fillTransaction', SENDER)
  expect(written).toBe('')
})

test('passes on the error of a call that cannot be printed, and answers the request', async () => {
  const failure = new Error('no space left')
  watch(BOOK, 'text', 1_000, () => {
    throw failure
  })
  await deployAll()
  await printed()
  const failures = node.logged.splice(0)
  expect(failures).not.toEqual([])
  const rpc = createRpc(node.options, { ...node.deps, onCall: (call) => watcher.report(call) })

  const params = [{ from: SENDER, to: REVERTER, data: `0x${POKE}` }]
  const answer = await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }))

  expect(answer).toContain('"code":3')
  expect(node.logged.splice(0)).toEqual([failure])
})

test('prints calls after the transactions of earlier requests, whose replay takes longer', async () => {
  watch(BOOK)
  await deployAll()
  await printed()
  watch(BOOK)
  let call: ReportedCall | undefined
  const rpc = createRpc(node.options, { ...node.deps, onCall: (made) => (call = made) })
  await rpc.handle(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ from: SENDER, to: PRINTER }] }),
  )
  const reportTwice = () => {
    watcher.report(call!)
    watcher.report({ ...call!, method: 'eth_estimateGas' })
  }
  // After the listener of the watcher.
  node.node.events.on('flashblock', reportTwice)
  await send(CALLER)
  await node.nextFlashblock()

  expect((await printed()).match(/^(Transaction|eth_\w+)/gm)).toEqual(['Transaction', 'eth_call', 'eth_estimateGas'])
})

test('prints one JSON object per line', async () => {
  watch(BOOK, 'json')
  await deployAll()
  await send(CALLER)
  await node.nextFlashblock()

  const lines = (await printed()).trimEnd().split('\n')
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    type: 'transaction',
    method: 'transfer',
    from: SENDER,
    to: CALLER,
    value: '0',
    hasFailed: true,
    blockNumber: 2,
    execution: {
      console: [],
      failure: {
        reason: `reverted with TooLow(given: 7, who: ${SENDER})`,
        trace: [
          { depth: 0, address: CALLER },
          { depth: 1, contract: 'Reverter', function: 'poke(uint256)' },
        ],
      },
    },
  })
})

test('prints the number of reports beyond the rate instead of them', async () => {
  watch(undefined, 'text', 1)
  await send(CALLER)
  await send(CALLER)
  await send(CALLER)
  await node.nextFlashblock()
  await node.nextBlock()
  await send(CALLER)
  await node.nextFlashblock()

  const text = await printed()
  expect(text.split('Transaction 0x')).toHaveLength(3)
  expect(text).toContain('... and 2 more\n')
})

test('does not blame a call that failed earlier for a revert without data', async () => {
  watch(BOOK)
  await deployAll()
  // Calls an address without gas for its code, which fails; calls the printer; reverts.
  const caller = createAddress(SENDER, nonce)
  const tolerated = `5f5f5f5f5f73${PRINTER.slice(2)}6103e8f150`
  await send(null, initCode(`${tolerated}5f5f5f5f5f73${PRINTER.slice(2)}5af1505f5ffd`))
  await send(caller, hexToBytes('0x01020304'))
  await node.nextFlashblock()

  expect(await printed()).toContain(
    `  Error           reverted without a reason
    ${checksumAddress(caller)}.0x01020304  <- failed here
`,
  )
})

test('prints neither flashblock nor pre-confirmation where blocks are mined on demand', async () => {
  await node.stop()
  node = await startRpcNode({ development: true }, { development: { mining: AUTO } })
  watch()
  await send(CALLER)

  const text = await printed()
  expect(text).toContain('\n  Block           1\n')
  expect(text).toMatch(/\n {2}Mined {11}after \d+ ms\n/)
  expect(text).not.toMatch(/flashblock|Pre-confirmed/)
})
