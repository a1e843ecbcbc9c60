import { encodeAbiParameters, encodePacked, type Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { DEPOSITOR_ADDRESS } from '../../chain/system-transactions/l1-attributes.ts'
import { MAX_DEPOSIT_GAS } from '../../chain/system-transactions/user-deposit.ts'
import { toAddress } from '../../primitives/hex.ts'
import { HttpL1Reader } from './l1-reader.ts'

const PORTAL = toAddress(`0x${'49'.repeat(20)}`)
const FROM = toAddress(`0x${'d0'.repeat(20)}`)
const TO = toAddress(`0x${'00'.repeat(18)}beef`)
const DEPOSITED = '0xb3813568d9991fc951961fcb4c784893574240a28925604d09fc577c55bb7c32'
const HASH = `0x${'aa'.repeat(32)}`
const UINT64 = 2n ** 64n

/** Results of the node of layer 1 by method. */
let results: Record<string, unknown>

beforeEach(() => {
  results = { eth_getBlockByNumber: header({}), eth_getLogs: [depositLog({})] }
})

function header(fields: Readonly<Record<string, Hex>>): Readonly<Record<string, string>> {
  return { number: '0x10', hash: HASH, parentHash: HASH, mixHash: HASH, timestamp: '0x6553f100', ...fields }
}

interface DepositFields {
  readonly from?: string
  readonly mint?: bigint
  readonly gasLimit?: bigint
  readonly bytes?: number
  readonly logIndex?: number
}

function depositLog({ from = FROM, mint = 0n, gasLimit = 100_000n, bytes = 0, logIndex = 0 }: DepositFields) {
  const data = `0x${'ff'.repeat(bytes)}` as const
  const opaque = encodePacked(['uint256', 'uint256', 'uint64', 'bool', 'bytes'], [mint, 0n, gasLimit, false, data])
  const [fromWord, toWord] = [from, TO].map((address) => `0x${address.slice(2).padStart(64, '0')}`)
  return {
    address: PORTAL,
    blockHash: HASH,
    topics: [DEPOSITED, fromWord, toWord, `0x${'00'.repeat(32)}`],
    data: encodeAbiParameters([{ type: 'bytes' }], [opaque]),
    logIndex: `0x${logIndex.toString(16)}`,
  }
}

function reader(): HttpL1Reader {
  const transport = async (body: string) => {
    const { method } = JSON.parse(body) as { method: string }
    return JSON.stringify({ jsonrpc: '2.0', id: 0, result: results[method] })
  }
  return new HttpL1Reader({ tag: 'finalized', portal: PORTAL, timeoutMs: 1_000 }, { transport })
}

async function refusal(read: Promise<unknown>): Promise<string> {
  const error = await read.then(
    () => new Error('accepted'),
    (thrown: Error) => thrown,
  )
  return String((error.cause as Error | undefined)?.message ?? error.message)
}

test.each<[string, readonly DepositFields[], string]>([
  ['a deposit from the depositor account', [{ from: DEPOSITOR_ADDRESS }], 'DEPOSIT_FROM_PROTOCOL'],
  ['a deposit without gas', [{ gasLimit: 0n }], 'DEPOSIT_GAS_TOO_LOW'],
  ['less gas than every portal demands', [{ gasLimit: 21_000n + 16n * 99n, bytes: 100 }], 'DEPOSIT_GAS_TOO_LOW'],
  ['more gas than a portal sells', [{ gasLimit: MAX_DEPOSIT_GAS + 1n }], 'DEPOSIT_GAS_TOO_HIGH'],
  ['more calldata than a portal accepts', [{ gasLimit: MAX_DEPOSIT_GAS, bytes: 120_001 }], 'DEPOSIT_TOO_LARGE'],
  ['more minted wei than 128 bits', [{ mint: 2n ** 128n }], 'DEPOSIT_MINT_TOO_HIGH'],
  ['two deposits with the same log index', [{}, { gasLimit: 50_000n }], 'two events with the same log index'],
  [
    'deposits that together exceed the gas of a portal',
    [{ gasLimit: MAX_DEPOSIT_GAS - 100_000n }, { gasLimit: 100_001n, logIndex: 1 }],
    `${MAX_DEPOSIT_GAS + 1n} gas`,
  ],
])('refuses %s', async (_name, deposits, reason) => {
  results.eth_getLogs = deposits.map(depositLog)

  expect(await refusal(reader().block(16n))).toContain(reason)
})

test('accepts deposits at the limits of every version of the portal, in the order of their log indexes', async () => {
  results.eth_getLogs = [
    depositLog({ gasLimit: MAX_DEPOSIT_GAS - 43_600n, bytes: 120_000, mint: 2n ** 128n - 1n, logIndex: 11 }),
    depositLog({ gasLimit: 22_600n, bytes: 100, logIndex: 10 }),
    depositLog({ gasLimit: 21_000n, logIndex: 2 }),
  ]

  const block = await reader().block(16n)

  expect(block?.deposits.map(({ logIndex, deposit }) => [logIndex, deposit.gasLimit, deposit.data.length])).toEqual([
    [2n, 21_000n, 0],
    [10n, 22_600n, 100],
    [11n, MAX_DEPOSIT_GAS - 43_600n, 120_000],
  ])
})

test('refuses blocks whose number or timestamp has more than 64 bits, which the L1 attributes cannot hold', async () => {
  const [most, tooMuch] = [`0x${(UINT64 - 1n).toString(16)}`, `0x${UINT64.toString(16)}`] as const

  results.eth_getBlockByNumber = header({ number: most, timestamp: most })
  expect(await reader().newest()).toBe(UINT64 - 1n)
  expect(await reader().block(UINT64 - 1n)).toMatchObject({ number: UINT64 - 1n, timestamp: UINT64 - 1n })

  results.eth_getBlockByNumber = header({ number: tooMuch })
  expect(await refusal(reader().newest())).toContain('number has more than 64 bits')
  results.eth_getBlockByNumber = header({ timestamp: tooMuch })
  expect(await refusal(reader().block(16n))).toContain('timestamp has more than 64 bits')
})
