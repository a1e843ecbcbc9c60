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
  /** Code at an address when the transaction ran. */
  code(address: string): Promise<Bytes>
  /** Called for an address whose contract cannot be looked up: the debugger shows it without sources. */
  onFailure?(address: string, error: unknown): void
}

/** Beginning of the code of an account that runs that of another one (EIP-7702). */
const DELEGATION = Uint8Array.of(0xef, 0x01, 0x00)
const ADDRESS_BYTES = 20

/** Accounts whose contracts are looked for, and how many at a time. */
const MAX_ACCOUNTS = 100
const MAX_LOOKUPS = 4

/** Finds the contract of each frame; `undefined` for frames without sources. */
export async function codesOfFrames(
  { frames }: Pick<StepTrace, 'frames'>,
  sources: ContractSources,
): Promise<readonly (FrameCode | undefined)[]> {
  const run = frames.filter(({ firstStep, endStep, to }) => endStep > firstStep && to !== undefined)
  const creations = contractsByCreationCode(run, sources.built)
  const missing = run.filter((frame) => creations.get(frame) === undefined).map(({ to }) => to!)
  const contracts = await contractsAt([...new Set(missing)].slice(0, MAX_ACCOUNTS), createdCodes(frames), sources)
  return frames.map((frame) => {
    if (frame.endStep === frame.firstStep || frame.to === undefined) return undefined
    const contract = creations.get(frame) ?? contracts.get(frame.to)
    if (contract === undefined) return undefined
    const isConstructor = isCreation(frame)
    return { contract, map: isConstructor ? contract.creationMap : contract.runtimeMap, isCreation: isConstructor }
  })
}

/** Code of contracts that the transaction created. A failed creation has an output, but no code. */
function createdCodes(frames: readonly TraceFrame[]): ReadonlyMap<string, Bytes> {
  const created = new Map<string, Bytes>()
  for (const frame of frames) {
    const { to, output, error } = frame
    if (isCreation(frame) && error === undefined && to !== undefined && output.length > 0) created.set(to, output)
  }
  return created
}

/** Contracts of a project that frames create. Factories create many with the same code. */
function contractsByCreationCode(
  frames: readonly TraceFrame[],
  built: readonly SolidityContract[],
): ReadonlyMap<TraceFrame, SolidityContract> {
  const byCode = new Map<string, SolidityContract | undefined>()
  const found = new Map<TraceFrame, SolidityContract>()
  for (const frame of frames) {
    if (!isCreation(frame)) continue
    const key = hexOfBytes(frame.input)
    if (!byCode.has(key)) byCode.set(key, contractWithCreationCode(built, frame.input))
    const contract = byCode.get(key)
    if (contract !== undefined) found.set(frame, contract)
  }
  return found
}

async function contractsAt(
  addresses: readonly string[],
  created: ReadonlyMap<string, Bytes>,
  sources: ContractSources,
): Promise<ReadonlyMap<string, SolidityContract>> {
  const found = new Map<string, SolidityContract>()
  const waiting = [...addresses]
  const lookUp = async (): Promise<void> => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      try {
        const contract = await deployedContract(address, created.get(address), sources)
        if (contract !== undefined) found.set(address, contract)
      } catch (error) {
        sources.onFailure?.(address, error)
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_LOOKUPS }, lookUp))
  return found
}

export function isCreation({ type }: Pick<TraceFrame, 'type'>): boolean {
  return type.startsWith('CREATE')
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
