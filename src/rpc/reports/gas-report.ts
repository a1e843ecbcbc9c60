import type { CallGas, CreationGas, FrameGas } from '../../engine/trace/profile/frame-gas-tracer.ts'
import { type Address, type Bytes, bytesToHex, type Hash, type Hex, hexToBytes } from '../../primitives/hex.ts'
import { type ContractInterface, type DeployedCode, type FindInterface, FunctionNames } from './contract-interface.ts'
import { type AmountCount, GasAmounts, type GasStatistics } from './gas-amounts.ts'

/** Addresses of one contract that a report lists. */
export const MAX_REPORTED_ADDRESSES = 100

export interface FunctionGas {
  /** First four bytes of the input; fewer, if it is shorter. */
  readonly selector: Hex
  /** Signature, `receive` or `fallback`; absent: no ABI names it. */
  readonly function?: string
  /** Calls that succeeded; `gas` is theirs. */
  readonly calls: number
  readonly reverted: number
  readonly gas?: GasStatistics
  /** With details. */
  readonly amounts?: readonly AmountCount[]
}

export interface DeploymentGas {
  readonly count: number
  readonly gas: GasStatistics
  /** With details. */
  readonly amounts?: readonly AmountCount[]
  /** Bytes of the code that the newest one deployed. */
  readonly codeBytes: number
  /** Bytes of the code that created it, with its arguments. */
  readonly initCodeBytes: number
}

/** Gas of the contracts with one code; of all codes whose name and ABI are the same, if these are known. */
export interface ContractGas {
  /** Absent: neither sources nor an artifact are known. */
  readonly contract?: string
  readonly codeHashes: readonly Hash[]
  readonly addresses: readonly Address[]
  /** With details: code without a name. */
  readonly code?: Hex
  readonly deployments?: DeploymentGas
  readonly functions: readonly FunctionGas[]
}

/** Result of `tickertape_gasReport`. */
export interface GasReportResult {
  readonly fromBlock: string
  readonly toBlock: string
  readonly transactions: number
  /** Why transactions are missing. Absent: none are. */
  readonly incomplete?: string
  /** Creations that failed. */
  readonly failedDeployments: number
  readonly contracts: readonly ContractGas[]
}

interface FunctionEntry {
  amounts: GasAmounts
  reverted: number
}

interface CodeEntry {
  readonly codeHashes: readonly Hash[]
  readonly code: Bytes
  readonly addresses: Set<Address>
  readonly functions: Map<Hex, FunctionEntry>
  deployments: GasAmounts
  sizes: Pick<DeploymentGas, 'codeBytes' | 'initCodeBytes'>
}

interface ReportBudget {
  /** @throws TraceTooLargeError */
  spend(bytes: number): void
}

/** Memory of an entry for a code, a function or an address. */
const ENTRY_BYTES = 300

/** Gas of calls and deployments by contract and function. */
export class GasReport {
  readonly #budget: ReportBudget
  readonly #codes = new Map<Hash, CodeEntry>()
  readonly #interfaces = new Map<Hash, ContractInterface>()
  /** Codes whose names were not looked up. */
  readonly #unnamed = new Map<Hash, DeployedCode>()
  #failedDeployments = 0

  /** @param budget bounds the memory of the report */
  constructor(budget: ReportBudget) {
    this.#budget = budget
  }

  /** Creations that failed. */
  get failedDeployments(): number {
    return this.#failedDeployments
  }

  add(frames: Iterable<FrameGas>): void {
    for (const frame of frames) {
      if (frame.kind === 'failedCreation') this.#failedDeployments += 1
      else if (frame.kind === 'creation') this.#addCreation(frame)
      else this.#addCall(frame)
    }
  }

