import type { ContractInterface, DeployedCode, FindInterface } from '../../rpc/reports/contract-interface.ts'
import type { Sources } from '../../sources/verification/sources.ts'

/** Names of contracts in reports: of artifacts that the node reads for its output, otherwise of verified sources. */
export class ContractNames {
  /** Absent until they are opened: they read the chain over the methods that use these names. */
  sources: Pick<Sources, 'source'> | undefined
  readonly #artifactOf: ((deployed: DeployedCode) => ContractInterface | undefined) | undefined

  constructor(artifactOf?: (deployed: DeployedCode) => ContractInterface | undefined) {
    this.#artifactOf = artifactOf
  }

  readonly of: FindInterface = async (deployed) => {
    // Artifacts are in memory; sources of a project are searched in its files.
    const artifact = this.#artifactOf?.(deployed)
    if (artifact !== undefined) return artifact
    const source = await this.sources?.source(deployed.address)
    if (source === undefined || source.codeHash !== deployed.codeHash) return undefined
    const { path, name, abi } = source.contract
    return { name: `${path}:${name}`, abi }
  }
}
