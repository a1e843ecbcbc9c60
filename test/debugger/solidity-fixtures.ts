import { readdirSync, readFileSync } from 'node:fs'
import solc from 'solc'
import { contractsOfOutput, type SolidityInput, type SolidityOutput } from '../../src/solidity/compiled/read-output.ts'
import type { SolidityContract, StorageLayout } from '../../src/solidity/compiled/solidity-contract.ts'

const FOLDER = new URL('./contracts/', import.meta.url)

/** Output that a debugger needs, for all contracts. */
export const DEBUG_OUTPUTS = {
  '*': {
    '': ['ast'],
    '*': ['abi', 'metadata', 'storageLayout', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'],
  },
} as const

export const FIXTURE_COMPILER_VERSION = /^[^+]+\+commit\.[0-9a-f]+/.exec(solc.version())![0]

/** Input and output of the compiler for the contracts of the debugger's tests. */
export interface FixtureBuild {
  readonly input: SolidityInput & { readonly language: 'Solidity' }
  readonly output: SolidityOutput
  readonly contracts: readonly SolidityContract[]
}

/**
 * Compiles `contracts/*.sol`.
 *
 * @param settings of the compiler, as `{ viaIR: true, optimizer: { enabled: true } }`
 */
export function fixtureBuild(settings: Readonly<Record<string, unknown>> = {}): FixtureBuild {
  const sources = Object.fromEntries(
    readdirSync(FOLDER).map((name) => [`src/${name}`, { content: readFileSync(new URL(name, FOLDER), 'utf8') }]),
  )
  return builtFrom(sources, settings)
}

/** Contracts of sources by path. */
export function compiledContracts(sources: Readonly<Record<string, string>>): readonly SolidityContract[] {
  const files = Object.entries(sources).map(([path, text]) => {
    return [path, { content: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n${text}` }] as const
  })
  return builtFrom(Object.fromEntries(files), {}).contracts
}

function builtFrom(sources: SolidityInput['sources'], settings: Readonly<Record<string, unknown>>): FixtureBuild {
  const input = {
    language: 'Solidity',
    sources,
    settings: { evmVersion: 'prague', outputSelection: DEBUG_OUTPUTS, ...settings },
  } as const
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter(({ severity }: { readonly severity: string }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors[0].formattedMessage)
  return { input, output, contracts: contractsOfOutput(input, output, FIXTURE_COMPILER_VERSION) }
}

/** A contract of a build by its name. */
export function fixtureContract({ contracts }: FixtureBuild, name: string): SolidityContract {
  const found = contracts.find(({ facts }) => facts.name === name)
  if (found === undefined) throw new Error(`there is no contract ${name} in the fixtures`)
  return found
}

/** The storage layout of a contract with these declarations. */
export function compiledStorage(declarations: string): StorageLayout {
  const content = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract Stored {${declarations}}`
  const settings = { outputSelection: { '*': { '*': ['storageLayout'] } } }
  const input = { language: 'Solidity', sources: { 'Stored.sol': { content } }, settings }
  return JSON.parse(solc.compile(JSON.stringify(input))).contracts['Stored.sol'].Stored.storageLayout
}
