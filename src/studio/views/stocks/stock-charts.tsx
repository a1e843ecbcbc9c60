import { useMemo } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { useStudio } from '../../client/studio.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { chartRows, type ValueStep } from '../../model/stock/stock-history.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { type ChartSeries, LineChart } from '../../widgets/line-chart.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { readHistory } from './read-stock.ts'
import { rangeText, type StockEventRange, useStockEvents } from './use-stock-events.ts'

/** Supply and multiplier over the blocks. */
export function StockCharts({ stock }: { readonly stock: StockFacts }) {
  const loaded = useStockEvents(stock.address)
  return <LoadedContent loaded={loaded}>{(range) => <Charts stock={stock} range={range} />}</LoadedContent>
}

function Charts({ stock, range }: { readonly stock: StockFacts; readonly range: StockEventRange }) {
  const { client } = useStudio()
  const { address, decimals } = stock
  const { fromBlock, toBlock } = range
  const loaded = useRequest(address, () => readHistory(client, address, range), `${fromBlock} ${toBlock}`)
  const missing = rangeText(range)
  return (
    <LoadedContent loaded={loaded}>
      {({ supply, multiplier }) => (
        <>
          {missing !== undefined && <Notice>{missing}</Notice>}
          <div class="cards">
            <StepChart title="Supply" unit="tokens" steps={supply} decimals={decimals} toBlock={toBlock} />
            <StepChart
              title="Multiplier"
              unit="shares per token"
              steps={multiplier}
              decimals={MULTIPLIER_DECIMALS}
              toBlock={toBlock}
            />
          </div>
        </>
      )}
    </LoadedContent>
  )
}

function StepChart(props: {
  readonly title: string
  readonly unit: string
  readonly steps: readonly ValueStep[]
  readonly decimals: number
  readonly toBlock: number
}) {
  const { title, unit, steps, decimals, toBlock } = props
  const data = useMemo(() => chartRows(steps, decimals, toBlock), [steps, decimals, toBlock])
  const series = useMemo<readonly ChartSeries[]>(() => [{ label: unit, tone: 'strong' }], [unit])
  const count = steps.length - 1
  const changes = count === 1 ? '1 change' : `${grouped(count)} changes`
  const label = `${title} from block ${grouped(steps[0]?.block ?? 0)} to ${grouped(toBlock)}, ${changes}`
  return (
    <Panel title={`${title} over blocks`} aside={<span class="muted">{changes}</span>}>
      <LineChart label={label} data={data} series={series} unit="" height={200} axis="block" />
    </Panel>
  )
}
