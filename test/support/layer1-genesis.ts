import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { CONSOLIDATION_REQUESTS_ADDRESS, WITHDRAWAL_REQUESTS_ADDRESS } from '../../src/chain/constants.ts'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'
import { parseGenesis } from '../../src/chain/genesis/genesis-codec.ts'
import { CHAIN_ID } from './transfers.ts'

/** A layer-1 chain with the Osaka rules from its beginning and the development accounts on it. */
export function layer1Genesis(): Genesis {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
  const times = ['shanghai', 'cancun', 'prague', 'osaka']
  const schedule = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
  return parseGenesis({
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries([...blocks, 'berlin', 'london'].map((name) => [`${name}Block`, 0])),
      ...Object.fromEntries(times.map((name) => [`${name}Time`, 0])),
      terminalTotalDifficulty: 0,
      blobSchedule: { cancun: { ...schedule, target: 3, max: 6 }, prague: schedule, osaka: schedule },
    },
    gasLimit: '0x3938700',
    difficulty: '0x0',
    timestamp: '0x67748580',
    alloc: {
      ...Object.fromEntries(DEVELOPMENT_ACCOUNTS.map(({ address }) => [address, { balance: '0x21e19e0c9bab2400000' }])),
      // Empty system contracts: a block without them would be invalid.
      [WITHDRAWAL_REQUESTS_ADDRESS]: { code: '0x00', nonce: '0x1' },
      [CONSOLIDATION_REQUESTS_ADDRESS]: { code: '0x00', nonce: '0x1' },
    },
  })
}
