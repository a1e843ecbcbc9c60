import { flag } from './flag.ts'

/** The service of tokenized stocks. */
export const REGISTRY_FLAGS = {
  stocksRegistry: flag<string | undefined>({
    value: 'file',
    description:
      'tokens that are listed by name (docs/stocks-registry.schema.json); read again when it changes and on SIGHUP',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_STOCKS_REGISTRY',
  }),
}
