import { useRef } from 'preact/hooks'
import { gasPriceText, grouped, momentText, percentOf } from '../../../live/amount.ts'
import { newestHeight, openHeight, tickOf } from '../../../live/live-feed.ts'
import type { Timeline, TimelineSlot } from '../../../live/timeline.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { BlockObject } from '../../model/chain-objects.ts'
import { seenBlock, seenSlots, slotCounts } from '../../model/seen-slots.ts'
import { hrefOf } from '../../router/route.ts'
import { Badge, type Fact, Facts, LoadedContent, Meter, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, BlockLink, TimeAndAge, WholeHash } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { RawFields } from '../raw-fields.tsx'
import { BlockTransactions } from './block-transactions.tsx'
import { type BlockDetails, readBlockDetails } from './read-block.ts'

/** A block with its transactions. @param flashblock index of the slot to show alone */
export function BlockPanel({ id, flashblock }: { readonly id: string; readonly flashblock: number | undefined }) {
  const { client, capabilities, live } = useStudio()
  const found = useStore(capabilities)
  const state = useStore(live.state)
  const { timeline } = state
  const newest = newestHeight(state)
  const isMoving = id === 'pending' || id === 'latest' || Number(id) === newest
  // A hash may name a block that is yet to come, or one that a reorganisation removes.
  const stillTick = id.startsWith('0x') ? newest : newest === undefined || Number(id) < newest
  const tick = isMoving ? tickOf(state) : String(stillTick)
  const key = found && `${id} ${found.transactionStatus} ${found.blockReceipts}`
  const knownSlots = useRef<Map<string, number>>(new Map())
  const loaded = useRequest(key, () => readBlockDetails(client, id, found!, knownSlots.current), tick)
  return (
    <div class="view">
      <LoadedContent loaded={loaded}>
        {(details) =>
          details === undefined ? (
            <>
              <h1>Block {id}</h1>
              <Notice>This node has no block {id}.</Notice>
            </>
          ) : (
            <BlockPage
              details={withSeenSlots(details, timeline)}
              timeline={timeline}
              flashblock={flashblock}
              openNumber={openHeight(state)}
            />
          )
        }
      </LoadedContent>
    </div>
  )
}

/** Adds the flashblocks that this page has seen: the node knows them for recent blocks only. */
function withSeenSlots(details: BlockDetails, timeline: Timeline): BlockDetails {
  const { number, hash, transactions } = details.block
  const seen = seenSlots(timeline, { number, hash, hashes: transactions.map((one) => one.hash) })
  return seen.size === 0 ? details : { ...details, slotOf: new Map([...details.slotOf, ...seen]) }
}

interface PageProps {
  readonly details: BlockDetails
  readonly timeline: Timeline
  readonly flashblock: number | undefined
  readonly openNumber: number | undefined
}

function BlockPage({ details, timeline, flashblock, openNumber }: PageProps) {
  const { block, slotOf } = details
  const isOpen = details.isOpen || block.number === openNumber
  const arrived = seenBlock(timeline, block)
  const slots = slotCounts(slotOf, arrived)
  const seen = arrived?.slots.find(({ index }) => index === flashblock)
  const isFiltered = slots.some(({ index }) => index === flashblock)
  const shown = isFiltered
    ? block.transactions.filter(({ hash }) => slotOf.get(hash) === flashblock)
    : block.transactions
  return (
    <>
      <div class="title-row">
        <h1>
          Block {grouped(block.number)}
          {isOpen ? <Badge tone="busy">open</Badge> : <Badge tone="good">sealed</Badge>}
        </h1>
        <Neighbours number={block.number} isOpen={isOpen} />
      </div>
      <Panel>
        <Facts facts={factsOf(block)} />
      </Panel>
      {slots.length > 0 && <SlotTabs block={block} slots={slots} current={flashblock} />}
      {seen !== undefined && <FlashblockPanel slot={seen} />}
      {flashblock !== undefined && !isFiltered && (
        <Notice>
          The flashblocks of this block are not known any more: the node keeps them for recent blocks, and this page for
          the newest ones that it has seen.
        </Notice>
      )}
      <Panel
        title={isFiltered ? `Transactions of flashblock ${flashblock}` : 'Transactions'}
        aside={<span class="muted">{grouped(shown.length)}</span>}
      >
        <BlockTransactions details={details} transactions={shown} />
      </Panel>
      <Panel title="All fields">
        <RawFields raw={withoutTransactions(block.raw)} />
      </Panel>
    </>
  )
}

