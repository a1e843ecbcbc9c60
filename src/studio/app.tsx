import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Names } from '../live/names/names.ts'
import { useStore, useStudio } from './client/studio.ts'
import type { StudioRoute } from './router/route.ts'
import { hrefOf } from './router/route.ts'
import { useRoute } from './router/use-route.ts'
import { addAbiFiles } from './views/abi-drop.tsx'
import { AccountPanel } from './views/account/account-view.tsx'
import { BlockPanel } from './views/chain/block-view.tsx'
import { BlocksView } from './views/chain/blocks-view.tsx'
import { ClusterPanel } from './views/cluster/cluster-view.tsx'
import { ConsolePanel } from './views/console/console-view.tsx'
import { ControlPanel } from './views/control/control-view.tsx'
import { LiveView } from './views/live/live-view.tsx'
import { PoolPanel } from './views/pool/pool-view.tsx'
import { ConnectionState, StaleNotice } from './views/shell/connection-state.tsx'
import { KeyHelp } from './views/shell/key-help.tsx'
import { SearchField } from './views/shell/search-field.tsx'
import { areShortcutsOn, keepShortcuts, pressedAction } from './views/shell/shortcuts.ts'
import { ShortcutSwitch, ThemeSwitch } from './views/shell/theme-switch.tsx'
import { StockPanel } from './views/stocks/stock-view.tsx'
import { StocksPanel } from './views/stocks/stocks-view.tsx'
import { TransactionPanel } from './views/transaction/transaction-view.tsx'
import { ErrorBoundary } from './widgets/error-boundary.tsx'
import { LoadedContent, Problem } from './widgets/layout.tsx'
import { useRequest } from './widgets/use-request.ts'

interface Place {
  readonly label: string
  readonly route: StudioRoute
  readonly views: readonly StudioRoute['view'][]
  /** Shown only where the node has the methods of development nodes. */
  readonly isForDevelopment?: boolean
}

const PLACES: readonly Place[] = [
  { label: 'Live', route: { view: 'live' }, views: ['live'] },
  { label: 'Blocks', route: { view: 'blocks' }, views: ['blocks', 'block', 'transaction', 'debug', 'account'] },
  { label: 'Stocks', route: { view: 'stocks' }, views: ['stocks', 'stock'] },
  { label: 'Pool', route: { view: 'pool' }, views: ['pool'] },
  { label: 'Control', route: { view: 'control' }, views: ['control'], isForDevelopment: true },
  { label: 'Console', route: { view: 'console' }, views: ['console'] },
  { label: 'Cluster', route: { view: 'cluster' }, views: ['cluster'] },
]

/** The page: navigation, search, the state of the connection, and the view of the route. */
export function App() {
  const route = useRoute()
  const { capabilities, names } = useStudio()
  const found = useStore(capabilities)
  const title = titleOf(route, useStore(names))
  const main = useRef<HTMLElement>(null)
  const place = hrefOf(route)
  const navigation = useRef<HTMLElement>(null)
  const isDevelopment = found?.development === true
  const places = useMemo(
    () => PLACES.filter(({ isForDevelopment }) => !isForDevelopment || isDevelopment),
    [isDevelopment],
  )
  const [hasShortcuts, setShortcuts] = useState(areShortcutsOn)
  useShortcuts(hasShortcuts)
  const problem = useDroppedAbis()
  useEffect(() => {
    // The places scroll sideways on phones.
    navigation.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    scrollTo(0, 0)
  }, [place, places])
  useEffect(() => {
    document.title = `${title} · Tickertape Studio`
  }, [title])
  return (
    <>
      <a class="skip" href={place} onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={hrefOf({ view: 'live' })}>
          <span class="brand-mark" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span class="brand-name">
            Tickertape <span class="muted">Studio</span>
          </span>
        </a>
        <nav ref={navigation} class="places" aria-label="Views">
          {places.map(({ label, route: to, views }) => (
            <a key={label} href={hrefOf(to)} aria-current={views.includes(route.view) ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <SearchField views={places} />
        <ConnectionState />
      </header>
      <StaleNotice />
      <main ref={main} tabIndex={-1}>
        <Problem text={problem} />
        <ErrorBoundary place={place}>
          <View route={route} />
        </ErrorBoundary>
      </main>
      <footer class="foot">
        <KeyHelp />
        <ThemeSwitch />
        <ShortcutSwitch
          isOn={hasShortcuts}
          onChange={(isOn) => {
            setShortcuts(isOn)
            keepShortcuts(isOn)
          }}
        />
      </footer>
    </>
  )
}

function View({ route }: { readonly route: StudioRoute }) {
  switch (route.view) {
    case 'live':
      return <LiveView />
    case 'blocks':
      return <BlocksView from={route.from} />
    case 'block':
      return <BlockPanel id={route.id} flashblock={route.flashblock} />
    case 'transaction':
      return <TransactionPanel hash={route.hash} tab={route.tab} />
    case 'debug':
      return <LoadedDebugger key={hrefOf({ ...route, step: 0 })} route={route} />
    case 'account':
      return <AccountPanel key={route.address} address={route.address} tab={route.tab} before={route.before} />
    case 'stocks':
      return <StocksPanel />
    case 'stock':
      return <StockPanel key={route.address} address={route.address} tab={route.tab} />
    case 'pool':
      return <PoolPanel sender={route.sender} />
    case 'control':
      return <ControlPanel />
    case 'cluster':
      return <ClusterPanel />
    case 'console':
      return <ConsolePanel method={route.method} params={route.params} />
    case 'unknown':
      return (
        <div class="view">
          <h1>Nothing here</h1>
          <p>
            There is no view “{route.text}”. <a href={hrefOf({ view: 'live' })}>Go to the live view</a>
          </p>
        </div>
      )
  }
}

/** The debugger, whose script is loaded when it is opened. */
function LoadedDebugger({ route: { subject, step } }: { readonly route: StudioRoute & { readonly view: 'debug' } }) {
  const loaded = useRequest('debugger', () => import('./views/debugger/debugger-view.tsx'))
  return (
    <LoadedContent loaded={loaded}>
      {({ DebuggerPanel }) => <DebuggerPanel subject={subject} step={step} />}
    </LoadedContent>
  )
}

function titleOf(route: StudioRoute, names: Names): string {
  switch (route.view) {
    case 'block':
      return `Block ${route.id}`
    case 'transaction':
      return `Transaction ${route.hash.slice(0, 10)}`
    case 'debug':
      return 'Debugger'
    case 'account':
      return names.of(route.address)?.name ?? `Account ${route.address.slice(0, 10)}`
    case 'stock':
      return names.stock(route.address)?.symbol ?? `Stock ${route.address.slice(0, 10)}`
    default:
      return PLACES.find(({ route: { view } }) => view === route.view)?.label ?? 'Nothing here'
  }
}

/** Elements name their key in `data-key`; the key presses them. */
function useShortcuts(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent) => {
      const selector = pressedAction(event)
      const element = selector === undefined ? null : document.querySelector<HTMLElement>(selector)
      if (element === null) return
      event.preventDefault()
      if (element instanceof HTMLInputElement) element.focus()
      else element.click()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOn])
}

/** ABI files may be dropped on any view. @returns what is wrong with the last ones */
function useDroppedAbis(): string | undefined {
  const { abis } = useStudio()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault()
    const drop = async (event: DragEvent) => {
      event.preventDefault()
      setProblem(await addAbiFiles(abis, event.dataTransfer?.files ?? null))
    }
    addEventListener('dragover', allow)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', allow)
      removeEventListener('drop', drop)
    }
  }, [abis])
  return problem
}
