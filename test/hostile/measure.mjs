// Runs every contract of contracts.mjs with the gas that a call and a transaction may have at most, in one process, and
// writes a line of JSON for each run: what it used, and the process's memory. Needs Linux and a build in dist.
//   node test/hostile/measure.mjs [part of a name]
import { readFileSync, writeFileSync } from 'node:fs'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { createEngine } from '../../dist/engine/session/create-engine.js'
import { EMPTY_CODE_HASH, keccakHash } from '../../dist/primitives/keccak.js'
import { CONTRACTS, FIRST_CONTRACT } from './contracts.mjs'

const CALL_GAS = 50_000_000n
const TRANSACTION_GAS = 16_777_216n
const LARGE_CODES = 100_000
const LARGE_CODE_BYTES = 24_576
const [, , only = ''] = process.argv

const [SENDER] = DEVELOPMENT_ACCOUNTS
const HOSTILE = `0x${'a1'.repeat(20)}`
const NO_CHECKS = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }
const ENV = {
  number: 7,
  timestamp: 1_700_000_000n,
  gasLimit: 400_000_000n,
  coinbase: `0x${'c0'.repeat(20)}`,
  baseFee: 1n,
  difficulty: 0n,
  prevRandao: `0x${'ab'.repeat(32)}`,
  blobBaseFee: 1n,
  fork: 'osaka',
}
const FEES = { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }

/** The largest code there may be, another for each number: it stops at once. */
function largeCode(number) {
  const code = new Uint8Array(LARGE_CODE_BYTES).fill(0x5b)
  code.set([0, number >>> 16, number >>> 8, number])
  return code
}

/**
 * Both ways; the codes themselves are made again when they are asked for: what the engine keeps of them is the
 * question.
 */
const hashes = new Map()
const numbers = new Map()

function largeCodeHash(number) {
  let hash = hashes.get(number)
  if (hash === undefined) {
    hash = keccakHash(largeCode(number))
    hashes.set(number, hash)
    numbers.set(hash, number)
  }
  return hash
}

function stateWith(hostile) {
  const code = Buffer.from(hostile.slice(2), 'hex')
  const codeHash = keccakHash(code)
  return {
    account(address) {
      if (address === SENDER.address) return { nonce: 0n, balance: 10n ** 24n, codeHash: EMPTY_CODE_HASH }
      if (address === HOSTILE) return { nonce: 1n, balance: 0n, codeHash }
      const number = Number(BigInt(address)) - FIRST_CONTRACT
      if (number < 0 || number >= LARGE_CODES) return undefined
      return { nonce: 1n, balance: 0n, codeHash: largeCodeHash(number) }
    },
    storage: () => 0n,
    code: (hash) => (hash === codeHash ? code : largeCode(numbers.get(hash))),
    blockHash: () => `0x${'00'.repeat(32)}`,
  }
}

/** MiB of a line of /proc/self/status. */
function memory(line) {
  const kib = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1]
  return Math.round(Number(kib) / 1024)
}

function forgetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Then the peak is that of all runs so far.
  }
}

const engine = createEngine({ config: { chainId: 1n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} } })
const RUNS = [
  {
    kind: 'call',
    gasLimit: CALL_GAS,
    run: (session, message) =>
      session.call({ ...message, from: SENDER.address, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }, NO_CHECKS),
  },
  {
    kind: 'transaction',
    gasLimit: TRANSACTION_GAS,
    run: (session, message) =>
      session.execute(
        signTransaction({ type: 2, chainId: 1n, nonce: 0n, ...FEES, ...message }, SENDER.privateKey),
        ENV.gasLimit,
      ),
  },
]

for (const [name, code] of CONTRACTS) {
  if (!name.includes(only)) continue
  for (const { kind, gasLimit, run } of RUNS) {
    forgetPeak()
    const session = engine.open(ENV, stateWith(code))
    const start = performance.now()
    const message = { to: HOSTILE, gasLimit, value: 0n, data: new Uint8Array(0), accessList: [] }
    const result = await run(session, message)
    const ms = Math.round(performance.now() - start)
    const changes = session.takeDiff().accounts.size
    session.close()
    const { status, gasUsed, logs, error } = result
    const figures = { rssAnonMiB: memory('RssAnon'), peakMiB: memory('VmHWM') }
    const line = { name, kind, status, error, gasLimit: Number(gasLimit), gasUsed, logs: logs?.length, changes, ms }
    process.stdout.write(`${JSON.stringify({ ...line, ...figures })}\n`)
  }
}
