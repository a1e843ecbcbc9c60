import { type Address, type Hex, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { isJsonObject, type JsonRecord } from '../../../rpc/protocol/json.ts'
import { readArray, wireObject } from '../../stock/chain/wire.ts'
import type { NamedContracts } from './contracts.ts'

/** A frame of the `callTracer` of go-ethereum. */
export interface NodeFrame {
  readonly type: string
  readonly from: Address
  readonly to: Address | undefined
  /** Wei, in hex. */
  readonly value: string
  readonly gas: number
  readonly gasUsed: number
  readonly input: Hex
  readonly output: Hex
  /** Reason of the EVM for a failure. */
  readonly error: string | undefined
  readonly calls: readonly NodeFrame[]
}

/** Frames of a trace that are read. */
const MAX_FRAMES = 5_000

/** The frames of a trace. */
export interface ReadTrace {
  readonly frame: NodeFrame
  /** Names the frames that were not read, for `truncated` of an answer; empty when all were. */
  readonly truncated: readonly string[]
}

/** @throws StockError when the node's trace cannot be read */
export function readTrace(trace: unknown): ReadTrace {
  const frame = frameOf(trace, { frames: MAX_FRAMES })
  const total = countFrames(trace)
  return { frame, truncated: total > MAX_FRAMES ? [`trace: the first ${MAX_FRAMES} of ${total} frames`] : [] }
}

function countFrames(trace: unknown): number {
  if (!isJsonObject(trace)) return 0
  const { calls } = trace
  return Array.isArray(calls) ? calls.reduce<number>((sum, call) => sum + countFrames(call), 1) : 1
}

function frameOf(trace: unknown, budget: { frames: number }): NodeFrame {
  const { type, from, to, value, gas, gasUsed, input, output, error, calls } = wireObject(trace, 'trace')
  budget.frames -= 1
  const inner = calls === undefined ? [] : readArray(calls, 'calls of a trace')
  return {
    type: String(type),
    from: addressIn(from)!,
    to: addressIn(to),
    value: typeof value === 'string' ? value : '0x0',
    gas: Number(gas),
    gasUsed: Number(gasUsed),
    input: isHexBytes(input) ? input : '0x',
    output: isHexBytes(output) ? output : '0x',
    error: typeof error === 'string' ? error : undefined,
    calls: inner.flatMap((call) => (budget.frames > 0 && isJsonObject(call) ? [frameOf(call, budget)] : [])),
  }
}

function addressIn(value: unknown): Address | undefined {
  return isHexBytes(value) && value.length === 42 ? (value.toLowerCase() as Address) : undefined
}

/** The addresses of a tree, outermost first. */
export function addressesIn(frame: NodeFrame): readonly Address[] {
  const found = new Set<Address>()
  const queue = [frame]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (next.to !== undefined) found.add(next.to)
    queue.push(...next.calls)
  }
  return [...found]
}

/** The frame and those that it calls, with names, down to a depth. */
export function namedTree(frame: NodeFrame, contracts: NamedContracts, maxDepth: number): JsonRecord {
  const isCut = maxDepth <= 0 && frame.calls.length > 0
  const calls = isCut ? [] : frame.calls.map((call) => namedTree(call, contracts, maxDepth - 1))
  return {
    ...describeFrame(frame, contracts),
    ...(calls.length > 0 && { calls }),
    ...(isCut && { callsLeftOut: frame.calls.length }),
  }
}

/** One line of a path or tree. */
export function describeFrame(frame: NodeFrame, contracts: NamedContracts): JsonRecord {
  const { type, from, to, value, gas, gasUsed, input, output, error } = frame
  const isCreation = type.startsWith('CREATE')
  const info = contracts.of(to)
  const call = isCreation ? { function: 'constructor' } : contracts.interfaces.call(hexToBytes(input))
  const result =
    error === undefined && !isCreation ? contracts.interfaces.result(hexToBytes(input), hexToBytes(output)) : undefined
  return {
    type,
    from,
    ...(to !== undefined && { to }),
    ...(info?.name !== undefined && { contract: info.name }),
    ...(info?.source !== undefined && { source: info.source }),
    ...call,
    ...(BigInt(value) > 0n && { valueWei: `${BigInt(value)}` }),
    ...(result !== undefined && { result }),
    gas,
    gasUsed,
    ...(error !== undefined && { error: contracts.interfaces.error(output, error).text }),
  }
}

/** The outermost frame, the call that made it fail, and so on to the one where the failure began. */
export function failingFrames(frame: NodeFrame): readonly NodeFrame[] {
  const path = [frame]
  for (let next = failedCall(frame); next !== undefined; next = failedCall(next)) path.push(next)
  return path
}

/**
 * A caller that passes a failure on has the same revert data. Many failures have none: then only the last call can be
 * the cause.
 */
function failedCall({ calls, output }: NodeFrame): NodeFrame | undefined {
  const candidates = output === '0x' ? calls.slice(-1) : calls
  return candidates.findLast((call) => call.error !== undefined && call.output === output)
}
