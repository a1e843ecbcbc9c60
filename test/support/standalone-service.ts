import { expect } from 'vitest'
import { type Clock, systemClock } from '../../src/node/core/clock.ts'
import type { Address } from '../../src/primitives/hex.ts'
import { createRestService } from '../../src/rest/create-rest-service.ts'
import type { RestResponse } from '../../src/rest/http/rest-service.ts'
import type { Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { UpstreamClient, type UpstreamClientOptions } from '../../src/rest/upstream/upstream-client.ts'
import { UpstreamSource, type UpstreamSourceOptions } from '../../src/rest/upstream/upstream-source.ts'
import { httpTransport, type Transport } from '../../src/upstream/http-transport.ts'
import { builtReference } from './reference-page.ts'

export interface StandaloneOptions extends Partial<UpstreamSourceOptions & UpstreamClientOptions> {
  readonly url: string
  readonly maxBytes?: number
  readonly clock?: Clock
  readonly chain?: string
  readonly factory?: Address
  readonly registry?: () => Registry
  readonly fetch?: typeof fetch
}

/** One request to the upstream: the methods of its calls. */
export type SentRequest = readonly string[]

export interface StandaloneService {
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<RestResponse>
  /** Requests to the upstream since the last look. */
  sent(): readonly SentRequest[]
}

/** The stand-alone service without its socket; its requests to the upstream go over real HTTP. */
export function standaloneService(options: StandaloneOptions): StandaloneService {
  const { url, clock = systemClock, chain = 'test', factory, registry } = options
  let sent: SentRequest[] = []
  const http = httpTransport(
    { url, maxBytes: options.maxBytes ?? 1_000_000 },
    { fetch: options.fetch ?? fetch, now: () => clock.wall() },
  )
  const transport: Transport = (body, signal) => {
    sent.push((JSON.parse(body) as { method: string }[]).map(({ method }) => method))
    return http(body, signal)
  }
  const client = new UpstreamClient(
    {
      upstreamTimeoutMs: 2_000,
      retries: 2,
      batchSize: 1_000,
      maxUpstreamRequests: 16,
      maxUpstreamWaiting: 1_000,
      ...options,
    },
    { transport, clock, random: () => 0 },
  )
  const source = new UpstreamSource(
    { chainId: 31_337n, deadlineMs: 5_000, headLifetimeMs: 0, maxStalenessSeconds: 0, ...options },
    { client, clock },
  )
  const log = {
    error: (details: object) => expect.unreachable(String((details as { err: Error }).err.stack)),
    warn: () => undefined,
  }
  const events = { blocks: source, clock }
  const service = createRestService(
    { chain, factory },
    { source, log, events, readReference: builtReference, ...(registry && { registry }) },
  )
  return {
    get: async (target, headers = {}) =>
      service.handle({ method: 'GET', target, id: 'test', header: (name) => headers[name] }),
    sent() {
      const all = sent
      sent = []
      return all
    },
  }
}
