import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ageText, decimalOf, shortHex, timeText } from '../../live/amount.ts'
import { useNow, useStore, useStudio } from '../client/studio.ts'
import { tokensText } from '../model/abi/meaning.ts'
import { hrefOf } from '../router/route.ts'

const COPIED_MS = 1_200

/** Copies a text to the clipboard. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  // Browsers give the clipboard to secure pages only: https, or loopback.
  if (navigator.clipboard === undefined) return null
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => undefined,
    )
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${label}`} title={`Copy ${label}`}>
      <CopyIcon isDone={isDone} />
    </button>
  )
}

function CopyIcon({ isDone }: { readonly isDone: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      {isDone ? <path d="M3 8.5l3.2 3.2L13 5" /> : <path d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7" />}
    </svg>
  )
}

/** An amount of ether, in a narrow place. */
export function EtherValue({ wei }: { readonly wei: bigint }) {
  const text = decimalOf(wei, 18)
  return wei === 0n ? <span class="muted">0</span> : <span title={text}>{text}</span>
}

/** Hex with both ends visible; the whole of it is the title. */
export function ShortHex({ hex, digits = 6 }: { readonly hex: string; readonly digits?: number }) {
  return (
    <span class="hex" title={hex}>
      {shortHex(hex, digits)}
    </span>
  )
}

/** An address by its name, if it has one. Stocks lead to their own page. @param isWhole with all its digits */
export function AddressText({ address, isWhole = false }: { readonly address: string; readonly isWhole?: boolean }) {
  const names = useStore(useStudio().names)
  const name = names.of(address)?.name
  const isStock = names.stock(address) !== undefined
  const href = hrefOf({ view: isStock ? 'stock' : 'account', address, tab: 'overview' })
  if (!isWhole) {
    return (
      <a class={name === undefined ? 'hex' : ''} href={href} title={address}>
        {name ?? shortHex(address)}
      </a>
    )
  }
  return (
    <span class="with-copy">
      {name !== undefined && <strong class="nowrap">{name}</strong>}
      <a class="hex whole" href={href} title={address}>
        {address}
      </a>
      <CopyButton text={address} label="address" />
    </span>
  )
}

/** Shows the amount that a call moves: ether, or the tokens of a listed stock that it names. */
export function CallValue(props: {
  readonly to: string | undefined
  readonly wei: bigint
  /** Base units of a call of a token. */
  readonly tokenAmount: bigint | undefined
}) {
  const { to, wei, tokenAmount } = props
  const stock = useStore(useStudio().names).stock(to)
  if (stock !== undefined && tokenAmount !== undefined && wei === 0n) {
    const text = decimalOf(tokenAmount, stock.decimals)
    return (
      <span title={tokensText(tokenAmount, stock)}>
        {text} <span class="muted">{stock.symbol}</span>
      </span>
    )
  }
  if (wei === 0n) return <span class="muted">–</span>
  return (
    <span title={`${decimalOf(wei, 18)} ETH`}>
      {decimalOf(wei, 18)} <span class="muted">ETH</span>
    </span>
  )
}

export function TransactionLink({ hash, isWhole = false }: { readonly hash: string; readonly isWhole?: boolean }) {
  return (
    <a class="hex" href={hrefOf({ view: 'transaction', hash, tab: 'overview' })} title={hash}>
      {isWhole ? hash : shortHex(hash)}
    </a>
  )
}

export function BlockLink({ id, children }: { readonly id: number | string; readonly children?: ComponentChildren }) {
  return <a href={hrefOf({ view: 'block', id: String(id) })}>{children ?? String(id)}</a>
}

/** A hash that can be copied. */
export function WholeHash({ hash, label = 'hash' }: { readonly hash: string; readonly label?: string }) {
  return (
    <span class="with-copy">
      <span class="hex whole">{hash}</span>
      <CopyButton text={hash} label={label} />
    </span>
  )
}

/** Time and age of a block. */
export function TimeAndAge(props: { readonly timestamp: bigint; readonly timestampMs: bigint | undefined }) {
  const { timestamp, timestampMs } = props
  const now = useNow()
  return (
    <span>
      {timeText(timestamp, timestampMs)} <span class="muted">· {ageText(timestamp, now)}</span>
    </span>
  )
}
