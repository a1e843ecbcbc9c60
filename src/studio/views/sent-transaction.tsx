import { useRef } from 'preact/hooks'
import type { VisibleTransaction } from '../../live/sent-to-visible.ts'
import { useStore, useStudio } from '../client/studio.ts'
import { TransactionLink } from '../widgets/text.tsx'

/** A transaction that this page sent, and how soon it became visible. */
export function SentTransaction({ hash }: { readonly hash: string }) {
  const { live } = useStudio()
  const { recent } = useStore(live.state).visibility
  // The feed forgets it after ten seconds.
  const seen = useRef<VisibleTransaction | undefined>(undefined)
  const found = recent.find((one) => one.hash === hash)
  if (found !== undefined || seen.current?.hash !== hash) seen.current = found
  return (
    <>
      Sent: <TransactionLink hash={hash} />
      {seen.current !== undefined && <span class="muted"> {seenText(seen.current)}</span>}
    </>
  )
}

function seenText({ blockNumber, flashblock, milliseconds }: VisibleTransaction): string {
  const place = flashblock === undefined ? `block ${blockNumber}` : `flashblock ${flashblock} of block ${blockNumber}`
  return `seen in ${place} after ${milliseconds} ms`
}
