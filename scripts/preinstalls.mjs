// Adds the preinstalls of OP-stack chains that are not literals in a package to src/chain/predeploys/preinstalls.json.
// node scripts/preinstalls.mjs BEDROCK ENTRY_POINT IGNITION, folders of these npm packages:
//   @eth-optimism/contracts-bedrock 0.17.3: runtime code in src/libraries/Preinstalls.sol
//   @account-abstraction/contracts 0.7.0: EntryPoint, whose constructor deploys its SenderCreator
//   @nomicfoundation/ignition-core 3.1.9: the signed transaction that deploys CreateX on every chain
// The deployments run on a node of this project, since both contracts store their own address in their code.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseTransaction } from 'viem'
import { createNode } from '../dist/bundle/index.js'

const TARGET = fileURLToPath(new URL('../src/chain/predeploys/preinstalls.json', import.meta.url))
const LITERALS = {
  safe: 'Safe_v130Code',
  safeL2: 'SafeL2_v130Code',
  multiSend: 'MultiSend_v130Code',
  multiSendCallOnly: 'MultiSendCallOnly_v130Code',
  entryPoint06: 'EntryPointCode',
  senderCreator06: 'SenderCreatorCode',
}
const DETERMINISTIC_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const ENTRY_POINT_07 = '0x0000000071727de22e5e9d8baf0edac6f37da032'
const ENTRY_POINT_07_SALT = '90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3'
const SENDER_CREATOR_07 = '0xefc2c1444ebcc4db75e7613d20c6a62ff67a167c'
const CREATE_X = '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed'
const CREATE_X_DEPLOYER = '0xed456e05caab11d66c4c797dd6c1d6f9a7f352b5'

const [bedrock, entryPoint, ignition] = process.argv.slice(2)
const solidity = readFileSync(join(bedrock, 'src/libraries/Preinstalls.sol'), 'utf8')
const literal = (name) => `0x${new RegExp(`${name} =\\s+hex"([0-9a-f]+)"`).exec(solidity)[1]}`
const { bytecode } = JSON.parse(readFileSync(join(entryPoint, 'artifacts/EntryPoint.json'), 'utf8'))
const createX = await import(
  pathToFileURL(join(ignition, 'dist/src/internal/execution/strategy/createx-artifact.js')).href
)

const node = await createNode({ compat: 'anvil', mining: 'auto' })
const call = (method, ...params) => node.request({ method, params })
await call('anvil_setBalance', CREATE_X_DEPLOYER, '0xde0b6b3a7640000')
// The node refuses transactions without replay protection: its content is sent on behalf of the signer.
await call('anvil_impersonateAccount', CREATE_X_DEPLOYER)
const { data: initCode } = parseTransaction(createX.presignedTx)
await call('eth_sendTransaction', { from: CREATE_X_DEPLOYER, data: initCode, gas: '0x2dc6c0' })
const from = node.accounts[0].address
const data = `0x${ENTRY_POINT_07_SALT}${bytecode.slice(2)}`
await call('eth_sendTransaction', { from, to: DETERMINISTIC_PROXY, data, gas: '0xe4e1c0' })
const codeAt = (address) => call('eth_getCode', address, 'latest')
const deployed = {
  createX: await codeAt(CREATE_X),
  entryPoint07: await codeAt(ENTRY_POINT_07),
  senderCreator07: await codeAt(SENDER_CREATOR_07),
}
await node.close()
const code = {
  ...JSON.parse(readFileSync(TARGET, 'utf8')),
  ...Object.fromEntries(Object.entries(LITERALS).map(([key, name]) => [key, literal(name)])),
  ...deployed,
}
writeFileSync(TARGET, `${JSON.stringify(code, null, 2)}\n`)
for (const [name, hex] of Object.entries(code)) console.log(name, (hex.length - 2) / 2)
