// Measures the cost of the state root of every flashblock with a large state on disk: a tick applies a diff and
// computes the root while the previous block is committed.
//   npm run bench -- state-root [--kind accounts|slots] [--entries 1000000] [--changed 2000] [--rounds 50]
//     [--cache 96] [--prefetch]
// `slots`: all entries are storage slots of one contract, as the balances of a token are. `--interval`: milliseconds
// between ticks (200). `--path`: a directory whose state is reused.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EMPTY_CODE_HASH, keccakHash } from '../dist/primitives/keccak.js'
import { bigintToSlot } from '../dist/primitives/quantity.js'
import { TrieNodeCache } from '../dist/state/trie/node-cache.js'
import { createStateTrie, openStateTrie } from '../dist/state/trie/state-trie.js'
import { openLmdbStore } from '../dist/storage/lmdb/lmdb-store.js'
import { WriteBatch } from '../dist/storage/write-batch.js'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    kind: { type: 'string', default: 'accounts' },
    entries: { type: 'string', default: '1000000' },
    changed: { type: 'string', default: '2000' },
    /** Number of ticks. */
    rounds: { type: 'string', default: '50' },
    /** MiB. */
    cache: { type: 'string', default: '96' },
    /** Milliseconds between ticks. */
    interval: { type: 'string', default: '200' },
    /** Whether each diff is prefetched before its tick, as during execution of transactions. */
    prefetch: { type: 'boolean', default: false },
    /** A directory to reuse; loading takes a minute. */
    path: { type: 'string' },
  },
})
const entries = Number(values.entries)
const changed = Number(values.changed)
const interval = Number(values.interval)
const TICKS_PER_BLOCK = 10
const LOAD_BATCH = 20_000
/** Makes values differ from those of an earlier run. */
const SALT = Math.floor(Date.now() / 1000)

function address(index) {
  return `0x${index.toString(16).padStart(40, '0')}`
}

function diffOf(indexes, round) {
  const accounts = new Map()
  const storage = new Map()
  if (values.kind === 'slots') {
    const account = { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH }
    accounts.set(address(1), { account, storageCleared: false })
    const slots = indexes.map((index) => [bigintToSlot(BigInt(index)), 10n ** 20n + BigInt(index + round)])
    storage.set(address(1), new Map(slots))
  } else {
    for (const index of indexes) {
      const account = { nonce: BigInt(round), balance: 10n ** 20n + BigInt(index + round), codeHash: EMPTY_CODE_HASH }
      accounts.set(address(index), { account, storageCleared: false })
    }
  }
  return { accounts, storage, code: new Map() }
}

/** Spread over the key space and different in each round, so that no key is cached from an earlier one. */
function changedIndexes(round) {
  return Array.from({ length: changed }, (_, index) => (index * 499 + round * 7919) % entries)
}

const path = values.path ?? mkdtempSync(join(tmpdir(), 'tickertape-state-root-'))
const store = openLmdbStore({ path, tables: ['trieNodes'], sync: false })
const storedKey = (key) => Buffer.concat([Buffer.of(0), key])
const cache = new TrieNodeCache({ bytes: Number(values.cache) * 2 ** 20 })

function pinnedSource() {
  const snapshot = store.snapshot()
  return { node: (key) => snapshot.get('trieNodes', storedKey(key)), release: () => snapshot.release() }
}

/** @returns how long each step blocked the thread, in ms */
async function commit(trie, older) {
  const steps = trie.writeSteps(older)
  const times = []
  for (;;) {
    const start = performance.now()
    // As many steps as fit a time slice: a round of the event loop costs more than one step.
    let step = steps.next()
    while (step.done !== true && performance.now() - start < 2) step = steps.next()
    times.push(performance.now() - start)
    if (step.done === true) {
      const batching = performance.now()
      const batch = new WriteBatch()
      for (const key of step.value.deletes) batch.delete('trieNodes', storedKey(key))
      for (const [key, node] of step.value.puts) batch.put('trieNodes', storedKey(key), node)
      const committed = store.commit(batch)
      const batched = performance.now() - batching
      const waiting = performance.now()
      await committed
      return { times, puts: step.value.puts.length, batched, waited: performance.now() - waiting }
    }
    await nextTurn()
  }
}

