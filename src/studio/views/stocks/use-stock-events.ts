import { useMemo } from 'preact/hooks'
import { type StockEvent, stockEvents } from '../../model/stock/stock-history.ts'
import { useLogScan } from '../../widgets/use-log-scan.ts'
import type { Loaded } from '../../widgets/use-request.ts'

/** The events of a stock in a range of blocks. */
export interface StockEventRange {
  readonly events: readonly StockEvent[]
  readonly fromBlock: number
  readonly toBlock: number
}

/** The events of a stock, with those of new blocks. */
export function useStockEvents(address: string): Loaded<StockEventRange> {
  const loaded = useLogScan(address, { address })
  const scanned = loaded.kind === 'ready' ? loaded.value : undefined
  return useMemo(() => {
    if (loaded.kind !== 'ready') return loaded
    const { logs, fromBlock, toBlock } = loaded.value
    return { kind: 'ready', value: { events: stockEvents(logs), fromBlock, toBlock } }
  }, [loaded.kind, scanned])
}

/** Says that older events are missing; nothing if there are none. */
export function rangeText({ fromBlock }: Pick<StockEventRange, 'fromBlock'>): string | undefined {
  return fromBlock === 0 ? undefined : `Only events since block ${fromBlock} are read.`
}
