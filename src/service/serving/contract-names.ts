import type { ContractInterface, DeployedCode, FindInterface } from '../../rpc/reports/contract-interface.ts'
import type { Sources } from '../../sources/verification/sources.ts'
import type { ClientAccess, Exposure } from '../exposure.ts'

type NamedSources = Pick<Sources, 'source'>

/** Names of contracts in reports: of artifacts that the node reads for its output, otherwise of verified sources. */
export class ContractNames {
  #sources: NamedSources | undefined
  #includesProject = false
  readonly #artifactOf: ((deployed: DeployedCode) => ContractInterface | undefined) | undefined

  constructor(artifactOf?: (deployed: DeployedCode) => ContractInterface | undefined) {
    this.#artifactOf = artifactOf
  }

  /**
   * To be called after `openSources`, which needs the methods that use these names. Contracts of the project are named
   * only if all clients that may ask for reports may see its sources.
   */
  useSources(
    sources: NamedSources,
    { outside, ...inside }: Pick<Exposure, 'outside' | 'development' | 'verify'>,
  ): void {
    const maySee = ({ development, verify }: Pick<ClientAccess, 'development' | 'verify'>) => verify || !development
    this.#sources = sources
    this.#includesProject = maySee(inside) && (outside === undefined || maySee(outside))
  }

  readonly of: FindInterface = async (deployed) => {
    // Artifacts are in memory; sources of a project are searched in its files.
    const artifact = this.#artifactOf?.(deployed)
    if (artifact !== undefined) return artifact
    const source = await this.#sources?.source(deployed.address, this.#includesProject)
    if (source === undefined || source.codeHash !== deployed.codeHash) return undefined
    const { path, name, abi } = source.contract
    return { name: `${path}:${name}`, abi }
  }
}
