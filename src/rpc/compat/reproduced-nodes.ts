import { CALL_CHECKS } from '../../engine/call/call-message.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { anvilError } from './anvil-errors.ts'
import type { Compat } from './compat.ts'
import { hardhat3Error, hardhatError } from './hardhat-errors.ts'
import { type FailedRequest, GO_ETHEREUM, type NodeConventions } from './node-conventions.ts'

const GWEI = 1_000_000_000n

const ANVIL: NodeConventions = {
  ...GO_ETHEREUM,
  isReproduced: true,
  absentTraces: [],
  tracesGenesis: true,
  tagDepths: { safe: 32, finalized: 64 },
  jsonNumbers: 'quantities and storage keys',
  objects: {
    ...GO_ETHEREUM.objects,
    hasTotalDifficulty: true,
    hasLayer2Receipts: false,
    hasTimedReceipts: true,
    hasChecksums: false,
  },
  calls: {
    ...GO_ETHEREUM.calls,
    estimate: { errorRatio: 0, skipsBareTransfers: true },
    refusesFailedAccessLists: true,
    // Calls may offer less than the base fee.
    environment(env, { gasPrice, maxFeePerGas }) {
      const offered = gasPrice ?? maxFeePerGas ?? 0n
      return offered === 0n || offered >= env.baseFee ? env : { ...env, baseFee: offered }
    },
  },
  logs: {
    ...GO_ETHEREUM.logs,
    clampsRanges: true,
    hashBesideRange: () => 'cannot specify both blockHash and fromBlock/toBlock, choose one or the other',
    beyondHead: 'unknown block',
    isAbsentSubscriptionFalse: true,
  },
  sending: {
    ...GO_ETHEREUM.sending,
    fixedTip: GWEI,
    feeCap: (baseFee) => baseFee + GWEI,
    gas: 'most on failure',
    estimate: { errorRatio: 0 },
    prefersGasPrice: true,
    sendsEmptyCreations: true,
    refusesUnincludable: 'when it cannot pay',
    signsToBytes: true,
  },
  control: {
    ...GO_ETHEREUM.control,
    dropsDependents: true,
    proofOfWorkRefusal: [RPC_CODES.internal, 'Not implemented'],
  },
  errorParts: anvilError,
  refusal: ({ anvil }) => new RpcError(...anvil),
}

/** Hardhat 2. */
const HARDHAT: NodeConventions = {
  ...GO_ETHEREUM,
  isReproduced: true,
  unknownMethods: new Set([
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
    'eth_getWork',
    'eth_hashrate',
    'eth_protocolVersion',
    'eth_signTransaction',
    'eth_signTypedData',
    'eth_signTypedData_v3',
    'eth_submitHashrate',
    'eth_submitWork',
  ]),
  structLogs: 'full',
  tagDepths: { safe: 0, finalized: 0 },
  jsonNumbers: 'quantities',
  objects: {
    ...GO_ETHEREUM.objects,
    hasTotalDifficulty: true,
    isForecastWithoutPosition: true,
    isFailedCreationWithoutAddress: true,
  },
  calls: {
    // Calls of senders that cannot pay for them run, and are estimated.
    checks: { ...CALL_CHECKS, gasFunds: 'lent' },
    capsFeeAtTip: true,
    estimate: { errorRatio: 0, skipsBareTransfers: false, exceedsIntrinsicGas: true },
    pricesEstimates: true,
    refusesFailedAccessLists: false,
    environment: (env, _, { baseFee = 0n }) => ({ ...env, baseFee }),
    hasHardhatFeeHistory: true,
  },
  logs: {
    clampsRanges: true,
    hashBesideRange: () => 'blockHash is mutually exclusive with fromBlock/toBlock',
    unknownBlock: [RPC_CODES.invalidParams, 'blockHash cannot be found'],
    beyondHead: 'no logs',
    isAbsentFilterNull: true,
    blockFiltersIncludeLatest: true,
    isAbsentSubscriptionFalse: true,
    subscribesWithoutConnection: true,
  },
  sending: {
    ...GO_ETHEREUM.sending,
    fixedTip: GWEI,
    keepsTipWithinCap: true,
    gas: 'most',
    refusesUnincludable: 'while mining at once',
    throwsMinedFailures: true,
  },
  control: {
    ...GO_ETHEREUM.control,
    setterResult: true,
    takesHardhatParams: true,
    mined: '0',
    mineInterval: { intervalSeconds: 1n, spacesFirst: false },
    switching: 'independent',
    minesWaiting: false,
    intervalUnitMs: 1,
    writeSeconds: String,
    nextTimestampResult: String,
    firstSnapshotId: 1,
    snapshotScope: 'everything',
    guardsNonces: true,
    acceptsZeroGasLimit: false,
    listsImpersonated: false,
    saysWhetherRemoved: true,
    hasFullMetadata: false,
    resetNeedsUrl: false,
    dropsUnfitting: true,
  },
  errorParts: hardhatError,
  refusal: ({ hardhat }) => new RpcError(...hardhat),
}

const HARDHAT_3: NodeConventions = {
  ...HARDHAT,
  unknownMethods: new Set([...HARDHAT.unknownMethods, 'eth_mining', 'hardhat_reset', 'net_listening', 'net_peerCount']),
  structLogs: GO_ETHEREUM.structLogs,
  sending: { ...HARDHAT.sending, gas: 'estimated', estimate: HARDHAT.calls.estimate },
  errorParts: hardhat3Error,
}

const CONVENTIONS: Readonly<Record<Compat, NodeConventions>> = { anvil: ANVIL, hardhat: HARDHAT, hardhat3: HARDHAT_3 }

/** @param compat `undefined`: go-ethereum, whose codes and texts methods use */
export function conventionsOf(compat: Compat | undefined): NodeConventions {
  return compat === undefined ? GO_ETHEREUM : CONVENTIONS[compat]
}

/** An error as the reproduced node words it. Methods throw the same ones for each, except those about log filters. */
export function formatError(error: RpcError, conventions: NodeConventions, request: FailedRequest): RpcError {
  if (!conventions.isReproduced || error.reason?.kind === 'formatted') return error
  const { code, message, data } = conventions.errorParts(error, request)
  return new RpcError(code, message, data, { kind: 'formatted' })
}
