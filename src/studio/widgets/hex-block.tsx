import { useState } from 'preact/hooks'
import { byteLength, grouped } from '../../live/amount.ts'
import { CopyButton } from './text.tsx'

/** Digits that are drawn at first, and at most. */
const SHORT_DIGITS = 2_048
const MAX_DIGITS = 200_000

/** Bytes in hex, clipped until asked for. */
export function HexBlock({ hex, label }: { readonly hex: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false)
  const limit = isWhole ? MAX_DIGITS : SHORT_DIGITS
  const isClipped = hex.length > limit
  return (
    <div class="hex-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
      <pre class="hex" tabIndex={0}>
        {hex.slice(0, limit)}
        {isClipped && '…'}
      </pre>
      <div class="buttons">
        <CopyButton text={hex} label={label} />
        {isClipped && !isWhole && (
          <button type="button" class="link" onClick={() => setWhole(true)}>
            Show all {grouped(byteLength(hex))} bytes
          </button>
        )}
      </div>
    </div>
  )
}
