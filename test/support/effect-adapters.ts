import type { Effect } from './effects.ts'

/** A file of `src`, or a folder with all files below it, that may use some effects directly. */
export interface EffectAdapter {
  /** From `src`; that of a folder ends with a slash. */
  readonly path: string
  readonly effects: readonly Effect[]
}

const adapter = (path: string, effects: string, _reason: string): EffectAdapter => ({
  path,
  effects: effects.split(' ') as Effect[],
})

/** Every source that uses effects directly, with the reason. Others receive a `Clock`, `yieldTurn` or `randomBytes`. */
export const ADAPTERS: readonly EffectAdapter[] = [
  // Processes and composition: they choose the effects of the layers below.
  adapter('cli/', 'clock timer random files network', 'commands, which own their process'),
  adapter('library/', 'timer files', 'a node in the process of a caller, and its reports'),
  adapter('service/open-network.ts', 'timer network', 'passes effects to a node'),
  adapter('service/opened-fork.ts', 'random network', 'passes effects to a fork'),
  adapter('service/layer1/followed-l1.ts', 'network', 'passes `fetch` to the reader of layer 1'),
  adapter('service/layer1/l1-reader.ts', 'timer', 'time limits of requests'),
  adapter('service/roles/failover-server.ts', 'random', 'name of a process in the cluster'),
  adapter('service/rpc-parts.ts', 'random', 'passes randomness to JSON-RPC'),
  adapter('service/serving/', 'clock timer random files', 'passes effects to services; watches the registry'),
  adapter('service/state-file.ts', 'timer files', 'the file of `--state`'),
  adapter('service/version.ts', 'files', 'reads package.json'),
  adapter('live/http-rpc.ts', 'timer', 'time limits of requests'),
  adapter('live/node-client.ts', 'timer', 'time limits of requests'),
  adapter('studio/', 'clock timer network', 'a page for browsers'),

  // Sockets of clients and processes that serve them.
  adapter('server/cluster/', 'timer random processes network', 'processes of RPC workers'),
  adapter('server/create-server.ts', 'timer', 'passes effects to transports'),
  adapter('server/event-loop-share.ts', 'clock', 'measures the process'),
  adapter('server/http/', 'clock timer network', 'HTTP connections'),
  adapter('server/idle-memory.ts', 'timer', 'watches the heap of the process'),
  adapter('server/ipc/', 'timer files network', 'Unix sockets'),
  adapter('server/metrics/', 'clock timer files', 'measures the process'),
  adapter('server/replicas/served-replica.ts', 'timer', 'time limits of a connection'),
  adapter('server/reference/page-files.ts', 'files', 'script and style of the page'),
  adapter('server/studio/', 'files', 'static files of the page'),
  adapter('server/transport/body-streams.ts', 'timer', 'time limits of a connection'),
  adapter('server/websocket/', 'timer network', 'WebSocket connections'),
  adapter('replication/nats/', 'clock timer network', 'the client of NATS'),
  adapter('replication/websocket/', 'timer network', 'WebSocket connections'),

  // The node.
  adapter('node/address-index/', 'timer threads', 'a thread of its own'),
  adapter('node/core/bounded-clock.ts', 'clock', 'the clock'),
  adapter('node/core/clock.ts', 'clock timer', 'the clock'),
  adapter('node/core/data-directory.ts', 'files', 'opens the files of a node'),
  adapter('node/intake/signature-thread.ts', 'threads', 'a thread of its own'),
  adapter('node/production/leader-development.ts', 'random', 'identifier of a start'),
  adapter('node/production/sequencing.ts', 'random', 'default: random order of mining on request'),
  adapter('node/roles/failover-node.ts', 'random', 'token of an epoch'),
  adapter('node/roles/follower.ts', 'random', 'spreads connections of replicas'),
  adapter('node/tools/', 'timer files', 'backups, exports and repairs'),
  adapter('node/tries/trie-thread.ts', 'timer threads', 'a thread of its own'),

  // Requests.
  adapter('engine/precompiles/curves/mcl-library.ts', 'files', 'loads WebAssembly'),
  adapter('engine/session/create-engine.ts', 'random', 'default: seed of hash tables'),
  adapter('engine/trace/javascript-sandbox.ts', 'clock', 'time limit of a tracer'),
  adapter('fork/cache/cache-directory.ts', 'files', 'the cache of a fork'),
  adapter('fork/upstream/fork-upstream.ts', 'timer', 'batches requests of one turn'),
  adapter('rest/create-rest-service.ts', 'clock', 'default: age of cached tokens'),
  adapter('rest/stock-events/record-origin.ts', 'timer', 'yields'),
  adapter('rest/stock-events/stock-event-hub.ts', 'timer', 'keeps streams alive'),
  adapter('rest/tokenized-stocks/node-source.ts', 'timer', 'yields'),
  adapter('rpc/methods/development/wallet.ts', 'random', 'identifier of a bundle'),
  adapter('rpc/scheduling/run-queue.ts', 'timer', 'yields'),
  adapter('rpc/state-files/', 'timer files', 'files of dumped state'),
  adapter('rpc/threads/', 'timer random threads', 'worker threads for calls'),
  adapter('sources/api/sourcify-api.ts', 'random', 'identifier of an error'),
  adapter('sources/build-info/', 'files', 'reads files of build tools'),
  adapter('sources/compiler/', 'timer files processes', 'runs compilers'),
  adapter('sources/store/', 'files', 'files of verified sources'),

  // Leaves and storage.
  adapter('primitives/bounded-fetch.ts', 'network', '`fetch` with limits'),
  adapter('primitives/bounded-file.ts', 'files', 'reads a file with limits'),
  adapter('primitives/secp256k1/secp256k1-wasm.ts', 'files', 'loads WebAssembly'),
  adapter('primitives/threads/', 'timer threads', 'messages of worker threads, and the time they have to end'),
  adapter('primitives/wasm-instance.ts', 'files', 'loads WebAssembly'),
  adapter('storage/directory-lock.ts', 'files network', 'the lock is a Unix socket'),
  adapter('storage/disk.ts', 'files', 'the file system'),
  adapter('storage/lmdb/', 'clock timer files', 'the database'),
  adapter('storage/pages/', 'clock timer files', 'pages of the database, checked in steps'),
]
