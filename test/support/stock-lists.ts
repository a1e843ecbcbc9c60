import { expect } from 'vitest'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import type { ServedNode } from '../../src/node/roles/node-handle.ts'
import { createRestService } from '../../src/rest/create-rest-service.ts'
import { NodeSource } from '../../src/rest/tokenized-stocks/node-source.ts'
import { READ_LIMITS } from './manual-node.ts'
import { builtReference } from './reference-page.ts'

/** A token of a list, with the members that tell when it was listed. */
export interface ListedToken {
  readonly contract_address: string
  readonly symbol: string
  readonly listed_at_block: number | null
  readonly listed_at_block_hash: string | null
  readonly listed_at: string | null
}

export interface StockLists {
  /** @param block `latest` by default */
  list(block?: string): Promise<readonly ListedToken[]>
  /** The record of one token. */
  one(name: string): Promise<ListedToken>
  /** Any other resource, by its path below that of the list. */
  get(path: string): Promise<unknown>
  /** The same with the status, which may be that of an error. */
  response(path: string): Promise<{ readonly status: number; readonly body: string }>
}

/** The stock service of a node of any role: one of its own, so that nothing is cached. */
export function stockLists(node: ServedNode): StockLists {
  const source = new NodeSource(READ_LIMITS, { node, genesis: createNetwork().genesis, now: () => performance.now() })
  const log = {
    error: (details: object) => expect.unreachable(String((details as { err: Error }).err.stack)),
    warn: () => undefined,
  }
  const service = createRestService(
    { chain: 'test', factory: STOCK_FACTORY_ADDRESS },
    { source, log, readReference: builtReference },
  )
  const response = async (path: string) => {
    const target = `/v1/tokenized-stocks${path}`
    const { status, body } = await service.handle({ method: 'GET', target, id: 'test', header: () => undefined })
    return { status, body: String(body) }
  }
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await response(path)
    expect(status, body).toBe(200)
    return JSON.parse(body)
  }
  return {
    list: async (block = 'latest') =>
      ((await get(`?block=${block}`)) as { readonly tokens: readonly ListedToken[] }).tokens,
    get,
    response,
    one: async (name) => (await get(`/${name}`)) as ListedToken,
  }
}
