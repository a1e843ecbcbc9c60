import { DEVELOPMENT_MNEMONIC, DEVELOPMENT_PATH } from '../chain/accounts/development-accounts.ts'
import { MIN_GAS_LIMIT } from '../chain/block/gas-limit.ts'
import { UNLIMITED_CODE_SIZE } from '../chain/constants.ts'
import { PROFILE_NAMES, type ProfileName } from '../chain/forks/chain-profile.ts'
import { IMPORTED_UPGRADES, type ImportedUpgrade, NETWORK_FORKS, NETWORK_UPGRADES } from '../chain/genesis/networks.ts'
import { DEFAULT_DEMO_STOCK_SET, DEMO_STOCK_SETS, type DemoStockSet } from '../chain/predeploys/demo-stocks.ts'
import { FLASHBLOCKS_SCHEDULE, type Hardfork } from '../chain/profiles/profiles.ts'
import { MAX_TIMESTAMP } from '../node/development/timestamp-refusal.ts'
import { MAX_UINT64 } from '../primitives/quantity.ts'
import { COMPATS, type Compat } from '../rpc/compat/compat.ts'
import { FlagValueError, flag } from './flag.ts'
import { bigInteger, integer, share } from './values.ts'

export const SCHEDULE_FLAGS = {
  blockTime: flag<number>({
    value: 'ms',
    description: 'milliseconds between blocks; whole seconds',
    parse: blockTime,
    fallback: FLASHBLOCKS_SCHEDULE.blockTimeMs,
  }),
  flashblockInterval: flag<number>({
    value: 'ms',
    description: 'milliseconds between flashblocks',
    parse: integer(10, 3_600_000),
    fallback: FLASHBLOCKS_SCHEDULE.flashblockIntervalMs,
  }),
  timeBudget: flag<number>({
    value: 'share',
    description: 'share of an interval that execution may use',
    parse: share,
    fallback: 0.6,
  }),
  maxClockJumpMs: flag<number>({
    value: 'ms',
    description:
      'longest jump forward of the system clock that blocks follow; a failover node whose clock differs by more from that of the NATS servers does not lead',
    parse: integer(1),
    fallback: 3_000,
  }),
  standStill: flag<boolean>({
    description: 'build no blocks; sent transactions stay in the pool',
    fallback: false,
  }),
  finalityDepth: flag<number | undefined>({
    value: 'blocks',
    description: 'blocks between latest and finalized; on a chain with Denim the time of as many Denim blocks',
    parse: integer(0),
    fallback: undefined,
    shown: '64; with --profile denim 640, which takes as long',
  }),
}

