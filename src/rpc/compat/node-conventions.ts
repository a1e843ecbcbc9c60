import { CALL_CHECKS, type CallRequest, envWithoutUnofferedFee } from '../../engine/call/call-message.ts'
import type { EstimateGasOptions } from '../../engine/call/estimate-gas.ts'
import type { StructLogForm } from '../../engine/trace/struct-logger.ts'
import type { BlockEnv, CallChecks } from '../../engine/types.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'

/** A request that failed. */
export interface FailedRequest {
  readonly method: string
  /** Unchecked. */
  readonly params: unknown
}

/** Code, message and data of an error. */
export interface ErrorParts {
  readonly code: number
  readonly message: string
  readonly data?: Json | undefined
}

/** Code and message of a refusal, by node. */
export interface Refusals {
  readonly anvil: readonly [code: number, message: string]
  readonly hardhat: readonly [code: number, message: string]
}

export type JsonNumbers = 'none' | 'quantities' | 'quantities and storage keys'

/** Block, transaction and receipt objects. */
export interface ObjectConventions {
  /** Block objects have `totalDifficulty`. */
  readonly hasTotalDifficulty: boolean
  /** Transactions in a forecast of the next block (ADR 0017) have no block hash and no index, as pooled ones. */
  readonly isForecastWithoutPosition: boolean
  /** Receipts without L1 attributes have the members of layer 2, as zeros: OP-stack clients require them. */
  readonly hasLayer2Receipts: boolean
  /** Receipts have the price of blob gas, and the time of the block as a number. */
  readonly hasTimedReceipts: boolean
  /** The receipt of a failed creation has no contract address. */
  readonly isFailedCreationWithoutAddress: boolean
  /** `txpool_inspect` writes addresses with checksums. */
  readonly hasChecksums: boolean
}

/** Calls, estimates and fees. */
export interface CallConventions {
  /** What a call is refused for before it runs. */
  readonly checks: CallChecks
  /** A request with `maxPriorityFeePerGas` alone has that as its `maxFeePerGas`, too. */
  readonly capsFeeAtTip: boolean
  /** Options of `eth_estimateGas`. */
  readonly estimate: Pick<EstimateGasOptions, 'errorRatio' | 'skipsBareTransfers' | 'exceedsIntrinsicGas'>
  /** Estimates run with the gas price that the transaction would have. */
  readonly pricesEstimates: boolean
  /**
   * The environment with the base fee that a call sees.
   *
   * @param options.baseFee override of the block
   */
  environment(env: BlockEnv, request: CallRequest, options: EnvironmentOptions): BlockEnv
  /** An access list of a call that fails is refused with the failure; otherwise the result names both. */
  readonly refusesFailedAccessLists: boolean
  /** `eth_feeHistory` weights tips by the gas limit, not by the gas used, and refuses a wrong number of blocks. */
  readonly hasHardhatFeeHistory: boolean
}

export interface EnvironmentOptions {
  readonly baseFee: bigint | undefined
  readonly dialect: Dialect
}

/** Logs, filters and subscriptions. */
export interface LogConventions {
  /** A range ends at the head, and one that ends before its start has no logs. */
  readonly clampsRanges: boolean
  /** The message that refuses a filter with a block hash and a range; `undefined`: the hash applies. */
  hashBesideRange(dialect: Dialect): string | undefined
  /** The error for a block hash that does not exist. */
  readonly unknownBlock: readonly [code: number, message: string]
  /** A range that begins above the head. */
  readonly beyondHead: 'refused' | 'unknown block' | 'no logs'
  /** The result for a filter that does not exist is null instead of an error. */
  readonly isAbsentFilterNull: boolean
  /** The first poll of a block filter returns the newest existing block. */
  readonly blockFiltersIncludeLatest: boolean
  /** The result for a subscription that does not exist is false instead of an error. */
  readonly isAbsentSubscriptionFalse: boolean
  /** Subscriptions without a connection exist as filters do: nothing is delivered. */
  readonly subscribesWithoutConnection: boolean
}

