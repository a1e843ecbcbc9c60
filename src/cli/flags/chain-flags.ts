import { flag } from './flag.ts'
import { bigInteger, integer, share } from './values.ts'

const MAX_UINT64 = 2n ** 64n - 1n

export const SCHEDULE_FLAGS = {
  blockTime: flag<number>({
    value: 'ms',
    description: 'milliseconds from block to block, whole seconds',
    parse: integer(1_000, 3_600_000),
    fallback: 2_000,
  }),
  flashblockInterval: flag<number>({
    value: 'ms',
    description: 'milliseconds between flashblocks',
    parse: integer(10, 3_600_000),
    fallback: 200,
  }),
  timeBudget: flag<number>({
    value: 'share',
    description: 'share of an interval that executing may take',
    parse: share,
    fallback: 0.6,
  }),
  standStill: flag<boolean>({
    description: 'make no blocks: the chain ends where it is, and what is sent waits in the pool',
    fallback: false,
  }),
  finalityDepth: flag<number>({
    value: 'blocks',
    description: 'blocks between latest and finalized',
    parse: integer(0),
    fallback: 64,
  }),
}

/** What shapes block 0: a data directory can be opened only with the values that it was made with. */
export const GENESIS_FLAGS = {
  genesis: flag<string | undefined>({
    value: 'file',
    description:
      "block 0 and rules of the main network, in go-ethereum's format; without config.optimism it is a layer-1 chain",
    fallback: undefined,
    shown: 'its own',
  }),
  gasLimit: flag<bigint>({
    value: 'gas',
    description: 'gas of a block; of a layer-1 chain what it moves towards',
    parse: bigInteger(5_000n, MAX_UINT64 / 2n),
    fallback: 400_000_000n,
  }),
  minBaseFee: flag<bigint>({
    value: 'wei',
    description: 'floor of the base fee',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: 5_000_000n,
  }),
  elasticity: flag<number>({
    value: 'n',
    description: 'gas limit divided by gas target (EIP-1559)',
    parse: integer(1, 0xffffffff),
    fallback: 5,
  }),
  denominator: flag<number>({
    value: 'n',
    description: 'bounds how fast the base fee changes (EIP-1559)',
    parse: integer(1, 0xffffffff),
    fallback: 100,
  }),
}
