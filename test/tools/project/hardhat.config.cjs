// The node under test is at NODE_URL. Everything comes from npm: the compiler is the package `solc`.
require('@nomicfoundation/hardhat-ethers')
require('@nomicfoundation/hardhat-ignition-ethers')
require('@nomicfoundation/hardhat-verify')
require('@openzeppelin/hardhat-upgrades')
require('hardhat-deploy')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { subtask } = require('hardhat/config')
const solc = require('solc')

const VERSION = '0.8.37'
/** Without the query of JSON-RPC. */
const NODE = (process.env.NODE_URL ?? '').replace(/\/?\?.*$/, '')

// Replaces the download of a native compiler.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: VERSION,
  longVersion: solc.version().replace('.Emscripten.clang', ''),
}))

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: { version: VERSION, settings: { evmVersion: 'prague', optimizer: { enabled: true, runs: 200 } } },
  etherscan: {
    apiKey: { node: 'any' },
    customChains: [
      {
        network: 'node',
        chainId: 31_337,
        urls: { apiURL: `${NODE}/verify/etherscan/api`, browserURL: NODE },
      },
    ],
  },
  namedAccounts: { deployer: 0, user: 1 },
  networks: {
    node: {
      url: process.env.NODE_URL,
      accounts: { mnemonic: 'test test test test test test test test test test test junk' },
    },
  },
}
