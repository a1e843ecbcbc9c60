import type { Method } from '../registry/method.ts'
import * as blocks from './blocks.ts'
import * as bundles from './bundles.ts'
import * as calls from './calls.ts'
import * as chain from './chain.ts'
import * as debug from './debug.ts'
import * as accounts from './development/accounts.ts'
import * as deposits from './development/deposits.ts'
import * as developmentFork from './development/fork.ts'
import * as impersonation from './development/impersonation.ts'
import * as logging from './development/logging.ts'
import * as developmentMining from './development/mining.ts'
import * as developmentNextBlock from './development/next-block.ts'
import * as developmentNodeInfo from './development/node-info.ts'
import * as developmentPool from './development/pool.ts'
import * as refused from './development/refused.ts'
import * as reports from './development/reports.ts'
import * as sending from './development/sending.ts'
import * as signing from './development/signing.ts'
import * as snapshots from './development/snapshots.ts'
import * as stateChanges from './development/state-changes.ts'
import * as stateFiles from './development/state-files.ts'
import * as developmentTime from './development/time.ts'
import * as wallet from './development/wallet.ts'
import * as opcodeGas from './explorers/opcode-gas.ts'
import * as otterscan from './explorers/otterscan.ts'
import * as otterscanSearch from './explorers/otterscan-search.ts'
import * as tracedCalls from './explorers/traced-calls.ts'
import * as traces from './explorers/traces.ts'
import * as fees from './fees.ts'
import * as filters from './filters.ts'
import * as nodeInfo from './node-info.ts'
import * as proofs from './proofs.ts'
import * as rollup from './rollup.ts'
import * as simulation from './simulation.ts'
import * as state from './state.ts'
import * as submission from './submission.ts'
import * as subscriptions from './subscriptions.ts'
import * as testing from './testing.ts'
import * as tracing from './tracing.ts'
import * as transactionStatus from './transaction-status.ts'
import * as transactions from './transactions.ts'
import * as txpool from './txpool.ts'

/**
 * The files of `rpc/methods`, by topic. Each exports methods and nothing else; a development method is exported with
 * its aliases.
 */
const TOPICS: readonly Readonly<Record<string, Method | readonly Method[]>>[] = [
  accounts,
  blocks,
  bundles,
  calls,
  chain,
  debug,
  deposits,
  developmentFork,
  developmentMining,
  developmentNextBlock,
  developmentNodeInfo,
  developmentPool,
  developmentTime,
  fees,
  filters,
  impersonation,
  logging,
  nodeInfo,
  opcodeGas,
  otterscan,
  otterscanSearch,
  proofs,
  refused,
  reports,
  rollup,
  sending,
  signing,
  simulation,
  snapshots,
  state,
  stateFiles,
  stateChanges,
  submission,
  subscriptions,
  testing,
  tracedCalls,
  traces,
  tracing,
  transactionStatus,
  transactions,
  txpool,
  wallet,
]

/** All JSON-RPC methods of every dialect, sorted by name. */
export const RPC_METHODS: readonly Method[] = TOPICS.flatMap((topic) => Object.values(topic).flat()).sort((a, b) =>
  a.name < b.name ? -1 : 1,
)
