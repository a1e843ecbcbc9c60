import { PHRASE_LENGTHS } from '../chain/accounts/hd-accounts.ts'
import { INNER_GAS_RULES, type RpcOptions } from '../rpc/context/options.ts'
import { FlagValueError, flag } from './flag.ts'
import { integer } from './values.ts'

/** How the market of the demonstration stocks behaves (docs/guides/stocks-market.md). */
export const STOCKS_MARKET_MODES = ['calm', 'trading-day', 'stress'] as const
export type StocksMarketMode = (typeof STOCKS_MARKET_MODES)[number]

/** Flags of a development node (docs/migrating.md). */
export const DEVELOPMENT_FLAGS = {
  clientVersion: flag<string | undefined>({
    value: 'text',
    description: 'result of web3_clientVersion',
    fallback: undefined,
    shown: 'name and version of this node, with --compat first those of the reproduced one',
  }),
  estimateInnerGas: flag<RpcOptions['estimateInnerGas'] | undefined>({
    value: 'rule',
    description:
      'estimates of gas for code that continues when an inner call fails: strict, a limit is too low if an inner call runs out of gas that would not with ample gas; go-ethereum, it suffices that the outer call succeeds',
    choices: INNER_GAS_RULES,
    fallback: undefined,
    shown: 'go-ethereum; with --compat and with blocks on demand strict',
  }),
}

/** Flags of a development node that `tickertape start` alone has. */
export const DEVELOPMENT_START_FLAGS = {
  ...DEVELOPMENT_FLAGS,
  state: flag<string | undefined>({
    value: 'path',
    description:
      'load the state from a file at the start, if there is one, and write it there at the end; of a folder the file state.json',
    fallback: undefined,
    shown: 'none',
  }),
  loadState: flag<string | undefined>({
    value: 'path',
    description: 'load the state of a file of anvil_dumpState or --dump-state at the start',
    fallback: undefined,
    shown: 'none',
  }),
  dumpState: flag<string | undefined>({
    value: 'path',
    description: "write the state to a file at the end, in Anvil's format",
    fallback: undefined,
    shown: 'none',
  }),
  stateInterval: flag<number | undefined>({
    value: 's',
    description: 'also write the file of --state or --dump-state every so many seconds',
    parse: integer(1, 1_000_000),
    fallback: undefined,
    shown: 'none',
  }),
  autoImpersonate: flag<boolean>({
    description: 'let transactions be sent from every address without its key',
    fallback: false,
  }),
  mnemonicRandom: flag<number | undefined>({
    value: 'words',
    preset: 12,
    description: 'a random phrase of 12 to 24 words instead of --mnemonic, with --ephemeral',
    parse: phraseLength,
    fallback: undefined,
    shown: 'none; without a value 12',
  }),
  demo: flag<boolean>({
    description:
      'send several transfers of ether and of the demonstration stocks a second between the development accounts while the node runs',
    fallback: false,
  }),
  stocksMarket: flag<StocksMarketMode | undefined>({
    value: 'mode',
    description:
      'move the prices of the demonstration stocks while the node leads, open and close their market by chain time, and announce dividends and splits',
    choices: STOCKS_MARKET_MODES,
    fallback: undefined,
    shown: 'none: prices stay',
  }),
  silent: flag<boolean>({
    description:
      'print nothing (as Anvil does): neither accounts nor the ready line, nor transactions; log errors only',
    fallback: false,
  }),
}

function phraseLength(text: string): number {
  const words = Number(text)
  if (PHRASE_LENGTHS.includes(words)) return words
  throw new FlagValueError(`one of ${PHRASE_LENGTHS.join(', ')} is required.`)
}
