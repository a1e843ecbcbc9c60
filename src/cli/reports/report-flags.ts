import { FlagValueError, flag } from '../../flags/flag.ts'
import { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'

const RANGE_FLAGS = {
  fromBlock: flag<string | undefined>({
    value: 'block',
    description: 'first block, as a number or tag',
    parse: block,
    fallback: undefined,
    shown: 'tickertape_startReport, or block 1',
  }),
  toBlock: flag<string | undefined>({
    value: 'block',
    description: 'last block, as a number or tag',
    parse: block,
    fallback: undefined,
    shown: 'the pending block',
  }),
  abi: flag<string | undefined>({
    value: 'folder',
    description: 'folder with build-info of the project: artifacts of Hardhat, or out of forge build --build-info',
    fallback: undefined,
    shown: 'artifacts, or out',
  }),
}

/** A request that replays many transactions takes long. */
const NODE_FLAGS = { ...STOCK_NODE_FLAGS, requestTimeoutMs: { ...STOCK_NODE_FLAGS.requestTimeoutMs, fallback: 60_000 } }

/** Flags of `tickertape gas-report`. */
export const GAS_REPORT_FLAGS = { ...RANGE_FLAGS, ...NODE_FLAGS }

/** Flags of `tickertape coverage`. */
export const COVERAGE_FLAGS = {
  out: flag<string | undefined>({
    value: 'file',
    description: 'write a tracefile of LCOV',
    fallback: undefined,
    shown: 'none',
  }),
  failUnder: flag<number | undefined>({
    value: 'percent',
    description: 'end with exit code 1 if fewer lines ran',
    parse: percent,
    fallback: undefined,
    shown: 'no minimum',
  }),
  ...RANGE_FLAGS,
  ...NODE_FLAGS,
}

function percent(text: string): number {
  const value = Number(text)
  if (/^\d{1,3}(\.\d+)?$/.test(text) && value <= 100) return value
  throw new FlagValueError('a number from 0 to 100 is required.')
}

const TAGS = ['earliest', 'finalized', 'safe', 'latest', 'pending']

/** A block as JSON-RPC names it. */
function block(text: string): string {
  if (TAGS.includes(text)) return text
  if (/^(?:\d{1,15}|0x[0-9a-fA-F]{1,12})$/.test(text)) return `0x${Number(text).toString(16)}`
  throw new FlagValueError(`a number, or one of ${TAGS.join(', ')}, is required.`)
}
