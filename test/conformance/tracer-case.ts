import type { ChainConfig } from '../../src/chain/forks/chain-config.ts'
import { blobScheduleAt } from '../../src/chain/forks/fork-schedule.ts'
import { FORKS, type Fork, forkDefinition } from '../../src/chain/forks/forks.ts'
import { decodeTransaction, recoverTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { TracerChoice } from '../../src/engine/trace/create-tracer.ts'
import { TraceBudget } from '../../src/engine/trace/trace-budget.ts'
import { traceMessages } from '../../src/engine/trace/trace-call.ts'
import type { BlockEnv } from '../../src/engine/types.ts'
import { type Bytes, hexToBytes, toAddress, ZERO_HASH } from '../../src/primitives/hex.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { decodeRlp } from '../../src/primitives/rlp.ts'
import { traceConfig } from '../../src/rpc/codecs/traces/trace-config.ts'
import { traceJson } from '../../src/rpc/format/traces/trace.ts'
import { StateOverlay } from '../../src/state/overlay.ts'
import { type FixtureAccounts, fixtureDiff, NO_STATE } from './fixture-accounts.ts'

/** A case of go-ethereum (eth/tracers/internal/tracetest): a transaction in its block, the state before, the trace. */
export interface TracerCase {
  readonly genesis: {
    readonly alloc: FixtureAccounts
    readonly config: Readonly<Record<string, unknown>>
    readonly mixHash?: string
  }
  readonly context: Readonly<Record<'number' | 'timestamp' | 'gasLimit' | 'miner', string>> &
    Partial<Record<'difficulty' | 'baseFeePerGas', string>>
  readonly input: string
  readonly tracerConfig?: object
  readonly result: unknown
}

/** The trace that this node returns for a case. */
export async function traceOf(testCase: TracerCase, tracer: string): Promise<unknown> {
  const choice = traceConfig.decode({ tracer, tracerConfig: testCase.tracerConfig ?? {} }).tracer
  return JSON.parse(await traceText(testCase, choice))
}

async function traceText({ genesis, context, input }: TracerCase, tracer: TracerChoice): Promise<string> {
  const fork = activeFork(genesis.config, context)
  const config: ChainConfig = {
    chainId: BigInt(genesis.config.chainId as number),
    forkBlocks: forkDefinition(fork).activation === 'time' ? {} : { [fork]: 0 },
    forkTimes: forkDefinition(fork).activation === 'time' ? { [fork]: 0n } : {},
    blobSchedule: {},
  }
  const state = new StateOverlay(NO_STATE)
  state.apply(fixtureDiff(fullAccounts(genesis.alloc)))
  const transaction = recoverTransaction(decodeTransaction(transactionBytes(input)))
  const position = { env: environment(fork, config, { genesis, context }), state }
  const options = { budget: new TraceBudget(1 << 28) }
  const [traced] = await traceMessages(createEngine({ config }), [{ transaction, tracer }], position, options)
  if (traced?.kind !== 'traced') throw new Error(`the transaction is invalid: ${JSON.stringify(traced?.error)}`)
  return traceJson(traced.trace, () => true)
}

/** The newest fork that is active in the block of the case. */
function activeFork(config: TracerCase['genesis']['config'], { number, timestamp }: TracerCase['context']): Fork {
  const members = new Map(Object.entries(config).map(([key, value]) => [key.toLowerCase(), value]))
  const isActive = (fork: Fork): boolean => {
    const { activation, genesisKeys } = forkDefinition(fork)
    if (activation === 'genesis') return true
    if (fork === 'paris' && config.terminalTotalDifficulty === 0) return true
    // go-ethereum reads the keys in any case, and one case writes IstanbulBlock.
    const at = genesisKeys.map((key) => members.get(key.toLowerCase())).find((value) => typeof value === 'number')
    return at !== undefined && at <= Number(activation === 'time' ? timestamp : number)
  }
  return FORKS.findLast(isActive)!
}

function environment(
  fork: Fork,
  config: ChainConfig,
  { genesis, context }: Pick<TracerCase, 'genesis' | 'context'>,
): BlockEnv {
  const blobSchedule = blobScheduleAt(config, fork)
  return {
    number: Number(context.number),
    timestamp: BigInt(context.timestamp),
    gasLimit: BigInt(context.gasLimit),
    coinbase: toAddress(context.miner),
    baseFee: BigInt(context.baseFeePerGas ?? 0),
    difficulty: BigInt(context.difficulty ?? 0),
    prevRandao: genesis.mixHash === undefined ? ZERO_HASH : bigintToHash(BigInt(genesis.mixHash)),
    blobBaseFee: 1n,
    fork,
    ...(blobSchedule && { blobSchedule }),
  }
}

/** Members that an account of a case may lack. */
function fullAccounts(alloc: FixtureAccounts): FixtureAccounts {
  const empty = { balance: '0x0', nonce: '0x0', code: '0x', storage: {} }
  return Object.fromEntries(Object.entries(alloc).map(([address, account]) => [address, { ...empty, ...account }]))
}

/** A typed transaction may be wrapped as an RLP string. */
function transactionBytes(input: string): Bytes {
  const bytes = hexToBytes(input.startsWith('0x') ? input : `0x${input}`)
  const isString = bytes[0]! >= 0x80 && bytes[0]! < 0xc0
  return isString ? (decodeRlp(bytes) as Bytes) : bytes
}
