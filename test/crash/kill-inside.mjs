// Loaded into a node before its own code: at the parent's word it kills itself in the middle of the next commit of a
// block or of the next sync of the record log, where nobody can aim from outside.
import { randomInt } from 'node:crypto'
import { ChainStore } from '../../dist/state/chain-store/chain-store.js'
import { SegmentLog } from '../../dist/storage/segment-log.js'
import { WriteBatch } from '../../dist/storage/write-batch.js'

/** Microseconds into the work, at most: both take from some hundred microseconds to some milliseconds. */
const LATEST = 2_000
/** YieldIfDue of the event loop, at most, before the aim is taken: the database's thread begins a turn or two later. */
const ROUNDS = 4

/** `commit`, `sync`, or nothing. */
let wanted
let isCommitting = false

process.on('message', (message) => {
  wanted = message
})
// Waiting for the parent's word is no reason to go on running.
process.channel?.unref()

wrap(SegmentLog.prototype, 'sync', (done) => {
  if (wanted === 'sync') kill()
  return done
})

wrap(ChainStore.prototype, 'append', (done) =>
  done.finally(() => {
    isCommitting = false
  }),
)

// A store's commit begins with it.
wrap(WriteBatch.prototype, 'seal', (operations) => {
  isCommitting = true
  if (wanted === 'commit') killAfter(randomInt(ROUNDS))
  return operations
})

function wrap(prototype, name, around) {
  const original = prototype[name]
  prototype[name] = function (...args) {
    return around(original.apply(this, args))
  }
}

function killAfter(rounds) {
  if (!isCommitting) return
  if (rounds === 0) kill()
  else setImmediate(() => killAfter(rounds - 1))
}

/** The disk's work goes on in other threads meanwhile, but its end is not noticed: nothing can be announced. */
function kill() {
  const end = process.hrtime.bigint() + BigInt(randomInt(LATEST)) * 1_000n
  while (process.hrtime.bigint() < end);
  process.kill(process.pid, 'SIGKILL')
}