/** Transactions that are sent, or filled in to be sent. */
export interface SendingConventions {
  /** The tip that is suggested and filled in, in wei per gas; `undefined`: by the tips of the newest blocks. */
  readonly fixedTip: bigint | undefined
  /** A tip that is filled in does not exceed a given fee cap. */
  readonly keepsTipWithinCap: boolean
  /** Wei per gas of a fee cap that is filled in. */
  feeCap(baseFee: bigint, tip: bigint): bigint
  /** `most`: gas is never estimated. `most on failure`: what fails is sent, so that its receipt can be read. */
  readonly gas: 'estimated' | 'most' | 'most on failure'
  /** Options of an estimate of gas that is filled in; `calls.estimate` is for `eth_estimateGas` alone. */
  readonly estimate: Pick<EstimateGasOptions, 'errorRatio' | 'exceedsIntrinsicGas'>
  /** A gas price replaces fee caps of the same request. */
  readonly prefersGasPrice: boolean
  /** A request without recipient and data is sent, and creates an empty contract; otherwise it is refused. */
  readonly sendsEmptyCreations: boolean
  /** When a transaction that the next block cannot include is refused; otherwise it waits in the pool. */
  readonly refusesUnincludable: 'never' | 'when it cannot pay' | 'while mining at once'
  /** A send is answered with the error of the transaction when it was mined before the answer and failed. */
  readonly throwsMinedFailures: boolean
  /** `eth_signTransaction` returns the bytes only. */
  readonly signsToBytes: boolean
}

/** Methods that control a development node. */
export interface ControlConventions {
  /** The result of a setter. */
  readonly setterResult: true | null
  /** Parameters are `hardhatParams` of the method. */
  readonly takesHardhatParams: boolean
  /** The result of `evm_mine`. */
  readonly mined: string
  /** Seconds between mined blocks without an interval in the request, and whether the first follows an interval. */
  readonly mineInterval: { readonly intervalSeconds: bigint | undefined; readonly spacesFirst: boolean }
  /** Whether one switch of mining replaces the other. */
  readonly switching: 'exclusive' | 'independent'
  /** Switching automine on mines what waits. */
  readonly minesWaiting: boolean
  /** Milliseconds of the unit of mining intervals. */
  readonly intervalUnitMs: number
  /** The form of a number of seconds in a result. */
  writeSeconds(seconds: bigint): number | string
  /** The result of setting the next timestamp. */
  nextTimestampResult(timestamp: bigint): string | null
  /** The id that `evm_snapshot` gives first. */
  readonly firstSnapshotId: number
  /** What a revert or a reset restores. */
  readonly snapshotScope: 'chain' | 'everything'
  /** A nonce below the present one, or with pooled transactions, is refused. */
  readonly guardsNonces: boolean
  /** The gas limit of blocks may be set to 0. */
  readonly acceptsZeroGasLimit: boolean
  /** `eth_accounts` has impersonated accounts, too. */
  readonly listsImpersonated: boolean
  /** The result of ending an impersonation, or of a drop, says whether there was one. */
  readonly saysWhetherRemoved: boolean
  /** Metadata have snapshots, the version of the client, and a fork that may be null. */
  readonly hasFullMetadata: boolean
  /** A reset with options, but without a URL, is refused on a node that does not fork. */
  readonly resetNeedsUrl: boolean
  /** Dropping a transaction drops those that can only follow it. */
  readonly dropsDependents: boolean
  /** A lower gas limit of blocks drops the pool transactions that exceed it. */
  readonly dropsUnfitting: boolean
  /** Methods of proof of work are refused with this text. */
  readonly proofOfWorkRefusal: readonly [code: number, message: string] | undefined
}

