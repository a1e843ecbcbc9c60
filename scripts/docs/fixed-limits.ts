import { MAX_DEPOSIT_BYTES, MAX_DEPOSIT_GAS } from '../../src/chain/system-transactions/user-deposit.ts'
import { MAX_CONDITION_COST, MAX_PREDICATES } from '../../src/chain/transaction/validity.ts'
import { MAX_IMPERSONATED } from '../../src/node/development/accounts.ts'
import { MAX_REMEMBERED_BUNDLES } from '../../src/node/development/call-bundles.ts'
import { MAX_COMPILED_CONTRACTS } from '../../src/node/development/logging.ts'
import { MAX_INTERVAL_MS } from '../../src/node/development/mining-mode.ts'
import { MAX_SNAPSHOTS } from '../../src/node/development/snapshots.ts'
import { MAX_TIMESTAMP } from '../../src/node/development/timestamp-refusal.ts'
import { MAX_WAITING_BLOBS } from '../../src/node/intake/submissions.ts'
import { MAX_WAITING_DEPOSITS } from '../../src/node/layer1/waiting-deposits.ts'
import { MAX_PARTIAL_BLOCKS } from '../../src/node/machine/head-transitions.ts'
import { MAX_EVALUATED_PREDICATES } from '../../src/node/production/flashblock-driver.ts'
import { MAX_BLOCKS_PER_REQUEST } from '../../src/node/production/leader-development.ts'
import { PROOF_WINDOW } from '../../src/node/view/view.ts'
import { MAX_PAGE_ENTRIES } from '../../src/rest/http/list-parameters.ts'
import { MAX_EVENT_RECORDS, MAX_KEPT_EVENTS } from '../../src/rest/stock-events/change-origin.ts'
import { MAX_DESCRIPTION_BYTES } from '../../src/rest/stock-events/log-changes.ts'
import { MAX_REGISTERED_TOKENS } from '../../src/rest/tokenized-stocks/registry-schema.ts'
import { MAX_DISCOVERED, MAX_FEATURES, MAX_TEXT_BYTES } from '../../src/rest/tokenized-stocks/token-reads.ts'
import { MAX_ACCESS_LIST_ITEMS } from '../../src/rpc/codecs/access-list.ts'
import { MAX_BLOB_HASHES } from '../../src/rpc/codecs/call-object.ts'
import { MAX_REORG_TRANSACTIONS } from '../../src/rpc/codecs/development/reorg-transactions.ts'
import { MAX_DURATION_HOURS } from '../../src/rpc/codecs/duration.ts'
import { MAX_TOPIC_POSITIONS } from '../../src/rpc/codecs/log-filter.ts'
import { MAX_PAYLOAD_TRANSACTIONS, MAX_WITHDRAWALS } from '../../src/rpc/codecs/payload-attributes.ts'
import { MAX_PROOF_KEYS } from '../../src/rpc/codecs/proof-key.ts'
import { MAX_BUNDLED_CALLS, MAX_CALL_BUNDLES } from '../../src/rpc/codecs/simulation/call-bundles.ts'
import { MAX_SIMULATED_BLOCKS, MAX_SIMULATED_CALLS } from '../../src/rpc/codecs/simulation/simulation-payload.ts'
import { MAX_STORAGE_SLOTS } from '../../src/rpc/codecs/storage-key.ts'
import { MAX_TRACE_ADDRESSES, MAX_TRACED_CALLS } from '../../src/rpc/codecs/traces/parity-trace.ts'
import {
  MAX_MUXED_SCRIPTS,
  MAX_MUXED_TRACERS,
  MAX_RANGE_STEPS,
  MAX_STEP_RANGES,
} from '../../src/rpc/codecs/traces/trace-config.ts'
import { MAX_CONCURRENT_ITEMS } from '../../src/rpc/dispatch/batch-runner.ts'
import { MAX_STORAGE_RANGE } from '../../src/rpc/format/storage-range.ts'
import { MAX_PAGE_SIZE } from '../../src/rpc/queries/appearances.ts'
import { MAX_FEE_BLOCKS, MAX_PERCENTILES } from '../../src/rpc/queries/fee-history.ts'
import { MAX_DETAILED_BLOCKS } from '../../src/rpc/queries/mined-blocks.ts'
import { MAX_REPORTED_BLOCKS, MAX_REPORTED_TRANSACTIONS } from '../../src/rpc/queries/reports/collect-reports.ts'
import { MAX_REPORTED_ADDRESSES } from '../../src/rpc/reports/gas-report.ts'
import { MAX_TYPED_DATA_DEPTH } from '../../src/rpc/signing/typed-data.ts'
import { MAX_TYPED_DATA_FIELDS, MAX_TYPED_DATA_TYPES } from '../../src/rpc/signing/typed-data-codec.ts'
import { MAX_WALKED_CHARACTERS } from '../../src/rpc/state-files/json-walker.ts'
import { MAX_LOADED_BYTES } from '../../src/rpc/state-files/load.ts'
import { MAX_WAITING_CHARACTERS } from '../../src/rpc/subscriptions/subscription-hub.ts'
import { MAX_TRANSACTION_HASHES } from '../../src/rpc/subscriptions/subscription-options.ts'
import { MAX_CHAINS, MAX_ID_CHARACTERS, MAX_SENT_CALLS } from '../../src/rpc/wallet/send-calls-codec.ts'
import { MAX_FORWARDED } from '../../src/server/cluster/filter-forwarding.ts'
import { MAX_HELD_CHARACTERS } from '../../src/server/cluster/response-chunks.ts'
import { CONNECTION_WAIT_LIMIT_MS, MAX_WAITING_CONNECTIONS } from '../../src/server/cluster/rpc-workers.ts'
import { MAX_RATED_ADDRESSES } from '../../src/server/create-server.ts'
import { MAX_SUBSCRIBER_MESSAGE_BYTES } from '../../src/server/feed/feed-endpoint.ts'
import { MAX_WAITING_FRAME_BYTES } from '../../src/server/feed/flashblock-feed.ts'
import { MAX_EXTENSION_CHARACTERS, MAX_SIZE_LINE_CHARACTERS } from '../../src/server/http/chunked-body.ts'
import { MAX_CONCURRENT_BYTES } from '../../src/server/http/compression.ts'
import { KEEP_ALIVE_TIMEOUT_MS } from '../../src/server/http/exchange.ts'
import { MAX_HEAD_BYTES, MAX_HEADERS } from '../../src/server/http/header-lines.ts'
import { MAX_UNDER_WAY } from '../../src/server/http/http-connection.ts'
import { MAX_SUBMITTING } from '../../src/server/replicas/served-replica.ts'
import { MAX_DISCARDED_BYTES } from '../../src/server/websocket/metered-messages.ts'
import { MAX_CALLS_WAITING_FOR_THREAD } from '../../src/service/rpc-parts.ts'

