// The chain of `npm run bench -- rpc`: no gas cap per transaction, blocks on request unless BENCH_AUTOMINE is 1.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scratch = process.env.BENCH_SCRATCH ?? join(tmpdir(), 'tickertape-bench-hardhat')

export default {
  networks: {
    node: {
      type: 'edr-simulated',
      chainType: 'l1',
      chainId: 31_337,
      hardfork: 'prague',
      blockGasLimit: Number(process.env.BENCH_GAS_LIMIT ?? 30_000_000),
      transactionGasCap: false,
      mining: { auto: process.env.BENCH_AUTOMINE === '1', interval: 0 },
    },
  },
  paths: { artifacts: join(scratch, 'artifacts'), cache: join(scratch, 'cache') },
}
