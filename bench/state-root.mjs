// How long a flashblock's state root takes: applying changed accounts to a large state and asking for the root.
//   npm run bench -- state-root [--accounts 1000000] [--changed 2000] [--slots 0] [--rounds 30]
import { parseArgs } from 'node:util'
import { EMPTY_CODE_HASH } from '../dist/primitives/keccak.js'
import { bigintToSlot } from '../dist/primitives/quantity.js'
import { createStateTrie } from '../dist/state/trie/state-trie.js'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    accounts: { type: 'string', default: '1000000' },
    changed: { type: 'string', default: '2000' },
    /** Storage slots written in each changed account. */
    slots: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '30' },
  },
})
const accounts = Number(values.accounts)
const changed = Number(values.changed)
const slots = Number(values.slots)

function address(index) {
  return `0x${index.toString(16).padStart(40, '0')}`
}

function diffOf(indexes, round) {
  const changes = new Map()
  const storage = new Map()
  for (const index of indexes) {
    const account = { nonce: BigInt(round), balance: 10n ** 20n + BigInt(index + round), codeHash: EMPTY_CODE_HASH }
    changes.set(address(index), { account, storageCleared: false })
    if (slots === 0) continue
    const written = Array.from({ length: slots }, (_, slot) => [bigintToSlot(BigInt(slot)), BigInt(round + 1)])
    storage.set(address(index), new Map(written))
  }
  return { accounts: changes, storage, code: new Map() }
}

let trie = createStateTrie()
const loading = performance.now()
const STEP = 50_000
for (let from = 0; from < accounts; from += STEP) {
  const length = Math.min(STEP, accounts - from)
  trie = trie.apply(
    diffOf(
      Array.from({ length }, (_, offset) => from + offset),
      0,
    ),
  )
}
const first = trie.root
const loaded = performance.now() - loading

const times = []
for (let round = 1; round <= Number(values.rounds); round++) {
  // Far apart and different each round, so that no key is remembered from a round before.
  const indexes = Array.from({ length: changed }, (_, index) => (index * 499 + round * 7919) % accounts)
  const diff = diffOf(indexes, round)
  const start = performance.now()
  trie = trie.apply(diff)
  if (trie.root === first) throw new Error('the root did not change')
  times.push(performance.now() - start)
}
printTable([
  ['accounts', 'changed', 'slots', 'load s', 'median ms', 'p95 ms', 'worst ms', 'RSS MiB'],
  [
    accounts,
    changed,
    slots,
    (loaded / 1000).toFixed(1),
    percentile(times, 0.5).toFixed(1),
    percentile(times, 0.95).toFixed(1),
    Math.max(...times).toFixed(1),
    Math.round(process.memoryUsage.rss() / 2 ** 20),
  ],
])
