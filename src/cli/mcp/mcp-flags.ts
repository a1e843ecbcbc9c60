import { flag } from '../../flags/flag.ts'
import { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'

const { rpcUrl, requestTimeoutMs } = STOCK_NODE_FLAGS

/** Flags of `tickertape mcp`. */
export const MCP_FLAGS = {
  rpcUrl,
  requestTimeoutMs,
  allowWrites: flag<boolean>({
    description: 'offer the tools that send transactions or change a development node, too',
    fallback: false,
  }),
  abi: flag<string | undefined>({
    value: 'folder',
    description:
      'folder with compiled contracts, out of Foundry or artifacts of Hardhat, for names of functions and errors',
    fallback: undefined,
    shown: 'none; verified sources of the node are always used',
  }),
}
