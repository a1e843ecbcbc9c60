import type { Logger } from 'pino'
import type { StartOptions } from '../../flags/start-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import { L1Chain } from '../../node/layer1/l1-chain.ts'
import type { Layer1 } from '../../rpc/context/dependencies.ts'
import { httpTransport } from '../../upstream/http-transport.ts'
import { HttpL1Reader } from './l1-reader.ts'

const TIMEOUT_MS = 10_000
/** A block of layer 1 has at most some hundred deposits of 120,000 bytes each in the portal's gas. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

type Layer1Flags = Pick<StartOptions, 'l1Url' | 'l1Portal' | 'l1Tag'>

/** The layer 1 that the flags name; undefined if it is simulated. */
export function followedL1(flags: Layer1Flags, log: Logger): L1Chain | undefined {
  const reader = readerOf(flags)
  return reader && new L1Chain({ reader, clock: systemClock, log })
}

/** Chain id and portal of that layer 1, for responses; undefined if it is simulated. */
export function layer1Of(flags: Partial<Layer1Flags>): Layer1 | undefined {
  const reader = readerOf(flags)
  if (reader === undefined) return undefined
  let known: Promise<bigint> | undefined
  return {
    portal: flags.l1Portal,
    chainId() {
      known ??= reader.chainId().catch((error: unknown) => {
        known = undefined
        throw error
      })
      return known
    },
  }
}

function readerOf({ l1Url, l1Portal, l1Tag = 'finalized' }: Partial<Layer1Flags>): HttpL1Reader | undefined {
  if (l1Url === undefined) return undefined
  const transport = httpTransport({ url: l1Url, maxBytes: MAX_RESPONSE_BYTES }, { fetch, now: systemClock.wall })
  return new HttpL1Reader({ tag: l1Tag, portal: l1Portal, timeoutMs: TIMEOUT_MS }, { transport })
}
