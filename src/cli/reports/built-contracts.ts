import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { BuildInfoError, projectContracts, projectFolder } from '../../sources/build-info/project-contracts.ts'
import { buildInfoVersion } from '../../sources/build-info/read-build-infos.ts'
import { StockError } from '../stock/terms/stock-error.ts'

/**
 * The contracts of a project with their sources: of the folder of `--abi`, or of the working directory if it has build
 * information.
 *
 * @param note receives the reason if the build information of the working directory cannot be read
 * @throws StockError `INVALID_INPUT` if the named folder has no build information, or none that can be read
 */
export function builtContracts(abi: string | undefined, note: (text: string) => void): readonly SolidityContract[] {
  const folder = projectFolder(abi)
  if (folder === undefined) {
    if (abi === undefined) return []
    const advice = 'compile with hardhat build or forge build --build-info'
    throw new StockError('INVALID_INPUT', `there is no build-info in ${abi}: ${advice}`)
  }
  try {
    return projectContracts(folder)
  } catch (error) {
    if (!(error instanceof BuildInfoError)) throw error
    const message = `${error.message}: compile again or name another folder with --abi`
    if (abi !== undefined) throw new StockError('INVALID_INPUT', message)
    note(message)
    return []
  }
}

/**
 * The contracts of the folder of `--abi` at each call; they are read again when the build information changed.
 *
 * @returns none without a folder, or before it has build information; throws as `builtContracts`
 */
export function currentContracts(abi: string | undefined): () => Promise<readonly SolidityContract[]> {
  let known: { readonly version: string; readonly contracts: readonly SolidityContract[] } | undefined
  return async () => {
    const version = abi === undefined ? undefined : await buildInfoVersion(abi)
    if (version === undefined) return []
    if (known?.version !== version) known = { version, contracts: builtContracts(abi, () => undefined) }
    return known.contracts
  }
}
