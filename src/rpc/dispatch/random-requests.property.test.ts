import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { startExampleNode } from '../../../test/support/example-scene.ts'
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_BLOCK_HASH,
  EXAMPLE_CONTRACT,
  EXAMPLE_RAW_TRANSACTION,
  EXAMPLE_TRANSACTION_HASH,
  methodExample,
} from '../../../test/support/method-examples.ts'
import type { RpcNode } from '../../../test/support/rpc-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { RPC_CODES } from '../protocol/errors.ts'
import type { Method } from '../registry/method.ts'
import { WALLET_CODES } from '../wallet/wallet-errors.ts'

const RUNS = propertyRuns(10_000)

/** Documented codes, but for the one of what failed for a reason of ours. */
const CODES = new Set<number>([
  ...Object.values(RPC_CODES).filter((code) => code !== RPC_CODES.internal),
  ...[-32015, -32016],
  ...Object.values(WALLET_CODES),
  // Hardhat does not have the method.
  -32004,
  ...[-38010, -38011, -38012, -38013, -38014, -38015, -38020, -38021, -38024, -38025, -38026],
])

/** Texts of Anvil and Hardhat that have the code of internal errors. Other errors with it are defects. */
const PEER_TEXTS = [
  /^Unable to set ERC20/,
  /^Cannot set account nonce when the transaction pool is not empty/,
  /^EVM error /,
  // Anvil's answer to methods of proof of work.
  /^Not implemented$/,
  /^(Error: )?(VM Exception while processing transaction|Transaction reverted)/,
]

let node: RpcNode
afterEach(() => node.stop())

const words = fc.constantFrom(
  ...['0x', '0x0', '0x1', '0x2', '0x3', '0x7fffffff', '0xffffffffffffffff', `0x${'f'.repeat(64)}`, '0x00', '1', ''],
  ...['latest', 'pending', 'safe', 'finalized', 'earliest', 'newHeads', 'logs', 'unsafe'],
  ...[EXAMPLE_ACCOUNT, EXAMPLE_CONTRACT, EXAMPLE_TRANSACTION_HASH, EXAMPLE_BLOCK_HASH, EXAMPLE_RAW_TRANSACTION],
  ...[...DEVELOPMENT_ACCOUNTS.slice(1, 3).map(({ address }) => address), `0x${'00'.repeat(19)}04`],
)
const code = fc
  .array(fc.oneof(fc.constantFrom(0x54, 0x55, 0xa1, 0xf3, 0xfd, 0x5f, 0x60, 0x35, 0x3d, 0xf1, 0xf0), fc.nat(255)), {
    maxLength: 40,
  })
  .map((bytes) => bytesToHex(Uint8Array.from(bytes)))
const transaction = fc
  .record({
    nonce: fc.bigInt(0n, 8n),
    from: fc.nat(3),
    value: fc.bigInt(0n, 10n ** 22n),
    gasLimit: fc.bigInt(20_000n, 90_000n),
  })
  .map((options) => bytesToHex(signTransfer(options).raw))

/** JSON that is often, but not always, what some parameter wants. */
const { value: plausible } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 8, arbitrary: words },
    { weight: 2, arbitrary: code },
    { weight: 1, arbitrary: transaction },
    { weight: 3, arbitrary: fc.oneof(fc.boolean(), fc.constant(null), fc.integer(), fc.double()) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.dictionary(memberNames(), tie('value'), { maxKeys: 4 }) },
  ),
}))

function memberNames() {
  return fc.constantFrom(
    ...['from', 'to', 'gas', 'value', 'input', 'data', 'nonce', 'gasPrice', 'maxFeePerGas', 'accessList', 'chainId'],
    ...['blockHash', 'blockNumber', 'requireCanonical', 'fromBlock', 'toBlock', 'address', 'topics', 'storageKeys'],
    ...['blockStateCalls', 'calls', 'stateOverrides', 'blockOverrides', 'traceTransfers', 'validation', 'number'],
    ...['code', 'state', 'stateDiff', 'balance', 'movePrecompileToAddress', 'time', 'withdrawals', 'authorizationList'],
    ...[EXAMPLE_CONTRACT, EXAMPLE_ACCOUNT, `0x${'00'.repeat(19)}01`, `0x${'00'.repeat(32)}`, '__proto__', 'raw'],
  )
}