/** A limit without a flag. */
type FixedLimit = readonly [bounded: string, value: number | bigint | string, outcome: string]

const INVALID = '-32602'
const TOO_MANY_MINED = '-32602; with `--compat hardhat`, or named `hardhat_…`: -32000'
const NOTHING_LOST = 'Nothing is lost: messages are delivered without letting other work run in between'

const CONNECTIONS: readonly FixedLimit[] = [
  ['Bytes of the head of an HTTP request, and of its trailers', MAX_HEAD_BYTES, '431'],
  ['Headers of an HTTP request', MAX_HEADERS, '431'],
  ['Characters of the line that begins a chunk', MAX_SIZE_LINE_CHARACTERS, '413'],
  ['Characters of all chunk extensions of a body', MAX_EXTENSION_CHARACTERS, '413'],
  ['Requests in flight per HTTP connection', MAX_UNDER_WAY, 'Further requests of the connection are not read'],
  ['Bytes of responses that are compressed at once', MAX_CONCURRENT_BYTES, 'Further responses are not compressed'],
  ['Idle time of an HTTP connection', `${KEEP_ALIVE_TIMEOUT_MS} ms`, 'The connection is closed'],
  [
    'Bytes that a WebSocket sends after it broke the protocol or a limit',
    MAX_DISCARDED_BYTES,
    'The connection is closed',
  ],
  ['Concurrent sends of one batch', MAX_CONCURRENT_ITEMS, 'Later items of the batch wait'],
  ['Addresses whose rate is known', MAX_RATED_ADDRESSES, 'The oldest tenth begins with a full burst again'],
  ['Bytes of a message of a feed subscriber', MAX_SUBSCRIBER_MESSAGE_BYTES, 'close 1009'],
  ['Bytes of the feed that wait for delivery', MAX_WAITING_FRAME_BYTES, NOTHING_LOST],
  ['Characters of notifications that wait for delivery', MAX_WAITING_CHARACTERS, NOTHING_LOST],
  ['Hashes of one transactionReceipts subscription', MAX_TRANSACTION_HASHES, INVALID],
]