/** How responses differ from those of go-ethereum: one object for each node that is reproduced (docs/migrating.md). */
export interface NodeConventions {
  /** Whether a development node is reproduced: it judges transactions and block references more strictly. */
  readonly isReproduced: boolean
  /** Methods of this node that it answers as unknown: tools recognise it by that. */
  readonly unknownMethods: ReadonlySet<string>
  /** The result of `trace_` methods for a block or transaction that does not exist. */
  readonly absentTraces: null | readonly []
  /** The traces of block 0 are empty; otherwise they are refused. */
  readonly tracesGenesis: boolean
  /** The form of traces without a named tracer. */
  readonly structLogs: StructLogForm
  /** Blocks between `latest` and the tags; `undefined`: those of this node. */
  readonly tagDepths: { readonly safe: number; readonly finalized: number } | undefined
  /** Values that may be JSON numbers. */
  readonly jsonNumbers: JsonNumbers
  readonly objects: ObjectConventions
  readonly calls: CallConventions
  readonly logs: LogConventions
  readonly sending: SendingConventions
  readonly control: ControlConventions
  /** Code, message and data with which the node reports an error. */
  errorParts(error: RpcError, request: FailedRequest): ErrorParts
  /** The error for a refused operation whose code and text differ between the nodes. */
  refusal(refusals: Refusals): RpcError
}

export const GO_ETHEREUM: NodeConventions = {
  isReproduced: false,
  unknownMethods: new Set(),
  absentTraces: null,
  tracesGenesis: false,
  structLogs: 'sparse',
  tagDepths: undefined,
  jsonNumbers: 'none',
  objects: {
    hasTotalDifficulty: false,
    isForecastWithoutPosition: false,
    hasLayer2Receipts: true,
    hasTimedReceipts: false,
    isFailedCreationWithoutAddress: false,
    hasChecksums: true,
  },
  calls: {
    checks: CALL_CHECKS,
    capsFeeAtTip: false,
    estimate: { skipsBareTransfers: false },
    pricesEstimates: false,
    environment: (env, request, { dialect }) => (dialect === 'ethereum' ? envWithoutUnofferedFee(env, request) : env),
    refusesFailedAccessLists: false,
    hasHardhatFeeHistory: false,
  },
  logs: {
    clampsRanges: false,
    hashBesideRange: (dialect) =>
      dialect === 'ethereum'
        ? 'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other'
        : undefined,
    unknownBlock: [RPC_CODES.server, 'unknown block'],
    beyondHead: 'refused',
    isAbsentFilterNull: false,
    blockFiltersIncludeLatest: false,
    isAbsentSubscriptionFalse: false,
    subscribesWithoutConnection: false,
  },
  sending: {
    fixedTip: undefined,
    keepsTipWithinCap: false,
    feeCap: (baseFee, tip) => 2n * baseFee + tip,
    gas: 'estimated',
    estimate: {},
    prefersGasPrice: false,
    sendsEmptyCreations: false,
    refusesUnincludable: 'never',
    throwsMinedFailures: false,
    signsToBytes: false,
  },
  control: {
    setterResult: null,
    takesHardhatParams: false,
    mined: '0x0',
    mineInterval: { intervalSeconds: undefined, spacesFirst: true },
    switching: 'exclusive',
    minesWaiting: true,
    intervalUnitMs: 1_000,
    writeSeconds: Number,
    nextTimestampResult: () => null,
    firstSnapshotId: 0,
    snapshotScope: 'chain',
    guardsNonces: false,
    acceptsZeroGasLimit: true,
    listsImpersonated: true,
    saysWhetherRemoved: false,
    hasFullMetadata: true,
    resetNeedsUrl: true,
    dropsDependents: false,
    dropsUnfitting: false,
    proofOfWorkRefusal: undefined,
  },
  errorParts: (error) => error,
  // go-ethereum has no such operations: Anvil's message, with go-ethereum's code for errors of the server.
  refusal: ({ anvil }) => new RpcError(RPC_CODES.server, anvil[1]),
}