/** An example's parameters, some of them another value, or with another value somewhere inside. */
function requestOf(methods: readonly Method[]) {
  return fc
    .record({
      method: fc.constantFrom(...methods),
      changes: fc.array(fc.record({ place: fc.nat(4), value: plausible, inside: fc.boolean() }), { maxLength: 3 }),
      length: fc.option(fc.nat(5), { freq: 6 }),
    })
    .map(({ method, changes, length }) => {
      const params = structuredClone(methodExample(method).params) as unknown[]
      for (const { place, value, inside } of changes) {
        const old = params[place]
        if (inside && typeof old === 'object' && old !== null) {
          const keys = Object.keys(old)
          params[place] = { ...old, [keys[place % Math.max(1, keys.length)] ?? 'from']: value }
        } else params[place] = value
      }
      return { jsonrpc: '2.0', id: 1, method: method.name, params: params.slice(0, length ?? params.length) }
    })
}

function textOf(request: ReturnType<typeof requestOf>) {
  // No time passes within a batch here, while blocks are unwound least of all.
  const batchable = request.filter(({ method }) => !WAITING.test(method))
  return fc.oneof(
    { weight: 12, arbitrary: request.map((item) => JSON.stringify(item)) },
    { weight: 1, arbitrary: fc.array(batchable, { maxLength: 4 }).map((items) => JSON.stringify(items)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string() },
  )
}

function exampleText(method: Method): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params: methodExample(method).params })
}

/** One request of each kind that every node meets: random ones may all be refused for their parameters. */
const CERTAIN: Readonly<Record<string, string>> = {
  answered: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  [RPC_CODES.parse]: '{',
  [RPC_CODES.invalidRequest]: '{}',
  [RPC_CODES.invalidParams]: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x'] }),
}

/** Requests that wait need time to pass. */
const WAITING = /TransactionSync/

/** Sends random requests one after the other, after one of each of `CERTAIN` and the example of each method. */
async function sendRandom(methods: readonly Method[], request: ReturnType<typeof requestOf>): Promise<void> {
  const met = new Set<string>()
  await fc.assert(
    fc.asyncProperty(textOf(request), async (text) => {
      const answering = Promise.resolve(node.rpc.handle(text))
      const response = await (WAITING.test(text) ? node.passing(answering) : answering)
      expect(node.logged).toEqual([])
      const parsed: unknown = response === undefined ? [] : JSON.parse(response)
      for (const item of Array.isArray(parsed) ? parsed : [parsed]) {
        const { error } = item as { error?: { code: number; message: string } }
        if (error !== undefined && !PEER_TEXTS.some((known) => known.test(error.message))) {
          expect(CODES, error.message).toContain(error.code)
        }
        const kind = error === undefined ? 'answered' : String(error.code)
        met.add(kind)
      }
    }),
    { numRuns: RUNS, examples: [...Object.values(CERTAIN), ...methods.map(exampleText)].map((text) => [text]) },
  )
  expect([...met]).toEqual(expect.arrayContaining(Object.keys(CERTAIN)))
}

/** Little of everything, so that limits are met too; a call may not take long. */
const LIMITS = { callGasCap: 300_000n, syncTimeoutMs: 300, maxLogs: 3 }

const isOrdinary = ({ development }: Method) => development === undefined

test(`${RUNS} random requests are answered, or refused for a documented reason`, { timeout: 600_000 }, async () => {
  node = await startExampleNode(LIMITS)

  // The node offers no development methods: it would refuse them for their names.
  const methods = RPC_METHODS.filter(isOrdinary)
  await sendRandom(methods, requestOf(methods))
})

test.each([undefined, 'anvil', 'hardhat'] as const)(
  `${RUNS} random requests to a development node are answered, or refused for a documented reason (%s)`,
  { timeout: 600_000 },
  async (compat) => {
    node = await startExampleNode({ ...LIMITS, development: true, ...(compat && { compat }) })
    const developing = requestOf(RPC_METHODS.filter((method) => !isOrdinary(method)))

    await sendRandom(RPC_METHODS, fc.oneof(developing, requestOf(RPC_METHODS)))
  },
)
