import { type DebugSubject, debuggedCall } from '../model/debugger/debug-subject.ts'
import { isSharable } from '../model/json-parameters.ts'

/** A place of the page; the URL's fragment holds it, so that links can be shared. */
export type StudioRoute =
  | { readonly view: 'live' }
  | { readonly view: 'blocks'; readonly from?: number }
  /** `flashblock`: only what this slot added. */
  | { readonly view: 'block'; readonly id: string; readonly flashblock?: number }
  | { readonly view: 'transaction'; readonly hash: string; readonly tab: TransactionTab }
  /** `step`: where the debugger stands. */
  | { readonly view: 'debug'; readonly subject: DebugSubject; readonly step?: number }
  /** `before`: height below which its transactions are listed. */
  | { readonly view: 'account'; readonly address: string; readonly tab: AccountTab; readonly before?: number }
  | { readonly view: 'stocks' }
  | { readonly view: 'stock'; readonly address: string; readonly tab: StockTab }
  /** `sender`: only the transactions of this one. */
  | { readonly view: 'pool'; readonly sender?: string }
  | { readonly view: 'control' }
  | { readonly view: 'cluster' }
  /** `method`, and its parameters as JSON text: what is filled in; opening the address sends nothing. */
  | { readonly view: 'console'; readonly method?: string; readonly params?: string }
  | { readonly view: 'unknown'; readonly text: string }

const TRANSACTION_TABS = ['overview', 'input', 'logs', 'calls', 'state', 'raw'] as const
export type TransactionTab = (typeof TRANSACTION_TABS)[number]

const ACCOUNT_TABS = ['overview', 'contract', 'tokens', 'transactions', 'storage', 'source', 'code'] as const
export type AccountTab = (typeof ACCOUNT_TABS)[number]

const STOCK_TABS = ['overview', 'holders', 'events', 'actions'] as const
export type StockTab = (typeof STOCK_TABS)[number]

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const METHOD = /^\w{1,40}[_.]\w{1,60}$/
const HASH = /^0x[0-9a-fA-F]{64}$/
const TAGS = new Set(['latest', 'pending', 'safe', 'finalized', 'earliest'])

/**
 * The route of a fragment. Anything unknown is a route of its own, never an error.
 *
 * @example parseRoute('#/block/12?flashblock=3') // { view: 'block', id: '12', flashblock: 3 }
 */
export function parseRoute(fragment: string): StudioRoute {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2)
  const [view = '', given = ''] = path.split('/', 2)
  const values = new URLSearchParams(query)
  const unknown: StudioRoute = { view: 'unknown', text: path }
  switch (view) {
    case '':
    case 'live':
      return { view: 'live' }
    case 'blocks': {
      const from = height(values.get('from'))
      return from === undefined ? { view: 'blocks' } : { view: 'blocks', from }
    }
    case 'block': {
      if (!HASH.test(given) && !TAGS.has(given) && height(given) === undefined) return unknown
      const flashblock = height(values.get('flashblock'))
      return { view: 'block', id: given.toLowerCase(), ...(flashblock !== undefined && { flashblock }) }
    }
    case 'tx': {
      if (!HASH.test(given)) return unknown
      const tab = TRANSACTION_TABS.find((one) => one === values.get('tab')) ?? 'overview'
      return { view: 'transaction', hash: given.toLowerCase(), tab }
    }
    case 'debug': {
      const subject = debugSubject(given, values)
      const step = height(values.get('step'))
      return subject === undefined ? unknown : { view, subject, ...(step !== undefined && { step }) }
    }
    case 'account': {
      if (!ADDRESS.test(given)) return unknown
      const tab = ACCOUNT_TABS.find((one) => one === values.get('tab')) ?? 'overview'
      const before = height(values.get('before'))
      return { view: 'account', address: given.toLowerCase(), tab, ...(before !== undefined && { before }) }
    }
    case 'stock': {
      if (!ADDRESS.test(given)) return unknown
      const tab = STOCK_TABS.find((one) => one === values.get('tab')) ?? 'overview'
      return { view, address: given.toLowerCase(), tab }
    }
    case 'pool': {
      const sender = values.get('sender')
      return sender !== null && ADDRESS.test(sender) ? { view, sender: sender.toLowerCase() } : { view }
    }
    case 'stocks':
    case 'control':
    case 'cluster':
      return { view }
    case 'console': {
      const method = values.get('method')
      if (method === null || !isMethodName(method)) return { view }
      const params = values.get('params')
      return { view, method, ...(params !== null && isSharable(method, params) && { params }) }
    }
    default:
      return unknown
  }
}

/** The fragment of a route; `parseRoute` reads it back. */
export function hrefOf(route: StudioRoute): string {
  switch (route.view) {
    case 'live':
      return '#/live'
    case 'blocks':
      return `#/blocks${query({ from: route.from })}`
    case 'block':
      return `#/block/${route.id}${query({ flashblock: route.flashblock })}`
    case 'transaction':
      return `#/tx/${route.hash}${query({ tab: route.tab === 'overview' ? undefined : route.tab })}`
    case 'debug': {
      const { subject, step } = route
      if (subject.kind === 'transaction') return `#/debug/${subject.hash}${query({ step })}`
      return `#/debug${query({ call: subject.call, block: subject.block, step })}`
    }
    case 'account': {
      const { address, tab, before } = route
      return `#/account/${address}${query({ tab: tab === 'overview' ? undefined : tab, before })}`
    }
    case 'stock':
      return `#/stock/${route.address}${query({ tab: route.tab === 'overview' ? undefined : route.tab })}`
    case 'pool':
      return `#/pool${query({ sender: route.sender })}`
    case 'stocks':
    case 'control':
    case 'cluster':
      return `#/${route.view}`
    case 'console':
      return `#/console${query({ method: route.method, params: route.params })}`
    case 'unknown':
      return `#/${route.text}`
  }
}

/** A transaction by its hash, or a call in the query. */
function debugSubject(hash: string, values: URLSearchParams): DebugSubject | undefined {
  if (HASH.test(hash)) return { kind: 'transaction', hash: hash.toLowerCase() }
  return hash === '' ? debuggedCall(values.get('call') ?? '', values.get('block') ?? undefined) : undefined
}

export function isMethodName(text: string): boolean {
  return METHOD.test(text)
}

function height(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
