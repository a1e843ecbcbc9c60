// Preloaded into a node: on a message of the parent, the node kills itself during the next commit of a block or sync of
// the record log, which cannot be timed from outside.
import { randomInt } from 'node:crypto'
import { ChainStore } from '../../dist/state/chain-store/chain-store.js'
import { SegmentLog } from '../../dist/storage/segment-log.js'
import { WriteBatch } from '../../dist/storage/write-batch.js'

/** Maximum delay in microseconds after the work starts; both take 0.1 to several milliseconds. */
const LATEST = 2_000
/** Maximum event-loop rounds before the delay starts: the database thread begins a round or two later. */
const ROUNDS = 4

/** `commit`, `sync`, or nothing. */
let wanted
let isCommitting = false

process.on('message', (message) => {
  wanted = message
})
// Waiting for a message must not keep the process alive.
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

// A commit of the store begins here.
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

/** Blocks this thread: disk writes continue in other threads, but nothing can be announced. */
function kill() {
  const end = process.hrtime.bigint() + BigInt(randomInt(LATEST)) * 1_000n
  while (process.hrtime.bigint() < end);
  process.kill(process.pid, 'SIGKILL')
}