  /**
   * Adds the calls and deployments of a contract of another report.
   *
   * @param contract with details and its code
   */
  addContract({ codeHashes, addresses, code = '0x', deployments, functions }: ContractGas, known?: ContractInterface) {
    const entries = functions.map(
      ({ selector, amounts = [], reverted }) => [selector, { amounts: GasAmounts.of(amounts), reverted }] as const,
    )
    const { codeBytes = 0, initCodeBytes = 0, amounts = [] } = deployments ?? {}
    this.#codes.set(codeHashes[0]!, {
      codeHashes,
      code: hexToBytes(code),
      addresses: new Set(addresses),
      functions: new Map(entries),
      deployments: GasAmounts.of(amounts),
      sizes: { codeBytes, initCodeBytes },
    })
    if (known !== undefined) this.#interfaces.set(codeHashes[0]!, known)
  }

  /** Looks up the interfaces of contracts that are new. One whose lookup fails is looked up again by the next call. */
  async nameContracts(find: FindInterface): Promise<void> {
    for (const [codeHash, deployed] of [...this.#unnamed]) {
      let found: ContractInterface | undefined
      try {
        found = await find(deployed)
      } catch {
        continue
      }
      this.#unnamed.delete(codeHash)
      if (found !== undefined) this.#interfaces.set(codeHash, found)
    }
  }

  /** Contracts by name, those without one last; functions by name. */
  contracts({ includeDetails = false }: { readonly includeDetails?: boolean } = {}): readonly ContractGas[] {
    const named = new Map<string, { readonly known: ContractInterface; entry: CodeEntry }>()
    const others: ContractGas[] = []
    for (const [codeHash, entry] of this.#codes) {
      const known = this.#interfaces.get(codeHash)
      if (known === undefined) {
        others.push(contractGas(entry, undefined, includeDetails))
        continue
      }
      // Contracts in several files may have one name.
      const key = JSON.stringify([known.name, known.abi])
      const before = named.get(key)
      if (before === undefined) named.set(key, { known, entry })
      else before.entry = joined(before.entry, entry)
    }
    const contracts = [...named.values()].map(({ known, entry }) => contractGas(entry, known, includeDetails))
    return [...contracts.sort((a, b) => (a.contract! < b.contract! ? -1 : 1)), ...others]
  }

  #addCall({ selector, gasUsed, failed, ...deployed }: CallGas): void {
    const { functions } = this.#entryOf(deployed)
    let called = functions.get(selector)
    if (called === undefined) {
      this.#budget.spend(ENTRY_BYTES)
      called = { amounts: new GasAmounts(), reverted: 0 }
      functions.set(selector, called)
    }
    if (failed) called.reverted += 1
    else called.amounts.add(gasUsed, this.#budget)
  }

  #addCreation({ gasUsed, initCodeBytes, ...deployed }: CreationGas): void {
    const entry = this.#entryOf(deployed)
    entry.deployments.add(gasUsed, this.#budget)
    entry.sizes = { codeBytes: deployed.code.length, initCodeBytes }
  }

  #entryOf({ address, codeHash, code }: DeployedCode): CodeEntry {
    let entry = this.#codes.get(codeHash)
    if (entry === undefined) {
      this.#budget.spend(ENTRY_BYTES + code.length)
      const sizes = { codeBytes: code.length, initCodeBytes: 0 }
      const nothing = { addresses: new Set<Address>(), functions: new Map(), deployments: new GasAmounts() }
      entry = { codeHashes: [codeHash], code, ...nothing, sizes }
      this.#codes.set(codeHash, entry)
      this.#unnamed.set(codeHash, { address, codeHash, code })
    }
    if (entry.addresses.size < MAX_REPORTED_ADDRESSES) entry.addresses.add(address)
    return entry
  }
}

function joined(one: CodeEntry, other: CodeEntry): CodeEntry {
  const functions = new Map(one.functions)
  for (const [selector, called] of other.functions) {
    const before = functions.get(selector)
    const both = before && {
      amounts: before.amounts.joined(called.amounts),
      reverted: before.reverted + called.reverted,
    }
    functions.set(selector, both ?? called)
  }
  return {
    codeHashes: [...one.codeHashes, ...other.codeHashes],
    code: one.code,
    addresses: new Set([...one.addresses, ...other.addresses].slice(0, MAX_REPORTED_ADDRESSES)),
    functions,
    deployments: one.deployments.joined(other.deployments),
    sizes: other.deployments.count > 0 ? other.sizes : one.sizes,
  }
}

function contractGas(entry: CodeEntry, known: ContractInterface | undefined, includeDetails: boolean): ContractGas {
  const names = new FunctionNames(known?.abi ?? [])
  const functions = Array.from(entry.functions, ([selector, { amounts, reverted }]): FunctionGas => {
    const name = names.of(selector)
    const gas = amounts.statistics()
    return {
      selector,
      ...(name !== undefined && { function: name }),
      calls: amounts.count,
      reverted,
      ...(gas !== undefined && { gas }),
      ...(includeDetails && { amounts: amounts.list() }),
    }
  })
  const key = ({ function: name = '', selector }: FunctionGas) => `${name} ${selector}`
  const { deployments, sizes } = entry
  const gas = deployments.statistics()
  const amounts = includeDetails && { amounts: deployments.list() }
  return {
    ...(known !== undefined && { contract: known.name }),
    codeHashes: entry.codeHashes,
    addresses: [...entry.addresses],
    ...(includeDetails && known === undefined && { code: bytesToHex(entry.code) }),
    ...(gas !== undefined && { deployments: { count: deployments.count, gas, ...amounts, ...sizes } }),
    functions: functions.sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  }
}
