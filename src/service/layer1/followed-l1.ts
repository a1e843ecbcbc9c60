import type { Logger } from 'pino'
import type { StartOptions } from '../../flags/start-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import { L1Chain } from '../../node/layer1/l1-chain.ts'
import { httpTransport } from '../../upstream/http-transport.ts'
import { HttpL1Reader } from './l1-reader.ts'

const TIMEOUT_MS = 10_000
/** A block of layer 1 has at most some hundred deposits of 120,000 bytes each in the portal's gas. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** The layer 1 that the flags name; undefined if it is simulated. */
export function followedL1(
  { l1Url, l1Portal, l1Tag }: Pick<StartOptions, 'l1Url' | 'l1Portal' | 'l1Tag'>,
  log: Logger,
): L1Chain | undefined {
  if (l1Url === undefined) return undefined
  const transport = httpTransport({ url: l1Url, maxBytes: MAX_RESPONSE_BYTES }, { fetch, now: () => Date.now() })
  const reader = new HttpL1Reader({ tag: l1Tag, portal: l1Portal, timeoutMs: TIMEOUT_MS }, { transport })
  return new L1Chain({ reader, clock: systemClock, log })
}
