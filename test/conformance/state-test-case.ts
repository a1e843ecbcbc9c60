import { blobBaseFee } from '../../src/chain/fees/blob-fee.ts'
import type { ChainConfig } from '../../src/chain/forks/chain-config.ts'
import { blobScheduleAt } from '../../src/chain/forks/fork-schedule.ts'
import { includesFork } from '../../src/chain/forks/forks.ts'
import type { Log } from '../../src/chain/receipt/log.ts'
import { invalidTransactionMessage } from '../../src/chain/transaction/refusal-text.ts'
import { decodeTransaction, recoverTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { BlockEnv, Engine, Result } from '../../src/engine/types.ts'
import { type Hash, hexToBytes, toAddress, ZERO_HASH } from '../../src/primitives/hex.ts'
import { keccakHash } from '../../src/primitives/keccak.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { encodeRlp } from '../../src/primitives/rlp.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie } from '../../src/state/trie/state-trie.ts'
import { type CaseOutcome, failed, PASSED } from './case-outcome.ts'
import { type FixtureAccounts, fixtureDiff, NO_STATE } from './fixture-accounts.ts'
import { decodingReasons, isExpected, type SuiteReasons, transactionReasons } from './refusal-reasons.ts'
import { type FixtureConfig, suiteChain } from './suite-forks.ts'

/** A case in the upstream format; numbers are hex with leading zeros. */
export interface StateTestCase {
  readonly env: Readonly<Record<string, string>>
  readonly pre: FixtureAccounts
  readonly post: Readonly<Record<string, readonly StateTestPost[]>>
  readonly config?: FixtureConfig
}

/** Expected outcome of one transaction of the case under one fork. */
export interface StateTestPost {
  readonly txbytes?: string
  /** State root after the transaction. */
  readonly hash: string
  /** keccak-256 of the RLP list of logs. */
  readonly logs: string
  readonly expectException?: string
}

/** In these tests the hash of a block is that of its number in decimal digits. */
const BEFORE: StateReader = { ...NO_STATE, blockHash: (number) => keccakHash(Buffer.from(String(number))) }

const engines = new Map<string, Engine>()

/** Executes the signed transaction of one `post` entry and compares rejection, state root and logs. */
export async function runStateTest(
  test: Omit<StateTestCase, 'post'>,
  forkName: string,
  expected: StateTestPost,
): Promise<CaseOutcome> {
  if (expected.txbytes === undefined) return failed('the case has no txbytes: fill it with a release that writes them')
  const config = suiteChain(forkName, test.config)
  const env = blockEnv(test.env, config)
  const session = engineFor(forkName, config).open(env, BEFORE)
  session.apply(fixtureDiff(test.pre))
  const before = createStateTrie().apply(session.takeDiff())
  const decoded = decode(expected.txbytes)
  const result = decoded.kind === 'transaction' ? await session.execute(decoded.transaction, env.gasLimit) : undefined
  const { root } = before.apply(session.takeDiff())
  session.close()

  if (expected.expectException !== undefined) return refusalOutcome(expected, decoded, result, root)
  if (decoded.kind === 'refused') return failed(`expected to run, actual: not decoded, ${decoded.message}`)
  if (result === undefined) return failed('expected to run, actual: it did not')
  if (result.kind === 'invalid') {
    return failed(`expected to run, actual: refused, ${invalidTransactionMessage(result.error)}`)
  }
  if (root !== expected.hash) return failed(`state root: expected ${expected.hash}, actual ${root}`)
  const logs = logsHash(result.logs)
  return logs === expected.logs ? PASSED : failed(`logs hash: expected ${expected.logs}, actual ${logs}`)
}

function refusalOutcome(
  { expectException = '', hash }: StateTestPost,
  decoded: Decoded,
  result: Result | undefined,
  root: Hash,
): CaseOutcome {
  if (result?.kind === 'executed') return failed(`expected to be refused, ${expectException}; actual: it ran`)
  if (root !== hash) return failed(`state root of a refused transaction: expected ${hash}, actual ${root}`)
  const refusal =
    decoded.kind === 'refused'
      ? decoded
      : result === undefined
        ? { reasons: [], message: 'nothing' }
        : { reasons: transactionReasons(result.error), message: invalidTransactionMessage(result.error) }
  if (isExpected(expectException, refusal.reasons)) return PASSED
  return { kind: 'passed', warnings: [`refused for "${refusal.message}", the suite names ${expectException}`] }
}

type Decoded =
  | { readonly kind: 'transaction'; readonly transaction: ReturnType<typeof recoverTransaction> }
  | { readonly kind: 'refused'; readonly reasons: SuiteReasons; readonly message: string }

function decode(bytes: string): Decoded {
  try {
    return { kind: 'transaction', transaction: recoverTransaction(decodeTransaction(hexToBytes(bytes))) }
  } catch (error) {
    const reasons = decodingReasons(error)
    if (reasons === undefined) throw error
    return { kind: 'refused', reasons, message: error instanceof Error ? error.message : '' }
  }
}

function engineFor(forkName: string, config: ChainConfig): Engine {
  const key = `${forkName} ${config.chainId}`
  let engine = engines.get(key)
  if (engine === undefined) {
    engine = createEngine({ config })
    engines.set(key, engine)
  }
  return engine
}

function blockEnv(env: StateTestCase['env'], config: ChainConfig): BlockEnv {
  const [fork] = [...Object.keys(config.forkTimes), ...Object.keys(config.forkBlocks)] as BlockEnv['fork'][]
  const blobSchedule = blobScheduleAt(config, fork!)
  return {
    number: Number(env.currentNumber),
    timestamp: BigInt(env.currentTimestamp!),
    gasLimit: BigInt(env.currentGasLimit!),
    coinbase: toAddress(env.currentCoinbase!),
    baseFee: includesFork(fork!, 'london') ? BigInt(env.currentBaseFee ?? '0xa') : 0n,
    difficulty: includesFork(fork!, 'paris') ? 0n : BigInt(env.currentDifficulty ?? '0x0'),
    prevRandao: env.currentRandom === undefined ? ZERO_HASH : bigintToHash(BigInt(env.currentRandom)),
    blobBaseFee: blobSchedule === undefined ? 0n : blobBaseFee(BigInt(env.currentExcessBlobGas ?? '0x0'), blobSchedule),
    fork: fork!,
    ...(blobSchedule && { blobSchedule }),
  }
}

/** keccak-256 of the RLP list of logs. */
function logsHash(logs: readonly Log[]): Hash {
  return keccakHash(
    encodeRlp(
      logs.map(({ address, topics, data }) => [hexToBytes(address), topics.map((topic) => hexToBytes(topic)), data]),
    ),
  )
}
