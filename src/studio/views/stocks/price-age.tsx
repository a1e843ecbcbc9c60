import { durationText } from '../../../live/amount.ts'
import { useNow } from '../../client/studio.ts'

/** Age of a price. @param pricedAt Unix milliseconds; `undefined` without a feed */
export function PriceAge({ pricedAt }: { readonly pricedAt: number | undefined }) {
  const now = useNow()
  if (pricedAt === undefined) return <span class="muted">–</span>
  return <span title={new Date(pricedAt).toISOString()}>{durationText(now - pricedAt)}</span>
}
