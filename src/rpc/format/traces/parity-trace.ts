import type { Block } from '../../../chain/block/block.ts'
import { opcodeName } from '../../../engine/trace/opcode-names.ts'
import type { ParityFrame, ParityTrace } from '../../../engine/trace/parity-tracer.ts'
import type { AccountWithCode, TracedAccountChange } from '../../../engine/trace/state-difference.ts'
import type { VmEffect, VmOperation, VmTrace } from '../../../engine/trace/vm-tracer.ts'
import type { FrameEnd } from '../../../engine/tracer.ts'
import { type Bytes, bytesToHex, type Hash } from '../../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../../protocol/json.ts'

/** Position of a traced transaction. */
export interface TracePosition {
  readonly block: Pick<Block, 'header' | 'hash'>
  readonly transactionHash: Hash
  readonly index: number
}

/** A frame with the position of its transaction, as `trace_transaction` returns it. */
export function formatLocalizedFrame(frame: ParityFrame, { block, transactionHash, index }: TracePosition): JsonRecord {
  return {
    ...formatFrame(frame),
    blockHash: block.hash,
    blockNumber: block.header.number,
    transactionHash,
    transactionPosition: index,
  }
}

/** The result of `trace_call` and the `trace_replay…` methods. Members that were not requested are null or empty. */
export function formatTraceResults({ executed, frames = [], stateDiff, vmTrace }: ParityTrace): JsonRecord {
  const [top, ...inner] = frames
  return {
    output: bytesToHex(executed.output),
    stateDiff: stateDiff === undefined ? null : formatStateDiff(stateDiff),
    // As in reth, the first frame has the gas that the transaction used.
    trace: top === undefined ? [] : [formatFrame(top, executed.gasUsed), ...inner.map((frame) => formatFrame(frame))],
    vmTrace: vmTrace === undefined ? null : formatVmTrace(vmTrace),
  }
}

function formatFrame({ start, end, traceAddress, subtraces }: ParityFrame, gasUsed = end.gasUsed): JsonRecord {
  const { kind, from, to, value = 0n, input, gas } = start
  const { output, error } = end
  const position = { subtraces, traceAddress }
  // As in reth, a reverted frame has a result beside its error, and other failed ones have none.
  const hasResult = error === undefined || error === 'execution reverted'
  const outcome = (result: JsonRecord) => ({
    ...(error !== undefined && { error: parityError(error) }),
    result: hasResult ? result : null,
    ...position,
  })
  const used = toQuantity(gasUsed)
  switch (kind) {
    case 'SELFDESTRUCT':
      return {
        type: 'suicide',
        action: { address: from, balance: toQuantity(value), refundAddress: to },
        result: null,
        ...position,
      }
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: {
          from,
          gas: toQuantity(gas),
          init: bytesToHex(input),
          value: toQuantity(value),
          creationMethod: kind.toLowerCase(),
        },
        ...outcome({ address: to, code: bytesToHex(output), gasUsed: used }),
      }
    default:
      return {
        type: 'call',
        action: {
          from,
          callType: kind.toLowerCase(),
          gas: toQuantity(gas),
          input: bytesToHex(input),
          to,
          value: toQuantity(value),
        },
        ...outcome({ gasUsed: used, output: bytesToHex(output) }),
      }
  }
}

/** Words of OpenEthereum, by those of go-ethereum; the rest is the same in both. */
const ERRORS: Readonly<Record<string, string>> = {
  'execution reverted': 'Reverted',
  'out of gas': 'Out of gas',
  'gas uint64 overflow': 'Out of gas',
  'contract creation code storage out of gas': 'Out of gas',
  'max code size exceeded': 'Out of gas',
  'invalid jump destination': 'Bad jump destination',
  'write protection': 'Mutable Call In Static Context',
  'return data out of bounds': 'Out of bounds',
  'stack underflow': 'Stack underflow',
  'stack limit reached': 'Out of stack',
  'precompile failed': 'Built-in failed',
}

function parityError(error: NonNullable<FrameEnd['error']>): string {
  return error.startsWith('invalid opcode') ? 'Bad instruction' : (ERRORS[error] ?? error)
}

function formatStateDiff(changes: ReadonlyMap<string, TracedAccountChange>): JsonRecord {
  return Object.fromEntries(Array.from(changes, ([address, change]) => [address, formatChange(change)]))
}

function formatChange({ before, after, storage }: TracedAccountChange): JsonRecord {
  const delta = <T>(read: (account: AccountWithCode) => T, format: (value: T) => string) =>
    formatDelta(before && format(read(before)), after && format(read(after)))
  const slots = Array.from(storage, ([slot, value]) => {
    const words = [bigintToHash(value.before), bigintToHash(value.after)] as const
    return [slot, before === undefined ? formatDelta(undefined, words[1]) : formatDelta(...words)] as const
  })
  return {
    balance: delta(({ balance }) => balance, toQuantity),
    code: delta(({ code }) => code, bytesToHex),
    nonce: delta(({ nonce }) => nonce, toQuantity),
    storage: Object.fromEntries(slots),
  }
}

/** `+`: the account is new; `-`: it is gone; `*`: the value changed; `=`: it did not. */
function formatDelta(before: string | undefined, after: string | undefined): Json {
  if (before === undefined) return after === undefined ? '=' : { '+': after }
  if (after === undefined) return { '-': before }
  return before === after ? '=' : { '*': { from: before, to: after } }
}

function formatVmTrace({ code, operations }: VmTrace): JsonRecord {
  return { code: bytesToHex(code), ops: operations.map(formatOperation) }
}

function formatOperation({ programCounter, opcode, cost, effect, sub }: VmOperation): JsonRecord {
  return {
    cost,
    ex: effect === undefined ? null : formatEffect(effect),
    op: opcodeName(opcode),
    pc: programCounter,
    sub: sub === undefined ? null : formatVmTrace(sub),
  }
}

function formatEffect({ gasLeft, push, memory, store }: VmEffect): JsonRecord {
  return {
    mem: memory === undefined ? null : { data: bytesToHex(memory.data as Bytes), off: memory.offset },
    push: push.map(toQuantity),
    store: store === undefined ? null : { key: toQuantity(store.key), val: toQuantity(store.value) },
    used: gasLeft,
  }
}
