import type { Bytes } from '../../primitives/hex.ts'
import { areSameBytes, hexOfBytes } from '../bytecode/portable-bytes.ts'
import {
  contractWithCreationCode,
  contractWithRuntimeCode,
  type SolidityContract,
} from '../compiled/solidity-contract.ts'
import type { CodeMap } from '../source-map/code-map.ts'
import type { StepTrace, TraceFrame } from '../trace/step-trace.ts'

/** The contract whose code a frame runs. */
export interface FrameCode {
  readonly contract: SolidityContract
  readonly map: CodeMap
  readonly isCreation: boolean
}

/** Where a debugger finds contracts. */
export interface ContractSources {
  /** Contracts of a project, compared by their code. */
  readonly built: readonly SolidityContract[]
  /** The verified contract at an address; `undefined`: its sources are not verified. */
  verified(address: string): Promise<SolidityContract | undefined>
  /** Code of an account after the transaction. */
  code(address: string): Promise<Bytes>
}

/** Beginning of the code of an account that runs that of another one (EIP-7702). */
const DELEGATION = Uint8Array.of(0xef, 0x01, 0x00)
const ADDRESS_BYTES = 20

/** Finds the contract of each frame; `undefined` for frames without sources. */
export async function codesOfFrames(
  { frames }: Pick<StepTrace, 'frames'>,
  sources: ContractSources,
): Promise<readonly (FrameCode | undefined)[]> {
  const created = new Map<string, Bytes>()
  for (const frame of frames) {
    if (isCreation(frame) && frame.to !== undefined && frame.output.length > 0) created.set(frame.to, frame.output)
  }
  const known = new Map<string, Promise<SolidityContract | undefined>>()
  const contractAt = (address: string): Promise<SolidityContract | undefined> => {
    const found = known.get(address) ?? deployedContract(address, created.get(address), sources)
    known.set(address, found)
    return found
  }
  return Promise.all(
    frames.map(async (frame) => {
      if (frame.endStep === frame.firstStep || frame.to === undefined) return undefined
      if (!isCreation(frame)) return runtimeOf(await contractAt(frame.to))
      const contract = contractWithCreationCode(sources.built, frame.input) ?? (await contractAt(frame.to))
      return contract && { contract, map: contract.creationMap, isCreation: true }
    }),
  )
}

export function isCreation({ type }: Pick<TraceFrame, 'type'>): boolean {
  return type.startsWith('CREATE')
}

function runtimeOf(contract: SolidityContract | undefined): FrameCode | undefined {
  return contract && { contract, map: contract.runtimeMap, isCreation: false }
}

async function deployedContract(
  address: string,
  createdCode: Bytes | undefined,
  sources: ContractSources,
): Promise<SolidityContract | undefined> {
  const code = createdCode ?? (await sources.code(address))
  const isDelegated = areSameBytes(code.subarray(0, DELEGATION.length), DELEGATION)
  if (isDelegated && code.length === DELEGATION.length + ADDRESS_BYTES) {
    const target = hexOfBytes(code, DELEGATION.length)
    return (await sources.verified(target)) ?? contractWithRuntimeCode(sources.built, await sources.code(target))
  }
  return contractWithRuntimeCode(sources.built, code) ?? (await sources.verified(address))
}
