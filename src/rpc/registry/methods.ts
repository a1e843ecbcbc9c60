import * as blocks from '../methods/blocks.ts'
import * as bundles from '../methods/bundles.ts'
import * as calls from '../methods/calls.ts'
import * as chain from '../methods/chain.ts'
import * as debug from '../methods/debug.ts'
import * as accounts from '../methods/development/accounts.ts'
import * as deposits from '../methods/development/deposits.ts'
import * as developmentFork from '../methods/development/fork.ts'
import * as impersonation from '../methods/development/impersonation.ts'
import * as logging from '../methods/development/logging.ts'
import * as developmentMining from '../methods/development/mining.ts'
import * as developmentNextBlock from '../methods/development/next-block.ts'
import * as developmentNodeInfo from '../methods/development/node-info.ts'
import * as developmentPool from '../methods/development/pool.ts'
import * as refused from '../methods/development/refused.ts'
import * as sending from '../methods/development/sending.ts'
import * as signing from '../methods/development/signing.ts'
import * as snapshots from '../methods/development/snapshots.ts'
import * as stateChanges from '../methods/development/state-changes.ts'
import * as stateFiles from '../methods/development/state-files.ts'
import * as developmentTime from '../methods/development/time.ts'
import * as wallet from '../methods/development/wallet.ts'
import * as erigon from '../methods/explorers/erigon.ts'
import * as opcodeGas from '../methods/explorers/opcode-gas.ts'
import * as otterscan from '../methods/explorers/otterscan.ts'
import * as otterscanSearch from '../methods/explorers/otterscan-search.ts'
import * as tracedCalls from '../methods/explorers/traced-calls.ts'
import * as traces from '../methods/explorers/traces.ts'
import * as fees from '../methods/fees.ts'
import * as filters from '../methods/filters.ts'
import * as nodeInfo from '../methods/node-info.ts'
import * as proofs from '../methods/proofs.ts'
import * as rollup from '../methods/rollup.ts'
import * as simulation from '../methods/simulation.ts'
import * as state from '../methods/state.ts'
import * as submission from '../methods/submission.ts'
import * as subscriptions from '../methods/subscriptions.ts'
import * as testing from '../methods/testing.ts'
import * as tracing from '../methods/tracing.ts'
import * as transactionStatus from '../methods/transaction-status.ts'
import * as transactions from '../methods/transactions.ts'
import * as txpool from '../methods/txpool.ts'
import * as uncles from '../methods/uncles.ts'
import type { Method } from './method.ts'

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
  erigon,
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
  uncles,
  wallet,
]

/** All JSON-RPC methods of every dialect, sorted by name. */
export const RPC_METHODS: readonly Method[] = TOPICS.flatMap((topic) => Object.values(topic).flat()).sort((a, b) =>
  a.name < b.name ? -1 : 1,
)
