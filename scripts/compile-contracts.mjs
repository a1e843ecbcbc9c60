// Compiles contracts/*.sol into src/chain/predeploys/*.json.
//   node scripts/compile-contracts.mjs          writes the files
//   node scripts/compile-contracts.mjs --check  writes nothing, exits 1 when a file is not what its source compiles to
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** By source without its ending, named like the contract in it. */
const ARTIFACTS = {
  L2ToL1MessagePasser: 'l2-to-l1-message-passer.json',
  'stock/StockFactory': 'stock-factory.json',
  'stock/StockProxy': 'stock-proxy.json',
  'stock/StockToken': 'stock-token.json',
  WETH9: 'weth9.json',
}

const SETTINGS = {
  evmVersion: 'prague',
  optimizer: { enabled: true, runs: 200 },
  // The bytes must depend on the code alone, not on comments and file names.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'] } },
}

const read = (file) => readFileSync(join(root, 'contracts', file), 'utf8')

function findImport(file) {
  try {
    return { contents: read(file) }
  } catch (error) {
    return { error: error.message }
  }
}

function compile(path) {
  const file = `${path}.sol`
  const name = basename(path)
  const input = { language: 'Solidity', sources: { [file]: { content: read(file) } }, settings: SETTINGS }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }))
  if (output.errors?.length > 0) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  const { abi, evm, storageLayout } = output.contracts[file][name]
  return {
    name,
    compiler: solc.version(),
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
    storageLayout: storageLayout.storage.map(({ label, slot, offset, type }) => ({ label, slot, offset, type })),
  }
}

const check = process.argv.includes('--check')
for (const [source, file] of Object.entries(ARTIFACTS)) {
  const path = join(root, 'src/chain/predeploys', file)
  const text = `${JSON.stringify(compile(source), null, 2)}\n`
  if (!check) {
    writeFileSync(path, text)
    console.log(`wrote ${file}`)
  } else if (readFileSync(path, 'utf8') === text) {
    console.log(`same bytes: ${file}`)
  } else {
    console.error(`${file} differs from contracts/${source}.sol: run node scripts/compile-contracts.mjs`)
    process.exitCode = 1
  }
}
