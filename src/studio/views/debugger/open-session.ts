import { jsonIn, objectIn } from '../../../live/amount.ts'
import type { NodeClient } from '../../../live/node-client.ts'
import { contractOfSourcify, SOURCIFY_FIELDS } from '../../../solidity/compiled/read-output.ts'
import type { SolidityContract } from '../../../solidity/compiled/solidity-contract.ts'
import { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import { codesOfFrames } from '../../../solidity/debugger/frame-code.ts'
import type { StepWindowJson } from '../../../solidity/debugger/machine-windows.ts'
import { bytesOfHex, type StepColumnsJson, stepTraceOf } from '../../../solidity/trace/step-trace.ts'
import type { DebugSubject } from '../../model/debugger/debug-subject.ts'

type Node = Pick<NodeClient, 'request' | 'read'>

/** A debugger with what it steps through. */
export interface OpenedSession {
  readonly session: DebugSession
  /** With the block of a call. */
  readonly subject: DebugSubject
}

/**
 * Traces a transaction or a call, and finds the sources of its contracts among those that are verified on the node.
 *
 * @throws RequestError if the node cannot trace it
 */
export async function openSession(node: Node, chainId: bigint, wanted: DebugSubject): Promise<OpenedSession> {
  const subject = await pinned(node, wanted)
  const traced = (tracer: string, tracerConfig: object = {}): Promise<unknown> => {
    const options = { tracer, tracerConfig }
    if (subject.kind === 'transaction') return node.request('debug_traceTransaction', [subject.hash, options])
    return node.request('debug_traceCall', [jsonIn(subject.call), subject.block, options])
  }
  const columns = await traced('stepColumnsTracer')
  if (!isStepColumns(columns)) throw new Error('This node does not have the tracers of the debugger.')
  const trace = stepTraceOf(columns)
  const codes = await codesOfFrames(trace, {
    built: [],
    verified: (address) => verifiedContract(node, chainId, address),
    code: async (address) => bytesOfHex(String(await node.request('eth_getCode', [address, 'pending']))),
  })
  const session = new DebugSession(
    trace,
    codes,
    async (ranges) => (await traced('stepWindowsTracer', { ranges })) as readonly StepWindowJson[],
  )
  return { session, subject }
}

/** Calls are executed anew for each window: their block must not change meanwhile. */
async function pinned(node: Node, subject: DebugSubject): Promise<DebugSubject> {
  if (subject.kind === 'transaction' || subject.block !== undefined) return subject
  return { ...subject, block: String(await node.request('eth_blockNumber')) }
}

function isStepColumns(json: unknown): json is StepColumnsJson {
  const { steps, pc, frames } = objectIn(json)
  return typeof steps === 'number' && typeof pc === 'string' && Array.isArray(frames)
}

async function verifiedContract(node: Node, chainId: bigint, address: string): Promise<SolidityContract | undefined> {
  const path = `verify/sourcify/v2/contract/${chainId}/${address}?fields=${SOURCIFY_FIELDS}`
  const { status, text } = await node.read(path)
  return status === 200 ? contractOfSourcify(objectIn(jsonIn(text))) : undefined
}
