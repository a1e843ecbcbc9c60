// The node under test is at NODE_URL. Everything comes from npm: the compiler is the package `solc`.
require('@nomicfoundation/hardhat-chai-matchers')
require('@nomicfoundation/hardhat-ethers')
require('@openzeppelin/hardhat-upgrades')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { subtask } = require('hardhat/config')
const solc = require('solc')

const VERSION = '0.8.37'

// Replaces the download of a native compiler.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }, _, runSuper) => {
  if (solcVersion !== VERSION) return runSuper()
  return {
    compilerPath: require.resolve('solc/soljson.js'),
    isSolcJs: true,
    version: solcVersion,
    longVersion: solc.version().replace('.Emscripten.clang', ''),
  }
})

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: { version: VERSION, settings: { evmVersion: 'prague', optimizer: { enabled: true, runs: 200 } } },
  networks: {
    // What `npm run node` starts.
    hardhat: { hardfork: 'prague', accounts: { count: 10 } },
    node: { url: process.env.NODE_URL ?? 'http://127.0.0.1:8545', chainId: 31_337 },
  },
  mocha: { timeout: 60_000 },
}
