import type { Logger } from 'pino'
import { POLICY_REGISTRY_ADDRESS } from '../../chain/b20/addresses.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NetworkName } from '../../chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../chain/predeploys/stock-contracts.ts'
import { systemClock } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import { createRestService } from '../../rest/create-rest-service.ts'
import type { Content } from '../../rest/http/representation.ts'
import type { RestService } from '../../rest/http/rest-service.ts'
import type { OnLookup } from '../../rest/tokenized-stocks/block-cache.ts'
import { ForkedSource, type NodeLimits, NodeSource } from '../../rest/tokenized-stocks/node-source.ts'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'

/** Names of the networks in `/v1/tokenized-stocks/chains`. */
const CHAIN_NAMES: Readonly<Record<NetworkName, string>> = { main: 'tickertape', test: 'tickertape-test' }

export interface SupplyServiceParts {
  readonly node: ServedNode
  /** Its data directory. */
  readonly directory: string
  readonly genesis: Pick<Genesis, 'alloc'>
  readonly registry?: () => Registry
  readonly log: Logger
  readonly readReference: () => Promise<Content>
  readonly onLookup?: OnLookup
}

/** The stock service inside a node. */
export async function createSupplyService(
  network: NetworkName,
  limits: NodeLimits,
  parts: SupplyServiceParts,
): Promise<RestService> {
  const { node, genesis, directory } = parts
  const view = node.view()
  const reading = { node, now: () => systemClock.monotonic() }
  const source =
    view.forkBlock === undefined ? new NodeSource(limits, { ...reading, genesis }) : new ForkedSource(limits, reading)
  const hasRegistry = node.config.layer2?.upgradeTimes?.beryl !== undefined
  // A chain from a genesis file may not have the factory.
  const factory = await readLoaded(view, () => view.code(view.state(LATEST)!, STOCK_FACTORY_ADDRESS))
  const hasFactory = hasRegistry || factory.length > 0
  return createRestService(
    {
      chain: CHAIN_NAMES[network],
      ...(hasFactory && { factory: STOCK_FACTORY_ADDRESS }),
      ...(hasRegistry && { policyRegistry: POLICY_REGISTRY_ADDRESS }),
    },
    { ...parts, source, now: reading.now, events: { node, directory } },
  )
}