function anonymousMiB() {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024)
}

/** Processor time of the thread in ms; excludes other work of the machine, unlike the clock. */
function processorTime() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

const loading = performance.now()
let source = pinnedSource()
let trie = createStateTrie().withSource(source, undefined, cache)
const stateRootNode = source.node(Buffer.alloc(0))
if (stateRootNode !== undefined) trie = openStateTrie(keccakHash(stateRootNode), source, cache)
for (let from = stateRootNode === undefined ? 0 : entries; from < entries; from += LOAD_BATCH) {
  const length = Math.min(LOAD_BATCH, entries - from)
  const indexes = Array.from({ length }, (_, offset) => from + offset)
  const next = trie.apply(diffOf(indexes, 0))
  await commit(next, trie)
  source.release()
  source = pinnedSource()
  trie = openStateTrie(next.root, source, cache)
}
const loaded = performance.now() - loading
console.log(
  `${entries} ${values.kind} in ${(loaded / 1000).toFixed(1)} s, ${Math.round(statSync(join(path, 'data.mdb')).size / 2 ** 20)} MiB on disk, RssAnon ${anonymousMiB()} MiB`,
)

const roots = []
const rootsOnProcessor = []
const delays = []
const slices = []
const commits = []
let peak = 0
let stored = trie
let committing = Promise.resolve()
const begin = performance.now() + 50
for (let round = 1; round <= Number(values.rounds); round++) {
  const diff = diffOf(changedIndexes(round), SALT + round)
  const due = begin + round * interval
  if (values.prefetch) trie.prefetch(diff)
  await sleep(Math.max(0, due - performance.now()))
  const start = performance.now()
  delays.push(start - due)
  const processor = processorTime()
  trie = trie.apply(diff)
  if (trie.root === stored.root) throw new Error('the root did not change')
  roots.push(performance.now() - start)
  rootsOnProcessor.push(processorTime() - processor)
  peak = Math.max(peak, anonymousMiB())
  if (round % TICKS_PER_BLOCK === 0) {
    await committing
    const sealed = trie
    committing = (async () => {
      const from = performance.now()
      const { times, puts, batched, waited } = await commit(sealed, stored)
      const old = source
      source = pinnedSource()
      stored = openStateTrie(sealed.root, source, cache)
      trie = trie.withSource(source, sealed)
      old.release()
      slices.push(...times)
      commits.push({
        took: performance.now() - from,
        work: times.reduce((sum, time) => sum + time, 0),
        puts,
        batched,
        waited,
      })
    })()
  }
}
await committing

const milliseconds = (samples, share) => percentile(samples, share).toFixed(1)
printTable([
  ['', 'median ms', 'p95 ms', 'worst ms'],
  ['root of a tick', milliseconds(roots, 0.5), milliseconds(roots, 0.95), milliseconds(roots, 1)],
  [
    '  of which processor time',
    milliseconds(rootsOnProcessor, 0.5),
    milliseconds(rootsOnProcessor, 0.95),
    milliseconds(rootsOnProcessor, 1),
  ],
  ['tick starts late by', milliseconds(delays, 0.5), milliseconds(delays, 0.95), milliseconds(delays, 1)],
  ...['took', 'work', 'batched', 'waited', 'puts'].map((name) => {
    const samples = commits.map((one) => one[name])
    return [`commit: ${name}`, milliseconds(samples, 0.5), milliseconds(samples, 0.95), milliseconds(samples, 1)]
  }),
  ['commit: slice', milliseconds(slices, 0.5), milliseconds(slices, 0.95), milliseconds(slices, 1)],
  ['RssAnon MiB, most', peak, '', ''],
])
source.release()
await store.close()
if (values.path === undefined) rmSync(path, { recursive: true })
