import { useRef, useState } from 'preact/hooks'
import { durationText, groupedDecimal, rateText, timeText, unitText } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { readStocks, type StockRecord } from '../../../live/stock-list.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import type { ScheduledMultiplier, StockFacts } from '../../model/stock/stock-facts.ts'
import { hrefOf, type StockTab } from '../../router/route.ts'
import { Badge, Facts, LoadedContent, Panel, type Tab, TabLinks } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { PriceAge } from './price-age.tsx'
import { loadStock } from './read-stock.ts'
import { StockActions } from './stock-actions.tsx'
import { StockCharts } from './stock-charts.tsx'
import { StockEvents } from './stock-events.tsx'
import { StockHolders } from './stock-holders.tsx'

/** A tokenized stock: its facts, its history, its holders, and its corporate actions. */
export function StockPanel({ address, tab }: { readonly address: string; readonly tab: StockTab }) {
  const { client, live } = useStudio()
  const height = newestHeight(useStore(live.state))
  const [changes, setChanges] = useState(0)
  const loaded = useRequest(address, () => loadStock(client, address), `${height} ${changes}`)
  return (
    <div class="view">
      <h1>{(loaded.kind === 'ready' && loaded.value.symbol) || 'Stock'}</h1>
      <p class="subject">
        <a class="hex whole" href={hrefOf({ view: 'account', address, tab: 'overview' })}>
          {address}
        </a>
        <CopyButton text={address} label="address" />
      </p>
      <LoadedContent loaded={loaded}>
        {(stock) => (
          <>
            <StockFactsPart stock={stock} />
            <TabLinks tabs={tabsOf(address)} current={tab} />
            {tab === 'overview' && <StockCharts stock={stock} />}
            {tab === 'holders' && <StockHolders stock={stock} />}
            {tab === 'events' && <StockEvents stock={stock} />}
            {tab === 'actions' && <StockActions stock={stock} onDone={() => setChanges((count) => count + 1)} />}
          </>
        )}
      </LoadedContent>
    </div>
  )
}

function tabsOf(address: string): readonly Tab[] {
  const tab = (id: StockTab, label: string) => ({ id, label, href: hrefOf({ view: 'stock', address, tab: id }) })
  return [tab('overview', 'History'), tab('holders', 'Holders'), tab('events', 'Events'), tab('actions', 'Actions')]
}

function StockFactsPart({ stock }: { readonly stock: StockFacts }) {
  const { client, capabilities } = useStudio()
  const hasService = useStore(capabilities)?.stocks === true
  const records = useRequest(hasService ? 'stocks' : undefined, () => readStocks(client), stock.blockTime)
  const record = records.kind === 'ready' ? records.value.find(({ address }) => address === stock.address) : undefined
  const { name, supply, decimals, cap, multiplier, scheduled, pausedFeatures, isin } = stock
  return (
    <Panel>
      <Facts
        facts={[
          { label: 'Name', value: name },
          { label: 'Supply', value: unitText(supply, decimals, 'token') },
          { label: 'Cap', value: cap === undefined ? 'none' : unitText(cap, decimals, 'token') },
          {
            label: 'Multiplier',
            hint: 'shares of a token',
            value: rateText(multiplier),
          },
          scheduled && {
            label: 'Pending split',
            value: <Countdown scheduled={scheduled} blockTime={stock.blockTime} />,
          },
          {
            label: 'Paused',
            value: pausedFeatures.length === 0 ? 'nothing' : <Badge tone="busy">{pausedFeatures.join(', ')}</Badge>,
          },
          record && { label: 'Price', value: <Price record={record} isFrozen={stock.isFrozen === true} /> },
          isin === '' ? undefined : { label: 'ISIN', value: isin },
        ]}
      />
    </Panel>
  )
}

/** Time until a split, by the clock of the chain, which may differ from that of the browser. */
function Countdown(props: { readonly scheduled: ScheduledMultiplier; readonly blockTime: bigint }) {
  const { scheduled, blockTime } = props
  const now = useNow()
  const read = useRef({ blockTime, at: now })
  if (read.current.blockTime !== blockTime) read.current = { blockTime, at: now }
  const left = Number(scheduled.effectiveAt - blockTime) * 1_000 - (now - read.current.at)
  return (
    <span>
      to {rateText(scheduled.multiplier)} in <strong class="countdown">{durationText(left)}</strong>{' '}
      <span class="muted">· {timeText(scheduled.effectiveAt)}</span>
    </span>
  )
}

function Price(props: { readonly record: StockRecord; readonly isFrozen: boolean }) {
  const { price, pricedAt } = props.record
  if (pricedAt === undefined) return <span class="muted">no feed</span>
  return (
    <span>
      {groupedDecimal(price)} <span class="muted">· </span>
      <PriceAge pricedAt={pricedAt} /> <span class="muted">old</span>{' '}
      {props.isFrozen && <Badge tone="busy">frozen</Badge>}
    </span>
  )
}
