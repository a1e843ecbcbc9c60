// Compiles `contracts/` with solc from npm, once per run.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import type { TestProject } from 'vitest/node'

const require = createRequire(import.meta.url)
const solc = require('solc')
const folder = new URL('../contracts/', import.meta.url)

export interface Contract {
  abi: Abi
  bytecode: Hex
  runtime: Hex
}

declare module 'vitest' {
  interface ProvidedContext {
    contracts: Record<string, Contract>
  }
}

export default function setup(project: TestProject) {
  const files = readdirSync(folder)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: readFileSync(new URL(file, folder), 'utf8') }])),
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const find = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }))
  const errors = output.errors?.filter(({ severity }: { severity: string }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors[0].formattedMessage)
  const contracts: Record<string, Contract> = {}
  for (const file of files) {
    const name = file.replace('.sol', '')
    const { abi, evm } = output.contracts[file][name]
    contracts[name] = { abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
  }
  project.provide('contracts', contracts)
}
