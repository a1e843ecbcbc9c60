import type { Decoded, DecodedValue } from '../model/abi/decoding.ts'

/** Characters of one value; the rest is in the raw data. */
const MAX_TEXT = 2_000

/** A decoded call or log: its parameters as a table, nested ones indented. */
export function DecodedView({ decoded }: { readonly decoded: Decoded }) {
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
            <td class="hex wrap">{clipped(value.text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
