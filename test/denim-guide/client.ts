import { createPublicClient, defineBlock, defineChain, formatBlock, type Hex, http, type RpcBlock } from 'viem'

export const denim = defineChain({
  id: 31337,
  name: 'Tickertape with Denim',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
  blockTime: 200,
  formatters: {
    block: defineBlock({
      // Blocks before Denim have no milliseconds.
      format: (block: RpcBlock & { timestampMs?: Hex }) => ({
        ...formatBlock(block),
        timestampMs: block.timestampMs === undefined ? undefined : BigInt(block.timestampMs),
      }),
    }),
  },
})

export function denimClient(url: string) {
  // viem derives at least 500 ms from `blockTime`, two and a half blocks.
  return createPublicClient({ chain: denim, transport: http(url), pollingInterval: denim.blockTime / 2 })
}

/** Five blocks share a timestamp: their numbers order them. */
export function byHeight(a: { number: bigint }, b: { number: bigint }): number {
  return a.number < b.number ? -1 : Number(a.number > b.number)
}
