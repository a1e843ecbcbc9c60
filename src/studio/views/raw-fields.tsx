import { bigintOf, grouped } from '../../live/amount.ts'
import { CopyButton } from '../widgets/text.tsx'

/** Longer values are clipped; the button copies the whole. */
const MAX_TEXT = 400

/** Every member that the node sent, as it sent it. */
export function RawFields({ raw }: { readonly raw: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="raw">
      {Object.entries(raw).map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span class="hex wrap">{text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}</span>
              {decimalNote(name, value)}
              {text.length > 20 && <CopyButton text={text} label={name} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Names of members that are bytes although they look like numbers. */
const BYTES = /hash|root|bloom|address|^(?:from|to|miner|input|data|nonce|extraData|mixHash|r|s|sha3Uncles)$/i

function decimalNote(name: string, value: unknown) {
  if (typeof value !== 'string' || BYTES.test(name) || value.length > 34) return null
  const number = value.startsWith('0x') ? bigintOf(value) : undefined
  return number === undefined || number < 10n ? null : <span class="muted decimal">{grouped(number)}</span>
}
