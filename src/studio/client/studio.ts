import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { fromRlp, keccak256 } from 'viem'
import { DemonstrationTraffic } from '../../live/demonstration-traffic.ts'
import type { TransactionCodec } from '../../live/flashblock-arrival.ts'
import { LiveFeed } from '../../live/live-feed.ts'
import type { Names } from '../../live/names/names.ts'
import type { NodeAddress } from '../../live/node-address.ts'
import { type ClientDeps, NodeClient } from '../../live/node-client.ts'
import type { StockRecord } from '../../live/stock-list.ts'
import { Store } from '../../live/store.ts'
import { type AbiSource, readAbiFile } from '../model/abi/abi-book.ts'
import { StatusHistories } from '../model/status-history.ts'
import { AbiStorage, type TextStorage } from './abi-storage.ts'
import { type Capabilities, detectCapabilities } from './capabilities.ts'
import type { ConsoleRun } from './console-runs.ts'
import { NodeStocks } from './node-stocks.ts'
import { Senders } from './senders.ts'
import { Wallets } from './wallets.ts'

/** Everything that the views share. */
export interface Studio {
  readonly client: NodeClient
  readonly live: LiveFeed
  readonly abis: AbiStorage
  readonly senders: Senders
  readonly wallets: Wallets
  readonly histories: StatusHistories
  /** Results of the console, newest first. */
  readonly consoleRuns: Store<readonly ConsoleRun[]>
  /** `undefined` until the node has answered for the first time. */
  readonly capabilities: Store<Capabilities | undefined>
  /** Transactions between the accounts of a development node, while a person looks. */
  readonly traffic: DemonstrationTraffic
  /** Names of addresses: the stocks of the node, and those that every chain has. */
  readonly names: Store<Names>
  /** The listed stocks. */
  readonly stocks: Store<readonly StockRecord[]>
  readonly now: () => number
}

export interface StudioParts extends ClientDeps {
  readonly storage: TextStorage
  /** `window`, where wallets announce themselves. */
  readonly events: EventTarget
}

/** Connects to a node. */
export function createStudio(endpoint: NodeAddress, deps: StudioParts): Studio {
  const client = new NodeClient(endpoint, deps)
  const live = new LiveFeed({ ...deps, client, codec: transactionCodec })
  const wallets = new Wallets(deps)
  const histories = new StatusHistories()
  const traffic = new DemonstrationTraffic({ ...deps, client })
  const consoleRuns = new Store<readonly ConsoleRun[]>([])
  const senders = new Senders({ ...deps, client, wallets })
  const abis = new AbiStorage(deps.storage)
  const capabilities = new Store<Capabilities | undefined>(undefined)
  const nodeStocks = new NodeStocks(client)
  const { names, stocks } = nodeStocks
  const refreshNames = () => {
    if (capabilities.value?.stocks === true) void nodeStocks.refresh()
  }
  repeat(deps, NAMES_INTERVAL_MS, refreshNames)
  let detected: string | undefined
  // Another node may answer after a lost connection.
  client.connection.subscribe(() => {
    const { kind, since } = client.connection.value
    const session = `${kind} ${since}`
    if ((kind !== 'live' && kind !== 'polling') || detected === session) return
    detected = session
    const isCurrent = () => detected === session
    nodeStocks.reset()
    void senders.refresh()
    if (endpoint.isOwn) void readNodeAbis(client).then((found) => isCurrent() && abis.useNode(found))
    detectCapabilities(client).then(
      (found) => {
        if (!isCurrent()) return
        capabilities.set(found)
        refreshNames()
      },
      () => {
        if (isCurrent()) detected = undefined
      },
    )
  })
  client.open()
  live.start()
  wallets.start()
  return {
    client,
    live,
    abis,
    senders,
    wallets,
    histories,
    consoleRuns,
    capabilities,
    traffic,
    names,
    stocks,
    now: deps.now,
  }
}

/** Stocks are created rarely. */
const NAMES_INTERVAL_MS = 10_000

function repeat(deps: Pick<ClientDeps, 'after'>, intervalMs: number, action: () => void): void {
  deps.after(intervalMs, () => {
    action()
    repeat(deps, intervalMs, action)
  })
}

export const StudioContext = createContext<Studio | undefined>(undefined)

export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (studio === undefined) throw new Error('a view is outside of the studio')
  return studio
}

/** The value of a store; the component follows it. */
export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0)
  const seen = useRef(store.value)
  seen.current = store.value
  useEffect(() => {
    // It may have changed between the first drawing and this subscription.
    if (store.value !== seen.current) redraw((count) => count + 1)
    return store.subscribe(() => redraw((count) => count + 1))
  }, [store])
  return store.value
}

/** The time, updated at an interval. */
export function useNow(intervalMs = 1_000): number {
  const { now } = useStudio()
  const [time, setTime] = useState(now())
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs, now])
  return time
}

interface Service {
  read(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** The ABIs of the artifacts that `--abi` names; none if the node has none or cannot be reached. */
export async function readNodeAbis(node: Service): Promise<readonly AbiSource[]> {
  try {
    const { status, text } = await node.read('studio/abis.json')
    const list: unknown = status === 200 ? JSON.parse(text) : []
    return (Array.isArray(list) ? list : []).flatMap((json: unknown) => {
      const { name, abi } = (json ?? {}) as { name?: unknown; abi?: unknown }
      const result = readAbiFile(String(name), JSON.stringify(abi ?? null))
      return result.kind === 'read' ? [result.source] : []
    })
  } catch {
    return []
  }
}

/** Decoding of transactions in browsers. */
const transactionCodec: TransactionCodec = {
  hash: (raw) => keccak256(raw),
  members: (rlp) => fromRlp(rlp, 'hex') as unknown as readonly unknown[],
}