const READS: readonly FixedLimit[] = [
  ['Slots of one eth_getProof', MAX_PROOF_KEYS, INVALID],
  ['Blocks back from the newest one with proofs beyond --proof-window', PROOF_WINDOW, '-32000'],
  ['Slots of one debug_storageRangeAt', MAX_STORAGE_RANGE, 'The response ends; `nextKey` names the next slot'],
  ['Slots of one eth_getStorageValues', MAX_STORAGE_SLOTS, '-38026'],
  ['Blocks of one eth_feeHistory', MAX_FEE_BLOCKS, 'As many are returned; with `--compat hardhat`: -32000'],
  ['Percentiles of one eth_feeHistory', MAX_PERCENTILES, INVALID],
  ['Positions of topics in a log filter', MAX_TOPIC_POSITIONS, '-32000'],
  ['Transactions of one page of ots_searchTransactions*', MAX_PAGE_SIZE, INVALID],
  ['Addresses in each list of trace_filter', MAX_TRACE_ADDRESSES, INVALID],
  ['Blocks whose partial hashes, those of flashblocks, are known', MAX_PARTIAL_BLOCKS, '-32000 header not found'],
]

const EXECUTION: readonly FixedLimit[] = [
  ['Calls of one trace_callMany', MAX_TRACED_CALLS, INVALID],
  ['Bundles of one eth_callMany', MAX_CALL_BUNDLES, INVALID],
  ['Blob hashes of a call', MAX_BLOB_HASHES, INVALID],
  ['Withdrawals of a block override or payload', MAX_WITHDRAWALS, INVALID],
  ['Tracers of one muxTracer', MAX_MUXED_TRACERS, INVALID],
  ['JavaScript tracers of one muxTracer', MAX_MUXED_SCRIPTS, INVALID],
  ['Ranges of one stepWindowsTracer', MAX_STEP_RANGES, INVALID],
  ['Steps of one of its ranges', MAX_RANGE_STEPS, INVALID],
  ['Timeout that a trace may name', `${MAX_DURATION_HOURS} h`, INVALID],
  ['Long requests that wait for one worker thread', MAX_CALLS_WAITING_FOR_THREAD, '-32005'],
]

const TRANSACTIONS: readonly FixedLimit[] = [
  ['Predicates of one base_sendRawTransactionValidity', MAX_PREDICATES, INVALID],
  ['Cost of the conditions of one eth_sendRawTransactionConditional', MAX_CONDITION_COST, '-32005'],
  [
    'Predicates evaluated for one flashblock',
    MAX_EVALUATED_PREDICATES,
    'Further transactions with predicates wait for the next one',
  ],
  ['Blobs whose proofs wait to be checked', MAX_WAITING_BLOBS, '-32005, TOO_MANY_BLOBS'],
]

