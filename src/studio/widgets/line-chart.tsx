import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { compact, grouped } from '../../live/amount.ts'

export interface ChartSeries {
  readonly label: string
  /** Class that gives the colour. */
  readonly tone: 'calm' | 'strong'
}

/** Lines over time or blocks. The colours are those of the style sheet, which follow the theme. */
export function LineChart(props: {
  readonly label: string
  /** Unix seconds or heights of blocks, then the values of each series. */
  readonly data: readonly (readonly (number | null)[])[]
  readonly series: readonly ChartSeries[]
  readonly unit: string
  readonly height: number
  /** Values of a `block` axis hold until the next one. */
  readonly axis?: 'time' | 'block'
}) {
  const { label, data, series, unit, height, axis = 'time' } = props
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot | undefined>(undefined)
  useEffect(() => {
    const element = frame.current!
    const plot = new UPlot(optionsOf(element, { series, unit, height, axis }), data as never, element)
    chart.current = plot
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => plot.redraw(false)
    scheme.addEventListener('change', redraw)
    return () => {
      resize.disconnect()
      scheme.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [series, unit, height, axis])
  useEffect(() => chart.current?.setData(data as never), [data])
  return (
    <figure class="chart">
      <div ref={frame} class="chart-frame" role="img" aria-label={label} style={{ height: `${height}px` }} />
      <figcaption>
        {series.map((each) => (
          <span key={each.label} class={`legend ${each.tone}`}>
            {each.label}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

/** The canvas knows no style sheets, so colours are read from the element at each drawing. */
function optionsOf(
  element: HTMLElement,
  {
    series,
    unit,
    height,
    axis: x,
  }: { series: readonly ChartSeries[]; unit: string; height: number; axis: 'time' | 'block' },
): UPlot.Options {
  const isTime = x === 'time'
  const colour = (name: string) => () => getComputedStyle(element).getPropertyValue(name)
  const axis = {
    stroke: colour('--chart-text'),
    grid: { stroke: colour('--chart-grid'), width: 1 },
    ticks: { show: false },
  }
  const font = '11px system-ui, sans-serif'
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    // Half a label of the last tick.
    padding: [null, 28, null, null],
    scales: {
      x: { time: isTime },
      y: { range: (_, __, max) => [0, Math.max(isTime ? 10 : 0, max * 1.15) || 1] },
    },
    axes: [
      { ...axis, font, size: 24, space: 80, values: (_, ticks) => ticks.map(isTime ? clockText : blockText) },
      {
        ...axis,
        font,
        size: 52,
        values: (_, ticks) => ticks.map((tick) => (isTime ? `${tick} ${unit}` : compact(tick))),
      },
    ],
    series: [
      {},
      ...series.map(({ label, tone }) => ({
        label,
        stroke: colour(`--chart-${tone}`),
        width: 1.5,
        points: { show: false },
        spanGaps: false,
        ...(!isTime && { paths: UPlot.paths.stepped!({ align: 1 }) }),
      })),
    ],
  }
}

/** Heights are whole; ticks between them are not named. */
function blockText(height: number): string {
  return Number.isInteger(height) ? grouped(height) : ''
}

/** Local time of day. */
function clockText(seconds: number): string {
  return new Date(seconds * 1_000).toTimeString().slice(0, 8)
}
