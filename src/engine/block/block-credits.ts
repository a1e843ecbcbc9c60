import type { Withdrawal } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import { blockReward } from '../../chain/fees/block-reward.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import type { Address } from '../../primitives/hex.ts'
import { credited, EMPTY_ACCOUNT } from '../../state/account.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** Wei credited to an account by the protocol. */
export interface Credit {
  readonly address: Address
  readonly wei: bigint
}

const WEI_PER_GWEI = 1_000_000_000n

/** EIP-4895 */
export function withdrawalCredits(withdrawals: readonly Withdrawal[]): readonly Credit[] {
  return withdrawals.map(({ address, amount }) => ({ address, wei: amount * WEI_PER_GWEI }))
}

/** Rewards of a proof-of-work block and its uncles (Yellow Paper, 11.3); none from Paris on. */
export function rewardCredits(
  header: Pick<Header, 'number' | 'miner'>,
  uncles: readonly Pick<Header, 'number' | 'miner'>[],
  fork: Fork,
): readonly Credit[] {
  const reward = blockReward(fork)
  const credits = uncles.map(({ number, miner }) => ({
    address: miner,
    wei: (reward * BigInt(8 - (header.number - number))) / 8n,
  }))
  return [...credits, { address: header.miner, wei: reward + (reward / 32n) * BigInt(uncles.length) }]
}

/** The credits as a diff on `state`; zero credits touch no account. */
export function creditDiff(credits: readonly Credit[], state: StateReader): StateDiff {
  if (credits.every(({ wei }) => wei === 0n)) return emptyDiff()
  const accounts = new Map<Address, AccountChange>()
  for (const { address, wei } of credits) {
    if (wei === 0n) continue
    const before = accounts.get(address)?.account ?? state.account(address) ?? EMPTY_ACCOUNT
    accounts.set(address, { account: { ...before, balance: credited(before.balance, wei) }, storageCleared: false })
  }
  return { accounts, storage: new Map(), code: new Map() }
}
