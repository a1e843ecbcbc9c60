import { formatDecimal } from '../../../primitives/decimal.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { ExecutedChange } from '../state/change.ts'
import type { Feed, FeedChange, FeedState } from '../state/market.ts'
import { sessionName } from '../terms/sessions.ts'
import { formatTime } from '../terms/split-time.ts'
import { ARROW, executedRows, executedValue, headlineOf, labelled, type Report, type Verb } from './report.ts'

/** @param object of the verb, such as `the feed of HLCYNd` */
export function feedReport(verb: Verb, object: string, { address, stock }: Feed, change: FeedChange): Report {
  const { before, after } = change
  const then = feedFacts(before)
  const rows: [string, string][] = [
    ['stock', `${oneLine(stock.symbol)} ${stock.address}`],
    ['feed', address],
    ...Object.entries(feedFacts(after)).map(([label, now]): [string, string] => [
      label,
      now === then[label] ? now : `${then[label]} ${ARROW} ${now}`,
    ]),
    ...executedRows(change, after.decimals),
  ]
  return {
    text: [headlineOf(verb, object, change), ...labelled(rows)].join('\n'),
    value: { ...executedValue(change), feed: address, before: feedValue(before), after: feedValue(after) },
  }
}

export function sessionReport(object: string, change: ExecutedChange<bigint> & { readonly before: bigint }): Report {
  const [before, after] = [sessionName(change.before), sessionName(change.after)]
  const rows: [string, string][] = [
    ['session', before === after ? after : `${before} ${ARROW} ${after}`],
    ...executedRows(change, 0),
  ]
  return {
    text: [headlineOf(['Set', 'set'], object, change), ...labelled(rows)].join('\n'),
    value: { ...executedValue(change), before: { session: before }, after: { session: after } },
  }
}

/** What a feed, its registry and the market say, for people, by label. */
export function feedFacts({
  price,
  sharePrice,
  decimals,
  updatedAt,
  isFrozen,
  session,
}: FeedState): Record<string, string> {
  return {
    price: `${formatDecimal(price, decimals)} of ${formatTime(updatedAt)}`,
    'share price': formatDecimal(sharePrice, decimals),
    frozen: isFrozen ? 'yes' : 'no',
    session: sessionName(session),
  }
}

/** The same for programs. Prices are decimal strings: a JSON number would round them. */
export function feedValue({ price, sharePrice, decimals, updatedAt, isFrozen, session }: FeedState): object {
  return {
    price: formatDecimal(price, decimals),
    sharePrice: formatDecimal(sharePrice, decimals),
    updatedAt: formatTime(updatedAt),
    frozen: isFrozen,
    session: sessionName(session),
  }
}
