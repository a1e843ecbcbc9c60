import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { latenessSeries } from '../../../live/quantiles.ts'
import { type Visibility, visibilitySeries } from '../../../live/sent-to-visible.ts'
import type { Timeline } from '../../../live/timeline.ts'
import { Panel } from '../../widgets/layout.tsx'
import { type ChartSeries, LineChart } from '../../widgets/line-chart.tsx'

const SERIES: readonly ChartSeries[] = [
  { label: 'median', tone: 'calm' },
  { label: 'p99', tone: 'strong' },
]
const CHART = { spanMs: 180_000, stepMs: 1_000, windowMs: 10_000 }
const HEIGHT = 150

/** How much later than usual flashblocks arrive, or blocks that come whole. */
export function Punctuality({ timeline, isWhole }: { readonly timeline: Timeline; readonly isWhole: boolean }) {
  const { latenesses, intervalMs, replaced, skipped } = timeline
  const until = latenesses.at(-1)?.at ?? 0
  const second = Math.floor(until / CHART.stepMs)
  // The points change once a second, the samples with each flashblock.
  const data = useMemo(() => latenessSeries(latenesses, { until, ...CHART }), [second])
  const title = isWhole ? 'Block lateness' : 'Slot lateness'
  return (
    <ExplainedPanel
      title={title}
      explanation={`How much later than usual a ${isWhole ? 'block' : 'flashblock'} arrived at this page after the one before it. The usual gap is the median of the last 60${intervalMs === undefined ? '' : `, now ${intervalMs} ms`}. Each point covers ten seconds.`}
    >
      <LineChart label={`${title} over three minutes`} data={data} series={SERIES} unit="ms" height={HEIGHT} />
      {replaced + skipped > 0 && (
        <p class="explanation">
          {replaced} replaced blocks, {skipped} messages out of order since this page opened.
        </p>
      )}
    </ExplainedPanel>
  )
}

/** How long transactions take from being sent to their flashblock. */
export function VisibilityPanel({ visibility }: { readonly visibility: Visibility }) {
  const { points } = visibility
  const data = useMemo(() => visibilitySeries(points), [points])
  return (
    <ExplainedPanel
      title="Sent to visible"
      explanation="The time from sending a transaction to the arrival of its flashblock, or of its block where the node announces no flashblocks. Sending counts when this page sends, or when the node announces the transaction as pooled. Each point covers ten seconds."
    >
      <LineChart label="Sent to visible over three minutes" data={data} series={SERIES} unit="ms" height={HEIGHT} />
    </ExplainedPanel>
  )
}

function ExplainedPanel(props: {
  readonly title: string
  readonly explanation: string
  readonly children: ComponentChildren
}) {
  const { title, explanation, children } = props
  const [isExplained, setExplained] = useState(false)
  return (
    <Panel
      title={title}
      aside={
        <button type="button" class="link" aria-expanded={isExplained} onClick={() => setExplained(!isExplained)}>
          What is this?
        </button>
      }
    >
      {isExplained && <p class="explanation">{explanation}</p>}
      {children}
    </Panel>
  )
}
