// Compiles contracts/DemoToken.sol, as a developer on the chain would.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'

const require = createRequire(import.meta.url)

/** @returns {{ abi: object[], bytecode: `0x${string}`, deployedBytecode: `0x${string}` }} */
export function compileToken() {
  const content = readFileSync(new URL('./contracts/DemoToken.sol', import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { 'DemoToken.sol': { content } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: {
        'DemoToken.sol': { DemoToken: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }))
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const { abi, evm } = output.contracts['DemoToken.sol'].DemoToken
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
  }
}

function findImport(path) {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') }
  } catch (error) {
    return { error: error.message }
  }
}
