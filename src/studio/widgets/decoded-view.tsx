import { useStore, useStudio } from '../client/studio.ts'
import type { Decoded, DecodedValue } from '../model/abi/decoded.ts'
import { type MeaningContext, valueMeaning } from '../model/abi/meaning.ts'
import { AddressText } from './text.tsx'

/** Characters of one value; the rest is in the raw data. */
const MAX_TEXT = 2_000

/**
 * A decoded call or log: its parameters as a table, nested ones indented.
 *
 * @param token contract that it belongs to, whose amounts are written in tokens
 */
export function DecodedView(props: { readonly decoded: Decoded; readonly token?: string | undefined }) {
  const { decoded, token } = props
  const names = useStore(useStudio().names)
  const context = { names, token }
  const rows = decoded.values.flatMap((value) => rowsOf(value, 0))
  if (rows.length === 0) return <p class="muted">No parameters.</p>
  return (
    <table class="decoded">
      <thead>
        <tr>
          <th>Name</th>
          <th>Type</th>
          <th>Value</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ value, depth, path }) => (
          <tr key={path}>
            <td class={`indent-${Math.min(depth, 4)}`}>{value.name || '–'}</td>
            <td class="muted">{value.type}</td>
            <td>
              <ValueText value={value} context={context} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ValueText({ value, context }: { readonly value: DecodedValue; readonly context: MeaningContext }) {
  const { type, text } = value
  if (type === 'address' && /^0x[0-9a-f]{40}$/i.test(text)) return <AddressText address={text} isWhole />
  const meaning = valueMeaning(value, context)
  if (meaning === undefined) return <span class="hex wrap">{clipped(text)}</span>
  return (
    <>
      {meaning} <span class="hex wrap muted">{clipped(text)}</span>
    </>
  )
}

interface DecodedRow {
  readonly value: DecodedValue
  readonly depth: number
  readonly path: string
}

function rowsOf(value: DecodedValue, depth: number, path = value.name): readonly DecodedRow[] {
  const parts = value.parts.flatMap((part, index) => rowsOf(part, depth + 1, `${path}/${index}`))
  return [{ value, depth, path: `${path}:${depth}` }, ...parts]
}

function clipped(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
}
