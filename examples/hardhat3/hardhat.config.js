import { defineConfig } from 'hardhat/config'

export default defineConfig({
  networks: {
    tickertape: { type: 'http', chainType: 'l1', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
})
