import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'

const require = createRequire(import.meta.url)
const inFolder = (file) => new URL(`../contracts/${file}`, import.meta.url)

/**
 * Compiles a contract of `bench/contracts` for Prague, optimised. The contract has the name of its file.
 *
 * @returns ABI and bytecodes (as Buffers)
 */
export function compile(name) {
  const file = `${name}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(inFolder(file), 'utf8') } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const find = (path) => ({
    contents: readFileSync(existsSync(inFolder(path)) ? inFolder(path) : require.resolve(path), 'utf8'),
  })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }))
  const contract = output.contracts?.[file]?.[name]
  if (contract === undefined) throw new Error(`${file}: ${output.errors?.[0]?.formattedMessage ?? 'no contract'}`)
  return {
    abi: contract.abi,
    init: Buffer.from(contract.evm.bytecode.object, 'hex'),
    runtime: Buffer.from(contract.evm.deployedBytecode.object, 'hex'),
  }
}