const DEVELOPMENT: readonly FixedLimit[] = [
  ['Blocks that one request mines, or anvil_reorg replaces', MAX_BLOCKS_PER_REQUEST, TOO_MANY_MINED],
  ['Blocks of one evm_mine_detailed', MAX_DETAILED_BLOCKS, TOO_MANY_MINED],
  ['Interval of evm_setIntervalMining', `${MAX_INTERVAL_MS} ms`, INVALID],
  ['Timestamp of a block', MAX_TIMESTAMP, INVALID],
  ['Snapshots', MAX_SNAPSHOTS, '-32000'],
  ['Impersonated addresses', MAX_IMPERSONATED, '-32005'],
  ['Bytes of the dump of one anvil_loadState, decompressed', MAX_LOADED_BYTES, INVALID],
  ['Characters of one value of a dump', MAX_WALKED_CHARACTERS, INVALID],
  ['Blocks that a dump of anvil_loadState may be ahead of the chain', MAX_BLOCKS_PER_REQUEST, INVALID],
  ['Blocks of one tickertape_gasReport or tickertape_coverage', MAX_REPORTED_BLOCKS, '-32000'],
  ['Transactions of a gas report or of coverage', MAX_REPORTED_TRANSACTIONS, '-32000'],
  ['Addresses of a contract that reports list', MAX_REPORTED_ADDRESSES, 'Others are not listed'],
  ['Contracts of hardhat_addCompilationResult since the start', MAX_COMPILED_CONTRACTS, '-32000'],
  ['Calls of one wallet_sendCalls', MAX_SENT_CALLS, '5740'],
  ['Characters of the id of wallet_sendCalls', MAX_ID_CHARACTERS, INVALID],
  ['Bundles of wallet_sendCalls that are remembered', MAX_REMEMBERED_BUNDLES, 'The oldest one: 5730'],
  ['Chain ids of one wallet_getCapabilities', MAX_CHAINS, INVALID],
  ['Types of typed data to sign', MAX_TYPED_DATA_TYPES, INVALID],
  ['Fields of a type of typed data', MAX_TYPED_DATA_FIELDS, INVALID],
  [
    'Levels of structs and arrays in typed data',
    MAX_TYPED_DATA_DEPTH,
    '-32602; unless sent as a string, -32600 by `--max-nesting`',
  ],
  ['Deposits that wait for a block', MAX_WAITING_DEPOSITS, '-32000'],
  ['Gas of a deposit, and of the deposits of one block', MAX_DEPOSIT_GAS, `${INVALID}; later deposits wait`],
  ['Bytes of calldata of a deposit', MAX_DEPOSIT_BYTES, INVALID],
]

const PROCESSES: readonly FixedLimit[] = [
  ['Unanswered sends of one replica', MAX_SUBMITTING, '-32000 from the replica: send it again'],
  ['Connections that wait for an RPC worker', MAX_WAITING_CONNECTIONS, 'The connection is closed'],
  ['Time that a connection waits for an RPC worker', `${CONNECTION_WAIT_LIMIT_MS} ms`, 'The connection is closed'],
  ['Requests about filters that wait for one RPC worker', MAX_FORWARDED, '-32005'],
  ['Characters of responses about filters held for other RPC workers', MAX_HELD_CHARACTERS, '-32005'],
]

const STOCKS: readonly FixedLimit[] = [
  ['Tokens of the registry', MAX_REGISTERED_TOKENS, 'The registry is refused'],
  ['Tokens of the factory that are listed', MAX_DISCOVERED, 'Later tokens are not listed; their own routes work'],
  ['Bytes of the symbol, name or ISIN of a token', MAX_TEXT_BYTES, 'The member is absent'],
  ['Paused features of a token', MAX_FEATURES, 'None is shown'],
  ['Bytes of the text of an announcement in events', MAX_DESCRIPTION_BYTES, '`null` instead'],
  ['Records whose events of stocks are kept', MAX_EVENT_RECORDS, '410 to an older `Last-Event-ID`'],
  ['Events of stocks that are kept', MAX_KEPT_EVENTS, '410 to an older `Last-Event-ID`'],
  ['Entries of a page of the list (`page_size`)', MAX_PAGE_ENTRIES, 'The page has this many, and a `next_page_token`'],
]

const BEHIND_FLAGS: readonly FixedLimit[] = [
  ['Entries of an access list, and keys of an entry; authorizations', MAX_ACCESS_LIST_ITEMS, INVALID],
  ['Blocks of one eth_simulateV1', MAX_SIMULATED_BLOCKS, INVALID],
  ['Calls of one simulated block', MAX_SIMULATED_CALLS, INVALID],
  ['Calls of a bundle of eth_callMany, transactions of eth_callBundle', MAX_BUNDLED_CALLS, INVALID],
  ['Transactions of one anvil_reorg', MAX_REORG_TRANSACTIONS, INVALID],
  ['Transactions of one testing_buildBlockV1 or testing_commitBlockV1', MAX_PAYLOAD_TRANSACTIONS, INVALID],
]

/** Limits without a flag, by topic: what is bounded, the value, what a client sees. */
export const FIXED_LIMITS: ReadonlyMap<string, readonly FixedLimit[]> = new Map([
  ['Connections and subscriptions', CONNECTIONS],
  ['Reads', READS],
  ['Calls and traces', EXECUTION],
  ['Transactions', TRANSACTIONS],
  ['Development methods', DEVELOPMENT],
  ['Replicas and RPC workers', PROCESSES],
  ['Stock service', STOCKS],
  ['Only with raised flags of requests', BEHIND_FLAGS],
])
