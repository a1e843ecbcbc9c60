import type { StepColumns } from '../../engine/trace/steps/step-columns.ts'
import type { Executed } from '../../engine/types.ts'
import type { Address } from '../../primitives/hex.ts'
import { formatStepColumns } from '../../rpc/format/traces/step-traces.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { codesOfFrames } from '../../solidity/debugger/frame-code.ts'
import { type StepColumnsJson, stepTraceOf } from '../../solidity/trace/step-trace.ts'

/** A function on the way to a failure, and the line where it was. */
export interface FailingLine {
  readonly file: string
  readonly line: number
  readonly contract: string | undefined
  readonly function: string
}

/**
 * The lines on the way to a failure, innermost first.
 *
 * @param contracts with sources, by address
 */
export async function failingLines(
  traced: { readonly executed: Executed; readonly columns: StepColumns },
  contracts: ReadonlyMap<Address, SolidityContract | undefined>,
): Promise<readonly FailingLine[]> {
  const json = formatStepColumns({ name: 'stepColumnsTracer', ...traced })
  const trace = stepTraceOf(json as unknown as StepColumnsJson)
  const codes = await codesOfFrames(trace, {
    built: [],
    verified: async (address) => contracts.get(address as Address),
    code: async () => new Uint8Array(0),
  })
  const session = new DebugSession(trace, codes, async () => [])
  const { revertStep } = session
  if (revertStep === undefined) return []
  return session.callStack(revertStep).flatMap(({ contract, function: name, step }) => {
    const found = session.lineAt(step)
    return found === undefined ? [] : [{ file: found.file.path, line: found.line, contract, function: name }]
  })
}