function Neighbours({ number, isOpen }: { readonly number: number; readonly isOpen: boolean }) {
  return (
    <div class="buttons">
      {number > 0 && (
        <a class="button" href={hrefOf({ view: 'block', id: String(number - 1) })} data-key="j">
          ← {grouped(number - 1)}
        </a>
      )}
      {!isOpen && (
        <a class="button" href={hrefOf({ view: 'block', id: String(number + 1) })} data-key="k">
          {grouped(number + 1)} →
        </a>
      )}
    </div>
  )
}

function factsOf(block: BlockObject): readonly (Fact | undefined)[] {
  const { hash, parentHash, timestamp, timestampMs, gasUsed, gasLimit, baseFee, miner, size, number } = block
  const percent = percentOf(gasUsed, gasLimit)
  return [
    { label: 'Time', value: <TimeAndAge timestamp={timestamp} timestampMs={timestampMs} /> },
    hash === undefined ? undefined : { label: 'Hash', value: <WholeHash hash={hash} label="block hash" /> },
    number === 0
      ? undefined
      : {
          label: 'Parent',
          value: (
            <BlockLink id={parentHash}>
              <span class="hex whole">{parentHash}</span>
            </BlockLink>
          ),
        },
    {
      label: 'Gas used',
      value: (
        <span class="gas-fact">
          {grouped(gasUsed)} of {grouped(gasLimit)} <span class="muted">· {percent} %</span>
          <Meter percent={percent} label={`${percent} % of the gas limit`} />
        </span>
      ),
    },
    baseFee === undefined ? undefined : { label: 'Base fee', value: gasPriceText(baseFee) },
    miner === undefined ? undefined : { label: 'Fee recipient', value: <AddressText address={miner} isWhole /> },
    size === undefined ? undefined : { label: 'Size', value: `${grouped(size)} bytes` },
  ]
}

/** The flashblocks of the block; each shows what it added. */
function SlotTabs(props: {
  readonly block: BlockObject
  readonly slots: ReturnType<typeof slotCounts>
  readonly current: number | undefined
}) {
  const { block, slots, current } = props
  const id = String(block.number)
  return (
    <nav class="tabs" aria-label="Flashblocks of this block">
      <a href={hrefOf({ view: 'block', id })} aria-current={current === undefined ? 'page' : undefined}>
        All
      </a>
      {slots.map(({ index, transactionCount }) => (
        <a
          key={index}
          href={hrefOf({ view: 'block', id, flashblock: index })}
          aria-current={index === current ? 'page' : undefined}
        >
          <span class="visually-hidden">Flashblock </span>
          {index}
          <span class="count">
            {transactionCount}
            <span class="visually-hidden"> transactions</span>
          </span>
        </a>
      ))}
    </nav>
  )
}

function withoutTransactions(raw: BlockObject['raw']): BlockObject['raw'] {
  const { transactions: _, ...rest } = raw
  return rest
}

/** A flashblock as it arrived at this page. */
function FlashblockPanel({ slot }: { readonly slot: TimelineSlot }) {
  const { index, hash, gasUsed, transactionCount, arrivedAt, latenessMs } = slot
  return (
    <Panel title={`Flashblock ${index}`}>
      <Facts
        facts={[
          { label: 'Transactions', value: grouped(transactionCount) },
          { label: 'Gas', hint: 'of its own transactions', value: grouped(gasUsed) },
          { label: 'Arrived', hint: 'at this page', value: `${momentText(arrivedAt)} UTC` },
          latenessMs === undefined
            ? undefined
            : { label: 'Lateness', hint: 'beyond the usual gap', value: latenessText(latenessMs) },
          { label: 'Hash so far', hint: 'of the block', value: <WholeHash hash={hash} label="hash so far" /> },
        ]}
      />
    </Panel>
  )
}

function latenessText(latenessMs: number): string {
  return latenessMs === 0 ? 'on time' : `${grouped(latenessMs)} ms later than usual`
}
