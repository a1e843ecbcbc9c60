import { blobBaseFee } from '../../src/chain/blob-fee.ts'
import type { BlobSchedule, ChainConfig } from '../../src/chain/chain-config.ts'
import type { Fork } from '../../src/chain/forks.ts'
import type { Log } from '../../src/chain/log.ts'
import type { RecoveredTransaction } from '../../src/chain/transaction.ts'
import { decodeTransaction, recoverTransaction } from '../../src/chain/transaction-codec.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
import type { BlockEnv, Engine } from '../../src/engine/types.ts'
import {
  type Address,
  EMPTY_BYTES,
  type Hash,
  hexToBytes,
  type Slot,
  toAddress,
  ZERO_HASH,
} from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../src/primitives/keccak.ts'
import { bigintToHash, bigintToSlot } from '../../src/primitives/quantity.ts'
import { encodeRlp } from '../../src/primitives/rlp.ts'
import type { AccountChange, StateDiff } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie } from '../../src/state/trie/state-trie.ts'

interface FixtureAccount {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

/** A case as upstream writes it; numbers are hex with leading zeros. */
export interface StateTestCase {
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, FixtureAccount>>
  readonly post: Readonly<
    Record<string, readonly [{ txbytes: string; hash: string; logs: string; expectException?: string }]>
  >
  readonly config: {
    readonly chainid: string
    readonly blobSchedule: Readonly<Record<string, { target: string; max: string; baseFeeUpdateFraction: string }>>
  }
}

const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  code: () => EMPTY_BYTES,
  blockHash: (number) => keccakHash(Buffer.from(String(number))),
}

const engines = new Map<bigint, Engine>()

/**
 * Runs one case through a session.
 *
 * @returns what came out differently, nothing when all is as it must be
 */
export async function runStateTest(name: string, test: StateTestCase): Promise<string | undefined> {
  const fork = name.toLowerCase() as Fork
  const [expected] = test.post[name]!
  const env = blockEnv(test, name, fork)
  const session = engineOf(BigInt(test.config.chainid)).open(env, NOTHING)
  session.apply(preState(test.pre))
  const before = createStateTrie().apply(session.takeDiff())

  const transaction = decode(expected.txbytes)
  const result = transaction === undefined ? undefined : await session.execute(transaction, env.gasLimit)
  const { root } = before.apply(session.takeDiff())
  session.close()

  if (root !== expected.hash) return `state root ${root}, expected ${expected.hash}`
  if (expected.expectException !== undefined) {
    return result?.kind === 'executed' ? `ran: ${expected.expectException}` : undefined
  }
  if (result === undefined) return 'not decoded'
  if (result.kind === 'invalid') return `refused: ${JSON.stringify(result.error, stringOfBigint)}`
  const logs = logsHash(result.logs)
  return logs === expected.logs ? undefined : `logs hash ${logs}, expected ${expected.logs}`
}

function decode(bytes: string): RecoveredTransaction | undefined {
  try {
    return recoverTransaction(decodeTransaction(hexToBytes(bytes)))
  } catch {
    return undefined
  }
}

function engineOf(chainId: bigint): Engine {
  let engine = engines.get(chainId)
  if (engine === undefined) {
    const config: ChainConfig = { chainId, forkBlocks: {}, forkTimes: {}, blobSchedule: {} }
    engine = createEngine({ config })
    engines.set(chainId, engine)
  }
  return engine
}

function blockEnv({ env, config }: StateTestCase, name: string, fork: Fork): BlockEnv {
  const fixture = config.blobSchedule[name]!
  const blobSchedule: BlobSchedule = {
    target: Number(fixture.target),
    max: Number(fixture.max),
    baseFeeUpdateFraction: BigInt(fixture.baseFeeUpdateFraction),
  }
  return {
    number: Number(env.currentNumber),
    timestamp: BigInt(env.currentTimestamp!),
    gasLimit: BigInt(env.currentGasLimit!),
    coinbase: toAddress(env.currentCoinbase!),
    baseFee: BigInt(env.currentBaseFee!),
    difficulty: 0n,
    prevRandao: env.currentRandom === undefined ? ZERO_HASH : bigintToHash(BigInt(env.currentRandom)),
    blobBaseFee: blobBaseFee(BigInt(env.currentExcessBlobGas ?? '0x0'), blobSchedule),
    fork,
    blobSchedule,
  }
}

function preState(pre: StateTestCase['pre']): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const code = new Map<Hash, Uint8Array>()
  for (const [key, fixture] of Object.entries(pre)) {
    const address = toAddress(key)
    const bytes = hexToBytes(fixture.code)
    const codeHash = bytes.length === 0 ? EMPTY_CODE_HASH : keccakHash(bytes)
    if (bytes.length > 0) code.set(codeHash, bytes)
    const account = { nonce: BigInt(fixture.nonce), balance: BigInt(fixture.balance), codeHash }
    accounts.set(address, { account, storageCleared: false })
    const slots = new Map(
      Object.entries(fixture.storage).map(([slot, value]) => [bigintToSlot(BigInt(slot)), BigInt(value)]),
    )
    if (slots.size > 0) storage.set(address, slots)
  }
  return { accounts, storage, code }
}

/** keccak-256 of the RLP list of logs. */
function logsHash(logs: readonly Log[]): Hash {
  return keccakHash(
    encodeRlp(
      logs.map(({ address, topics, data }) => [hexToBytes(address), topics.map((topic) => hexToBytes(topic)), data]),
    ),
  )
}

function stringOfBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
