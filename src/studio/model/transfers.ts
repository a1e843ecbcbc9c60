import { bigintOf } from '../../live/amount.ts'
import { TRANSFER_TOPIC } from '../../primitives/stocks/transfer-event.ts'

/** A transfer of tokens or ether that a transaction made. */
export interface TokenTransfer {
  /** Token contract; `undefined` for ether. */
  readonly token: string | undefined
  readonly from: string
  readonly to: string
  /** Base units; `undefined` for a unique token. */
  readonly amount: bigint | undefined
  readonly tokenId: bigint | undefined
}

interface LogLike {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const WORD = 64

/** Transfers by the events of ERC-20, ERC-721 and ERC-1155 (single ones). */
export function tokenTransfers(logs: readonly LogLike[]): readonly TokenTransfer[] {
  return logs.flatMap(({ address, topics, data }) => {
    const [topic, first, second, third] = topics
    if (topic === TRANSFER_TOPIC && first !== undefined && second !== undefined) {
      const parties = { token: address, from: addressOf(first), to: addressOf(second) }
      if (third !== undefined) return [{ ...parties, amount: undefined, tokenId: bigintOf(third) }]
      const amount = wordAt(data, 0)
      return amount === undefined ? [] : [{ ...parties, amount, tokenId: undefined }]
    }
    if (topic === TRANSFER_SINGLE && second !== undefined && third !== undefined) {
      const parties = { token: address, from: addressOf(second), to: addressOf(third) }
      return [{ ...parties, tokenId: wordAt(data, 0), amount: wordAt(data, 1) }]
    }
    return []
  })
}

function addressOf(topic: string): string {
  return `0x${topic.slice(-40)}`
}

function wordAt(data: string, position: number): bigint | undefined {
  const start = 2 + position * WORD
  return data.length < start + WORD ? undefined : bigintOf(`0x${data.slice(start, start + WORD)}`)
}
