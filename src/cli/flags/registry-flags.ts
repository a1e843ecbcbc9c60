import { flag } from './flag.ts'

/** The stock service. */
export const REGISTRY_FLAGS = {
  stocksRegistry: flag<string | undefined>({
    value: 'file',
    description: 'registry of listed tokens (docs/stocks-registry.schema.json); reloaded when it changes and on SIGHUP',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_STOCKS_REGISTRY',
  }),
}
