// The node under test is at NODE_URL, and its chain is CHAIN_ID. The compiler is SOLC_PATH, of the package `solc`.
import verify from '@nomicfoundation/hardhat-verify'
import { defineConfig } from 'hardhat/config'

const { NODE_URL: url, CHAIN_ID: chainId, SOLC_PATH: path } = process.env
const explorer = { name: 'Tickertape', url: `${url}/studio`, apiUrl: `${url}/verify/etherscan/api` }

export default defineConfig({
  plugins: [verify],
  solidity: {
    version: '0.8.37',
    path,
    settings: { evmVersion: 'prague', optimizer: { enabled: true, runs: 200 } },
  },
  networks: { tickertape: { type: 'http', chainType: 'l1', url } },
  chainDescriptors: {
    [chainId]: { name: 'Tickertape', blockExplorers: { etherscan: explorer, blockscout: explorer } },
  },
  verify: { etherscan: { apiKey: 'any' }, sourcify: { apiUrl: `${url}/verify/sourcify` } },
})
