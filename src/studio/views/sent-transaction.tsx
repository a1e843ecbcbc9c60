import { useRef } from 'preact/hooks'
import { grouped } from '../../live/amount.ts'
import { newestHeight, openHeight } from '../../live/live-feed.ts'
import type { VisibleTransaction } from '../../live/sent-to-visible.ts'
import { useStore, useStudio } from '../client/studio.ts'
import { BlockLink, TransactionLink } from '../widgets/text.tsx'

/** A transaction that this page sent: how soon its flashblock arrived, and when its block was sealed. */
export function SentTransaction({ hash }: { readonly hash: string }) {
  const { live } = useStudio()
  const state = useStore(live.state)
  // The feed forgets it after ten seconds.
  const seen = useRef<VisibleTransaction | undefined>(undefined)
  const found = state.visibility.recent.find((one) => one.hash === hash)
  if (found !== undefined || seen.current?.hash !== hash) seen.current = found
  const visible = seen.current
  const isSealed =
    visible !== undefined &&
    openHeight(state) !== visible.blockNumber &&
    (newestHeight(state) ?? 0) >= visible.blockNumber
  return (
    <>
      Sent: <TransactionLink hash={hash} />
      {visible !== undefined && (
        <span class="muted">
          {' '}
          {seenText(visible)}
          {isSealed && (
            <>
              , sealed in block <BlockLink id={visible.blockNumber}>{grouped(visible.blockNumber)}</BlockLink>
            </>
          )}
        </span>
      )}
    </>
  )
}

function seenText({ blockNumber, flashblock, milliseconds }: VisibleTransaction): string {
  return flashblock === undefined
    ? `in block ${blockNumber} after ${milliseconds} ms`
    : `pre-confirmed in flashblock ${flashblock} after ${milliseconds} ms`
}
