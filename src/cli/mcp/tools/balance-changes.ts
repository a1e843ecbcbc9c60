import { TRANSFER_LOG_ADDRESS } from '../../../engine/simulate/simulated-calls.ts'
import { type Address, type Hex, isHexBytes, toAddress, ZERO_ADDRESS } from '../../../primitives/hex.ts'
import { TRANSFER_TOPIC } from '../../../primitives/stocks/transfer-event.ts'
import { wireObject } from '../../stock/chain/wire.ts'

/** A change of a balance. */
export interface BalanceChange {
  readonly address: Address
  /** `ETH`, or the address of an ERC-20 token. */
  readonly asset: string
  /** Wei or smallest units of the token. */
  readonly change: bigint
}

/**
 * Changes of balances by the transfers among the logs of a simulation, in the order of the first transfer.
 *
 * @returns `others`: the logs that contracts emitted, without those that stand for transfers of ether
 */
export function balanceChanges(logs: readonly unknown[]): {
  readonly changes: readonly BalanceChange[]
  readonly others: readonly unknown[]
} {
  const totals = new Map<string, BalanceChange>()
  const add = (address: Address, asset: string, amount: bigint) => {
    // Tokens are minted by and burned to the zero address.
    if (address === ZERO_ADDRESS) return
    const key = `${address} ${asset}`
    totals.set(key, { address, asset, change: (totals.get(key)?.change ?? 0n) + amount })
  }
  for (const log of logs) {
    const transfer = transferOf(log)
    if (transfer === undefined) continue
    add(transfer.from, transfer.asset, -transfer.amount)
    add(transfer.to, transfer.asset, transfer.amount)
  }
  const others = logs.filter((log) => wireObject(log, 'log').address !== TRANSFER_LOG_ADDRESS)
  return { changes: [...totals.values()].filter(({ change }) => change !== 0n), others }
}

interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly asset: string
  readonly amount: bigint
}

/** Transfers of an ERC-721 token have a fourth topic, and no amount. */
function transferOf(log: unknown): Transfer | undefined {
  const { address, topics, data } = wireObject(log, 'log')
  const [event, from, to, token] = Array.isArray(topics) ? (topics as readonly Hex[]) : []
  if (event !== TRANSFER_TOPIC || token !== undefined || !isHexBytes(data) || data.length !== 66) return undefined
  if (from === undefined || to === undefined) return undefined
  const asset = address === TRANSFER_LOG_ADDRESS ? 'ETH' : String(address)
  return { from: addressIn(from), to: addressIn(to), asset, amount: BigInt(data) }
}

function addressIn(topic: Hex): Address {
  return toAddress(`0x${topic.slice(26)}`)
}
