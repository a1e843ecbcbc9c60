import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { contractsOfBuildInfo, isBuildInfo } from '../../solidity/compiled/read-output.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { BuildInfoError, readBuildInfos } from './read-build-infos.ts'

export { BuildInfoError }

/** Where Hardhat and Foundry write artifacts, below the folder of a project. */
const FOLDERS = ['artifacts', 'out']

/** The folder of a project's artifacts that has build information; `undefined`: none has. */
export function projectFolder(named?: string): string | undefined {
  return (named === undefined ? FOLDERS : [named]).find((folder) => existsSync(join(folder, 'build-info')))
}

/**
 * All contracts in the build information below a folder, the newest first.
 *
 * @throws BuildInfoError
 */
export function projectContracts(folder: string): readonly SolidityContract[] {
  return [...readBuildInfos(folder)].flatMap((info) => {
    if (!isBuildInfo(info)) throw new BuildInfoError(info.path)
    return contractsOfBuildInfo(info)
  })
}

/** How tools name sources: Hardhat 3 puts `project` before those of a project, and `npm` before those of packages. */
const PROJECT_PREFIX = 'project/'
const DEPENDENCY = /^(?:@|npm\/|lib\/|node_modules\/)|\/node_modules\/|^hardhat\/|^forge-std\//

/** Whether a source belongs to a project itself, and not to a package that it uses. */
export function isProjectSource(path: string): boolean {
  return !DEPENDENCY.test(path)
}

/** The path of a source below the folder of its project. */
export function projectPath(path: string): string {
  return path.startsWith(PROJECT_PREFIX) ? path.slice(PROJECT_PREFIX.length) : path
}
