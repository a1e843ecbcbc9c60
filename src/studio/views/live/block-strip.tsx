import { compact, grouped, percentOf } from '../../../live/amount.ts'
import { busiestGas, slotFill, slotPlaces } from '../../../live/live-summary.ts'
import { isWhole, type Timeline, type TimelineBlock, type TimelineSlot } from '../../../live/timeline.ts'
import { hrefOf } from '../../router/route.ts'
import { Badge } from '../../widgets/layout.tsx'

/** Sealed blocks that are drawn; narrow screens hide the older ones. */
const MAX_DRAWN = 8
/** Lateness that is marked: half a slot of 200 ms. */
const LATE_MS = 100

/** The newest block at the right, the sealed ones to its left. */
export function BlockStrip({ timeline }: { readonly timeline: Timeline }) {
  const { open, sealed, slotsPerBlock } = timeline
  const scale = { slotsPerBlock, busiest: busiestGas(timeline) }
  return (
    <section class="strip" aria-label="Newest blocks">
      <ol
        class={`sealed-blocks ${(sealed.at(-1)?.number ?? 0) % 2 === 0 ? '' : 'odd'}`}
        aria-label="Sealed blocks, newest last"
      >
        {sealed.slice(-MAX_DRAWN).map((block) => (
          <li key={block.payloadId}>
            <SealedCard block={block} scale={scale} />
          </li>
        ))}
      </ol>
      {open !== undefined && <OpenCard key={open.payloadId} block={open} scale={scale} />}
    </section>
  )
}

/** Common to all blocks that are drawn. */
interface Scale {
  readonly slotsPerBlock: number
  readonly busiest: bigint
}

function SealedCard({ block, scale }: { readonly block: TimelineBlock; readonly scale: Scale }) {
  const { number, transactionCount, gasUsed, gasLimit, isPartial } = block
  return (
    <a class="block-card" href={hrefOf({ view: 'block', id: String(number) })}>
      <span class="block-number">{grouped(number)}</span>
      <span class="bars" aria-hidden="true">
        {slotPlaces(block, scale.slotsPerBlock).map((slot, index) => (
          <SlotBar key={index} percent={slotFill(slot, scaleOf(block, scale))} isMissing={slot === undefined} />
        ))}
      </span>
      <span class="block-note">
        {transactionCount} tx · {shareText(percentOf(gasUsed, gasLimit))} %{isPartial && ' · partly seen'}
      </span>
    </a>
  )
}

/** The one bar of a block that came whole, among blocks with slots, is as high as the mean of its slots. */
function scaleOf(block: TimelineBlock, { busiest, slotsPerBlock }: Scale): bigint {
  return isWhole(block) ? busiest * BigInt(Math.max(1, slotsPerBlock)) : busiest
}

function shareText(percent: number): string {
  return percent.toFixed(percent < 10 ? 1 : 0)
}

function SlotBar({ percent, isMissing }: { readonly percent: number; readonly isMissing: boolean }) {
  return (
    <span class={`bar ${isMissing ? 'missing' : ''}`}>
      <span class="bar-fill" style={{ height: `${percent}%` }} />
    </span>
  )
}

function OpenCard({ block, scale }: { readonly block: TimelineBlock; readonly scale: Scale }) {
  const { slotsPerBlock } = scale
  const { number, transactionCount, gasUsed, gasLimit, isPartial, isSealed } = block
  return (
    <article class="open-block" aria-label={`Block ${number}`}>
      <header>
        <a class="open-number" href={hrefOf({ view: 'block', id: String(number) })}>
          {grouped(number)}
        </a>
        <Badge tone={isSealed ? 'good' : 'busy'}>{isSealed ? 'newest' : 'open'}</Badge>
        {isPartial && <Badge tone="plain">partly seen</Badge>}
        <span class="open-note">
          {grouped(transactionCount)} transactions · {compact(Number(gasUsed))}
          {gasLimit > 0n && ` of ${compact(Number(gasLimit))}`} gas
        </span>
      </header>
      <ol class="slots" style={{ gridTemplateColumns: `repeat(${Math.max(1, slotsPerBlock)}, minmax(0, 1fr))` }}>
        {slotPlaces(block, slotsPerBlock).map((slot, index) => (
          <li key={index}>
            <SlotCell slot={slot} index={index} block={block} fill={slotFill(slot, scale.busiest)} />
          </li>
        ))}
      </ol>
    </article>
  )
}

function SlotCell(props: {
  readonly slot: TimelineSlot | undefined
  readonly index: number
  readonly block: TimelineBlock
  readonly fill: number
}) {
  const { slot, index, block, fill } = props
  if (slot === undefined) {
    return (
      <span class="slot waiting">
        <span class="slot-index">{index}</span>
      </span>
    )
  }
  const { transactionCount, gasUsed, latenessMs } = slot
  const isLate = latenessMs !== undefined && latenessMs >= LATE_MS
  const title = `Flashblock ${index}: ${transactionCount} transactions, ${grouped(gasUsed)} gas`
  return (
    <a
      class={`slot filled ${isLate ? 'late' : ''}`}
      title={title}
      href={hrefOf({ view: 'block', id: String(block.number), flashblock: index })}
    >
      {fill > 0 && <span class="slot-fill" style={{ height: `${fill}%` }} />}
      <span class="slot-index">
        <span class="visually-hidden">Flashblock </span>
        {index}
      </span>
      <span class="slot-count">
        {transactionCount}
        <span class="visually-hidden"> transactions</span>
      </span>
      <span class="slot-gas">{gasUsed === 0n ? '' : compact(Number(gasUsed))}</span>
      <span class="slot-late">{latenessMs === undefined ? '' : `+${latenessMs}`}</span>
    </a>
  )
}
