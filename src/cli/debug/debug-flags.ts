import { flag, type ValuesOf } from '../../flags/flag.ts'
import { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'

const ofCall = (value: string, description: string) =>
  flag<string | undefined>({ value, description, fallback: undefined, shown: 'none' })

/** Flags of `tickertape debug`. */
export const DEBUG_FLAGS = {
  call: ofCall('json', 'debug a call that is not sent, as an object of eth_call'),
  to: ofCall('address', 'address to call; with --data and --from an alternative to --call'),
  data: ofCall('hex', 'input of the call'),
  from: ofCall('address', 'sender of the call'),
  block: flag<string | undefined>({
    value: 'block',
    description: 'block after which the call runs: latest, pending, a number or a hash',
    fallback: undefined,
    shown: 'latest',
  }),
  abi: flag<string | undefined>({
    value: 'folder',
    description: 'folder with build-info of the project: artifacts of Hardhat, or out of forge build --build-info',
    fallback: undefined,
    shown: 'artifacts, or out; the node has verified sources as well',
  }),
  ...STOCK_NODE_FLAGS,
  requestTimeoutMs: { ...STOCK_NODE_FLAGS.requestTimeoutMs, fallback: 60_000 },
}

export type DebugOptions = ValuesOf<typeof DEBUG_FLAGS>
