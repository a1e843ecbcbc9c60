import { compact, grouped, percentOf } from '../../live/amount.ts'
import { busiestGas, slotFill, slotPlaces } from '../../live/live-summary.ts'
import type { Timeline, TimelineBlock, TimelineSlot } from '../../live/timeline.ts'
import { type ScreenLine, type Span, span, type Tone } from './screen-line.ts'

/** Lateness that is marked: half a slot of 200 ms, as in the studio. */
const LATE_MS = 100
/** Eighths of a row. */
const BARS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const WIDEST_SLOT = 14
/** Narrower slots have no texts below their bars. */
const NARROWEST_SLOT = 5

/** The open block as a row of slots that fill; only its bars where there is no room for texts. */
export function slotLines(timeline: Timeline, columns: number, barRows: number): readonly ScreenLine[] {
  const { open, slotsPerBlock } = timeline
  if (open === undefined) return []
  const places = slotPlaces(open, slotsPerBlock)
  const width = Math.min(WIDEST_SLOT, Math.floor(columns / places.length))
  const busiest = busiestGas(timeline)
  if (width < NARROWEST_SLOT) return [sparkLine(places, busiest).slice(-columns)]
  const row = (cell: (slot: TimelineSlot | undefined, index: number) => Span) => places.map(cell)
  const bars = Array.from({ length: barRows }, (_, above) =>
    row((slot) => barCell(slot, { busiest, width, barRows, level: barRows - 1 - above })),
  )
  return [
    row((_, index) => span(cell(String(index), width), 'muted')),
    ...bars,
    row((slot) => span(cell(slot === undefined ? '' : countText(slot, width), width))),
    row((slot) => span(cell(latenessText(slot), width), isLate(slot) ? 'busy' : 'muted')),
  ]
}

/** The slots of a block, a character each. */
export function sparkLine(places: readonly (TimelineSlot | undefined)[], busiest: bigint): ScreenLine {
  return places.map((slot) => span(slot === undefined ? '·' : BARS[eighths(slot, busiest, 8)]!, toneOf(slot)))
}

/** Content and fullness of a block. */
export function contentText({ transactionCount, gasUsed, gasLimit }: TimelineBlock): string {
  const share = gasLimit > 0n ? `, ${percentOf(gasUsed, gasLimit).toFixed(1)} %` : ''
  return `${grouped(transactionCount)} transactions · ${compact(Number(gasUsed))} gas${share}`
}

interface BarScale {
  readonly busiest: bigint
  readonly width: number
  readonly barRows: number
  /** Rows below this one. */
  readonly level: number
}

function barCell(slot: TimelineSlot | undefined, { busiest, width, barRows, level }: BarScale): Span {
  if (slot === undefined) return span(cell(level === 0 ? '·'.repeat(width - 1) : '', width), 'muted')
  const filled = eighths(slot, busiest, 8 * barRows) - 8 * level
  return span(cell(BARS[Math.min(8, Math.max(0, filled))]!.repeat(width - 1), width), toneOf(slot))
}

/** Height of a bar of `most` eighths; an empty flashblock has one. */
function eighths(slot: TimelineSlot, busiest: bigint, most: number): number {
  return Math.max(1, Math.round((slotFill(slot, busiest) * most) / 100))
}

function toneOf(slot: TimelineSlot | undefined): Tone {
  if (slot === undefined) return 'muted'
  if (isLate(slot)) return 'busy'
  return slot.transactionCount === 0 ? 'muted' : 'good'
}

function isLate(slot: TimelineSlot | undefined): boolean {
  return slot?.latenessMs !== undefined && slot.latenessMs >= LATE_MS
}

function countText({ transactionCount }: TimelineSlot, width: number): string {
  const count = compact(transactionCount)
  return width > count.length + 3 ? `${count} tx` : count
}

function latenessText(slot: TimelineSlot | undefined): string {
  return slot?.latenessMs === undefined ? '' : `+${slot.latenessMs}`
}

/** A text of a fixed width with a blank at its end. */
function cell(text: string, width: number): string {
  return `${text.slice(0, width - 1).padEnd(width - 1)} `
}
