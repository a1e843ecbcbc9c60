// Compiles contracts/*.sol and the contracts of tests into JSON next to the code that uses it. The studio and
// `tickertape watch` take names from the file with the ABIs of all contracts in contracts/, which it writes as well.
//   node scripts/compile-contracts.mjs          writes the files
//   node scripts/compile-contracts.mjs --check  writes nothing; exits with 1 if a file differs from its source
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const PREDEPLOYS = 'src/chain/predeploys'
const OP_STACK = `${PREDEPLOYS}/op-stack`
const B20 = 'src/chain/b20'
/**
 * `source`: path in the folder without extension; its base name is the name of the contract. `isNative`: the node runs
 * the code itself, so that only the deployed bytecode is needed, with the places of its immutables.
 */
const ARTIFACTS = [
  { folder: 'contracts', source: 'BatchExecutor', output: 'src/rpc/wallet/batch-executor.json' },
  { folder: 'contracts', source: 'b20/ActivationRegistry', output: `${B20}/activation-registry.json`, isNative: true },
  { folder: 'contracts', source: 'b20/B20Asset', output: `${B20}/b20-asset.json`, isNative: true },
  { folder: 'contracts', source: 'b20/B20Factory', output: `${B20}/b20-factory.json`, isNative: true },
  { folder: 'contracts', source: 'b20/B20Stablecoin', output: `${B20}/b20-stablecoin.json`, isNative: true },
  { folder: 'contracts', source: 'b20/PolicyRegistry', output: `${B20}/policy-registry.json`, isNative: true },
  { folder: 'contracts', source: 'L2ToL1MessagePasser', output: `${PREDEPLOYS}/l2-to-l1-message-passer.json` },
  { folder: 'contracts', source: 'op-stack/BaseTime', output: `${OP_STACK}/base-time.json` },
  { folder: 'contracts', source: 'op-stack/GasPriceOracle', output: `${OP_STACK}/gas-price-oracle.json` },
  { folder: 'contracts', source: 'op-stack/L1Block', output: `${OP_STACK}/l1-block.json` },
  { folder: 'contracts', source: 'op-stack/PredeployProxy', output: `${OP_STACK}/predeploy-proxy.json` },
  { folder: 'contracts', source: 'op-stack/FeeVault', output: `${OP_STACK}/fee-vault.json` },
  { folder: 'contracts', source: 'op-stack/SequencerFeeVault', output: `${OP_STACK}/sequencer-fee-vault.json` },
  { folder: 'contracts', source: 'op-stack/L1BlockNumber', output: `${OP_STACK}/l1-block-number.json` },
  {
    folder: 'contracts',
    source: 'op-stack/L2CrossDomainMessenger',
    output: `${OP_STACK}/l2-cross-domain-messenger.json`,
  },
  { folder: 'contracts', source: 'op-stack/L2ToL1MessagePasser', output: `${OP_STACK}/l2-to-l1-message-passer.json` },
  { folder: 'contracts', source: 'op-stack/L2StandardBridge', output: `${OP_STACK}/l2-standard-bridge.json` },
  { folder: 'contracts', source: 'op-stack/OperatorFeeVault', output: `${OP_STACK}/operator-fee-vault.json` },
  { folder: 'contracts', source: 'op-stack/ProxyAdmin', output: `${OP_STACK}/proxy-admin.json` },
  { folder: 'contracts', source: 'op-stack/WETH', output: `${OP_STACK}/weth.json` },
  { folder: 'contracts', source: 'stock/OracleRegistry', output: `${PREDEPLOYS}/oracle-registry.json` },
  { folder: 'contracts', source: 'stock/PriceFeed', output: `${PREDEPLOYS}/price-feed.json` },
  { folder: 'contracts', source: 'stock/StockFactory', output: `${PREDEPLOYS}/stock-factory.json` },
  { folder: 'contracts', source: 'stock/StockMarket', output: `${PREDEPLOYS}/stock-market.json` },
  { folder: 'contracts', source: 'stock/StockProxy', output: `${PREDEPLOYS}/stock-proxy.json` },
  { folder: 'contracts', source: 'stock/StockToken', output: `${PREDEPLOYS}/stock-token.json` },
  { folder: 'contracts', source: 'WETH9', output: `${PREDEPLOYS}/weth9.json` },
  { folder: 'test/clients/contracts', source: 'Ledger', output: 'test/clients/contracts/ledger.json' },
]

