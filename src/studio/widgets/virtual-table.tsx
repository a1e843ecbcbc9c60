// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be placed one by one.
// biome-ignore-all lint/a11y/useFocusableInteractive: rows are no controls; their links are.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { visibleRange } from '../model/visible-range.ts'

export interface Column<Row> {
  readonly title: string
  /** Width as in `grid-template-columns`. */
  readonly width: string
  readonly align?: 'end'
  readonly cell: (row: Row) => ComponentChildren
}

/** @param width as in `grid-template-columns` */
export function column<Row>(title: string, width: string, cell: Column<Row>['cell']): Column<Row> {
  return { title, width, cell }
}

/** A column whose values are aligned by their last digits. */
export function numberColumn<Row>(title: string, width: string, cell: Column<Row>['cell']): Column<Row> {
  return { title, width, align: 'end', cell }
}

/** Pixels; equal for all rows, so that the visible ones follow from the scroll position. */
const ROW_HEIGHT = 34
/** Pixels of a cell and around the cells of a row that narrow screens show as a card. */
const CELL_HEIGHT = 26
const CARD_PADDING = 17
const NARROW = '(max-width: 40rem)'
const MIN_CARDS = 4
const OVERSCAN = 8

/** A table of any length of which only the visible rows exist. */
export function VirtualTable<Row>(props: {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Rows that are visible without scrolling, at most. */
  readonly maxVisible?: number
  readonly empty: string
  readonly rowClass?: (row: Row) => string
  /** Keeps the rows while they are scrolled or focused, so that none moves away from the reader. */
  readonly holdsWhileRead?: boolean
}) {
  const { label, rows: newest, columns, keyOf, maxVisible = 14, empty, rowClass, holdsWhileRead = false } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState(0)
  const [isFocused, setFocused] = useState(false)
  const held = useRef(newest)
  const isHeld = holdsWhileRead && (scroll > 0 || isFocused)
  if (!isHeld) held.current = newest
  const rows = held.current
  const isNarrow = useMedia(NARROW)
  const rowHeight = isNarrow ? columns.length * CELL_HEIGHT + CARD_PADDING : ROW_HEIGHT
  const visible = isNarrow ? Math.max(MIN_CARDS, maxVisible >> 2) : maxVisible
  const height = Math.min(rows.length, visible) * rowHeight
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const follow = () => setScroll(element.scrollTop)
    element.addEventListener('scroll', follow, { passive: true })
    return () => element.removeEventListener('scroll', follow)
  }, [])
  const range = visibleRange({ scroll, height, rowHeight, count: rows.length, overscan: OVERSCAN })
  const template = columns.map(({ width }) => width).join(' ')
  return (
    <div class={`table ${isNarrow ? 'as-cards' : ''}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div class="table-row head" role="row" style={{ gridTemplateColumns: template }}>
        {columns.map(({ title, align }) => (
          <span key={title} role="columnheader" class={align ?? ''}>
            {title}
          </span>
        ))}
      </div>
      <div
        ref={scroller}
        class="table-body"
        role="rowgroup"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
        tabIndex={0}
        onFocusIn={() => setFocused(true)}
        onFocusOut={() => setFocused(false)}
        // The text of an empty table may need several lines.
        style={rows.length === 0 ? {} : { height: `${height}px` }}
      >
        {rows.length === 0 ? (
          <div role="row" class="table-empty">
            <span role="cell">{empty}</span>
          </div>
        ) : (
          <div class="table-all" style={{ height: `${rows.length * rowHeight}px` }}>
            {rows.slice(range.first, range.end).map((row, index) => (
              <div
                key={keyOf(row)}
                class={`table-row ${rowClass?.(row) ?? ''}`}
                role="row"
                aria-rowindex={range.first + index + 2}
                // A transform, so that new rows at the top cause no layout of the others.
                style={{
                  ...(!isNarrow && { gridTemplateColumns: template }),
                  transform: `translateY(${(range.first + index) * rowHeight}px)`,
                }}
              >
                {columns.map(({ title, align, cell }) => (
                  <span key={title} role="cell" class={align ?? ''} data-label={title}>
                    {isNarrow ? <span>{cell(row)}</span> : cell(row)}
                  </span>
                ))}
              </div>
            ))}
          </div>
        )}
      </div>
      {isHeld && rows !== newest && (
        <p class="held">The rows stand still while you read them: scroll up and leave the table to go on.</p>
      )}
    </div>
  )
}

/** Whether a media query matches now. */
function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const follow = () => setMatches(list.matches)
    follow()
    list.addEventListener('change', follow)
    return () => list.removeEventListener('change', follow)
  }, [query])
  return matches
}