/** Values that determine block 0 and the forks. A data directory can be opened only with those it was created with. */
export const GENESIS_FLAGS = {
  genesis: flag<string | undefined>({
    value: 'file',
    description:
      "genesis and rules of the main network, in go-ethereum's format; a file without config.optimism defines a layer-1 chain",
    fallback: undefined,
    shown: 'built in',
  }),
  profile: flag<ProfileName | undefined>({
    value: 'name',
    description: 'kind of chain and responses, see `tickertape profile show` and docs/profiles.md',
    choices: PROFILE_NAMES,
    fallback: undefined,
    shown: 'flashblocks; with --dialect ethereum: ethereum',
  }),
  compat: flag<Compat | undefined>({
    value: 'node',
    description:
      'reproduce Anvil, Hardhat 2 (hardhat) or Hardhat 3 (hardhat3): their chain parameters as defaults of the following flags, no contracts of layer 2 and no demonstration stocks, and their errors and results where they differ, in all namespaces',
    choices: COMPATS,
    fallback: undefined,
    shown: "errors and results of the node of the method's namespace; of go-ethereum for eth_",
  }),
  gasLimit: flag<bigint | undefined>({
    value: 'gas',
    description: 'gas limit of a block; on a layer-1 chain the target that it moves towards',
    parse: bigInteger(MIN_GAS_LIMIT, MAX_UINT64 / 2n),
    fallback: undefined,
    shown: '400000000; denim: 40000000, anvil: 30000000, hardhat and hardhat3: 60000000',
  }),
  minBaseFee: flag<bigint | undefined>({
    value: 'wei',
    description: 'minimum base fee',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: undefined,
    shown: '5000000; with --compat 0',
  }),
  elasticity: flag<number | undefined>({
    value: 'n',
    description: 'gas limit divided by gas target (EIP-1559)',
    parse: integer(1, 0xffffffff),
    fallback: undefined,
    shown: '5; with --compat 2',
  }),
  denominator: flag<number | undefined>({
    value: 'n',
    description: 'base fee change denominator (EIP-1559)',
    parse: integer(1, 0xffffffff),
    fallback: undefined,
    shown: '100; with --profile denim 1000, with --compat 8',
  }),
  chainId: flag<bigint | undefined>({
    value: 'id',
    description: 'chain id of the main network; the test network has the next one',
    parse: bigInteger(1n, MAX_UINT64 / 2n - 36n),
    fallback: undefined,
    shown: '31337',
  }),
  hardfork: flag<Hardfork | ImportedUpgrade | 'latest' | undefined>({
    value: 'name',
    description:
      'newest fork that is active, from block 0; with --profile op an upgrade, ecotone to cobalt; denim chooses --profile denim',
    choices: [...NETWORK_FORKS, ...IMPORTED_UPGRADES, ...NETWORK_UPGRADES, 'denim', 'latest'],
    fallback: undefined,
    shown: 'osaka; with --profile op karst, with --compat anvil bpo1',
  }),
  systemTransactions: flag<boolean | undefined>({
    description:
      'begin blocks with system transactions: turns the profile flashblocks into op; --no-system-transactions states the default of flashblocks',
    isNegatable: true,
    fallback: undefined,
    shown: 'those of the profile',
  }),
  denimAfter: flag<bigint>({
    value: 'seconds',
    description:
      'with --profile denim: seconds from block 0 to the activation of Denim; before, blocks come every 2 s with flashblocks',
    parse: bigInteger(0n, 2n ** 32n),
    fallback: 0n,
  }),
  transactionGasCap: flag<bigint | undefined>({
    value: 'gas',
    description: 'maximum gas limit of a transaction (EIP-7825); 0: that of the block',
    parse: bigInteger(0n, MAX_UINT64 / 2n),
    fallback: undefined,
    shown: '16777216; with --compat anvil 0, with hardhat 0 unless --hardfork names a fork with the cap',
  }),
  codeSizeLimit: flag<number | undefined>({
    value: 'bytes',
    description: 'maximum size of code; initcode may be twice as large (EIP-170, EIP-3860)',
    parse: integer(1, UNLIMITED_CODE_SIZE),
    fallback: undefined,
    shown: '24576',
  }),
  disableCodeSizeLimit: flag<boolean>({
    description: 'allow code of any size, whatever --code-size-limit is',
    fallback: false,
  }),
  baseFee: flag<bigint | undefined>({
    value: 'wei',
    description: 'base fee of block 0; later ones are not below --min-base-fee',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: undefined,
    shown: 'that of --min-base-fee; with --compat 1000000000',
  }),
  accounts: flag<number>({
    value: 'n',
    description: 'accounts with funds whose keys the node has',
    parse: integer(0, 1_000),
    fallback: 10,
  }),
  balance: flag<bigint>({
    value: 'ether',
    description: 'ether of each of these accounts in block 0',
    parse: bigInteger(0n, 10n ** 18n),
    fallback: 10_000n,
  }),
  mnemonic: flag<string>({
    value: 'phrase',
    description: 'BIP-39 phrase of their keys',
    isSecret: true,
    fallback: DEVELOPMENT_MNEMONIC,
  }),
  derivationPath: flag<string>({
    value: 'path',
    description: 'BIP-32 path of their keys; account i has this path with i appended',
    fallback: DEVELOPMENT_PATH,
  }),
  demoStocks: flag<DemoStockSet>({
    value: 'set',
    description:
      'demonstration stocks of block 0; v1 opens data directories of versions that had no other set: other decimals, no oracle registry and no market',
    choices: DEMO_STOCK_SETS,
    fallback: DEFAULT_DEMO_STOCK_SET,
  }),
  timestamp: flag<bigint | undefined>({
    value: 'seconds',
    description: 'Unix time of block 0; chain time continues from there',
    parse: bigInteger(0n, MAX_TIMESTAMP),
    fallback: undefined,
    shown: '2025-01-01, or with --compat and --ephemeral the time of the start; chain time is that of the computer',
  }),
}

const blockTimeMs = integer(1_000, 3_600_000)

/** Anvil's flag of this name takes seconds. */
function blockTime(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) >= 1_000) return blockTimeMs(text)
  throw new FlagValueError(
    `at least 1000 milliseconds are required; for a block every ${text} s --mining interval=${text}.`,
  )
}