/** The ABI of every contract of contracts/, as signatures that viem's `parseAbi` and ethers' `Interface` read. */
const ABIS = 'src/live/names/contract-abis.json'

const SETTINGS = {
  evmVersion: 'prague',
  optimizer: { enabled: true, runs: 200 },
  // The bytecode must depend on the code only, not on comments and file names.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode', 'storageLayout'] } },
}

const read = (folder, file) => readFileSync(join(root, folder, file), 'utf8')

function compile({ folder, source, isNative = false }) {
  const file = `${source}.sol`
  const name = basename(source)
  const findImport = (imported) => {
    try {
      return { contents: read(folder, imported) }
    } catch (error) {
      return { error: error.message }
    }
  }
  const input = { language: 'Solidity', sources: { [file]: { content: read(folder, file) } }, settings: SETTINGS }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }))
  if (output.errors?.length > 0) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  const { abi, evm, storageLayout } = output.contracts[file][name]
  const deployedBytecode = `0x${evm.deployedBytecode.object}`
  if (isNative) {
    const immutables = Object.values(evm.deployedBytecode.immutableReferences).flat()
    return { name, compiler: solc.version(), abi, immutables, deployedBytecode }
  }
  return {
    name,
    compiler: solc.version(),
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode,
    storageLayout: storageLayout.storage.map(({ label, slot, offset, type }) => ({ label, slot, offset, type })),
  }
}

/** @example typeOf({ type: 'tuple[]', components: [{ type: 'bool', name: 'ok' }] }) // '(bool ok)[]' */
function typeOf({ type, components = [] }) {
  return type.startsWith('tuple') ? `(${parametersOf(components)})${type.slice('tuple'.length)}` : type
}

function parametersOf(parameters) {
  return parameters
    .map((parameter) =>
      [typeOf(parameter), parameter.indexed ? 'indexed' : '', parameter.name].filter(Boolean).join(' '),
    )
    .join(', ')
}

/** @returns the item as in `function balanceOf(address account) view returns (uint256)`; undefined without a name */
function signatureOf({ type, name, inputs, outputs = [], stateMutability = 'nonpayable' }) {
  if (!['function', 'event', 'error'].includes(type)) return undefined
  const mutability = stateMutability === 'nonpayable' ? '' : ` ${stateMutability}`
  const results = outputs.length === 0 ? '' : ` returns (${parametersOf(outputs)})`
  return `${type} ${name}(${parametersOf(inputs)})${mutability}${results}`
}

/** Adds a contract; two of one name, of chains with and without the OP stack, share their list. */
function addAbi(abis, { name, abi }) {
  const signatures = abi.flatMap((item) => signatureOf(item) ?? [])
  abis[name] = [...new Set([...(abis[name] ?? []), ...signatures])].sort()
}

const check = process.argv.includes('--check')

/** Writes a generated file, or with --check compares it. */
function keep(output, origin, text) {
  const path = join(root, output)
  if (!check) {
    writeFileSync(path, text)
    console.log(`wrote ${output}`)
  } else if (existsSync(path) && readFileSync(path, 'utf8') === text) {
    console.log(`same bytes: ${output}`)
  } else {
    console.error(`${output} differs from ${origin}: run node scripts/compile-contracts.mjs`)
    process.exitCode = 1
  }
}

const abis = {}
for (const artifact of ARTIFACTS) {
  const { folder, source, output } = artifact
  const compiled = compile(artifact)
  if (folder === 'contracts') addAbi(abis, compiled)
  keep(output, `${folder}/${source}.sol`, `${JSON.stringify(compiled, null, 2)}\n`)
}
const sorted = Object.fromEntries(Object.entries(abis).sort(([a], [b]) => (a < b ? -1 : 1)))
keep(ABIS, 'contracts/', `${JSON.stringify(sorted, null, 2)}\n`)
