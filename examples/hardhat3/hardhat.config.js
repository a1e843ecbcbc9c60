import { fileURLToPath } from 'node:url'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  // The compiler is the package `solc`. Without the optimizer, coverage has the runs of each line.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
  networks: {
    tickertape: { type: 'http', chainType: 'l1', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
})
