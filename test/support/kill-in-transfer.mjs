// Preloaded into a replica: kills the process with SIGKILL within the transfer of a snapshot. `?at=` in the module's
// URL names the moment: `state` and `block` (the third part of each kind), `commit-N` (N rounds of the event loop into
// the commit that replaces the chain), `records` (the chain is replaced, its former records are not dropped yet).
import { ChainTransfer } from '../../dist/state/chain-store/transfer/chain-transfer.js'
import { SegmentLog } from '../../dist/storage/segment-log.js'

const moment = new URL(import.meta.url).searchParams.get('at')
const PARTS = 3
let parts = 0

function kill() {
  process.kill(process.pid, 'SIGKILL')
}

function killAfter(rounds) {
  if (rounds === 0) kill()
  else setImmediate(killAfter, rounds - 1)
}

function before(prototype, name, act) {
  const original = prototype[name]
  prototype[name] = function (...args) {
    act()
    return original.apply(this, args)
  }
}

const countPart = () => {
  parts += 1
  if (parts === PARTS) kill()
}

if (moment === 'state') before(ChainTransfer.prototype, 'addState', countPart)
if (moment === 'block') before(ChainTransfer.prototype, 'addBlock', countPart)
if (moment === 'records') {
  let isReplaced = false
  before(ChainTransfer.prototype, 'finish', () => {
    isReplaced = true
  })
  before(SegmentLog.prototype, 'reset', () => {
    if (isReplaced) kill()
  })
}
if (moment.startsWith('commit-')) {
  before(ChainTransfer.prototype, 'finish', () => setImmediate(killAfter, Number(moment.slice('commit-'.length))))
}
