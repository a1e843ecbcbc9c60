import type { Address } from '../../src/primitives/hex.ts'
import type { ContractInterface } from '../../src/rpc/reports/contract-interface.ts'
import { METER_PATH, type MeasuredProject, openMeasuredProject, type ProjectScene } from './measured-project.ts'

interface Gas {
  readonly min: number
  readonly mean: number
  readonly median: number
  readonly max: number
}

/** Result of `tickertape_gasReport`. */
export interface Report {
  readonly fromBlock: string
  readonly toBlock: string
  readonly transactions: number
  readonly failedDeployments: number
  readonly incomplete?: string
  readonly contracts: readonly {
    readonly contract?: string
    readonly codeHashes: readonly string[]
    readonly addresses: readonly string[]
    readonly deployments?: { readonly count: number; readonly gas: Gas; readonly codeBytes: number }
    readonly functions: readonly {
      readonly selector: string
      readonly function?: string
      readonly calls: number
      readonly reverted: number
      readonly gas?: Gas
    }[]
  }[]
}

/** Deployed contracts, named as the sources do. */
export async function measuredScene(scene: ProjectScene = {}) {
  const names = new Map<string, ContractInterface>()
  const interfaceOf = async ({ address }: { readonly address: Address }) => names.get(address)
  const project = await openMeasuredProject({ ...scene, deps: { interfaceOf } })
  const name = (address: Address, contract: Parameters<MeasuredProject['compiled']>[0]) => {
    names.set(address, { name: `${METER_PATH}:${contract}`, abi: project.compiled(contract).abi as never })
    return address
  }
  const scale = name(await project.deploy('Scale'), 'Scale')
  const meter = name(await project.deploy('Meter', [5n], scale), 'Meter')
  return { project, name, scale, meter }
}

export async function gasReport({ node }: MeasuredProject, ...params: unknown[]): Promise<Report> {
  return (await node.result('tickertape_gasReport', ...params)) as unknown as Report
}

export function contractIn({ contracts }: Report, contract: string) {
  return contracts.find((one) => one.contract === `${METER_PATH}:${contract}`)!
}

export function functionIn(report: Report, contract: string, signature: string) {
  return contractIn(report, contract).functions.find((one) => one.function === signature)!
}
