import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { StepView } from '../../../solidity/debugger/step-view.ts'
import type { NamedSlot } from '../../../solidity/debugger/storage-view.ts'
import type { VariableValue } from '../../../solidity/values/variable-value.ts'
import { hexOfWord, type VariableRow, variableRows } from '../../model/debugger/machine-rows.ts'
import { Badge, Panel } from '../../widgets/layout.tsx'
import { AddressText } from '../../widgets/text.tsx'

/** Slots that are drawn. */
const MAX_SLOTS = 100

/** Arguments of the innermost external call, and the variables of the current function. */
export function VariablesPane({ view }: { readonly view: StepView }) {
  const { locals, callStack } = view
  const called = callStack.find(({ arguments: given }) => given !== undefined)
  return (
    <>
      <Panel title="Local variables">
        {locals.kind === 'known' ? (
          <>
            <VariableTable values={locals.variables} empty="This function has no variables here." />
            {locals.note !== undefined && <p class="muted debug-hint">These are {locals.note}.</p>}
          </>
        ) : (
          <p class="muted">Not available: {locals.reason}.</p>
        )}
      </Panel>
      {called?.arguments !== undefined && (
        <Panel title="Arguments" aside={<span class="method">{called.function}</span>}>
          <VariableTable values={called.arguments} empty="It was called without arguments." />
        </Panel>
      )}
    </>
  )
}

/** Slots that the transaction has used so far, by the names of their variables where they are known. */
export function StoragePane({ view }: { readonly view: StepView }) {
  const { storage, account } = view
  const slots = storage.slice(0, MAX_SLOTS)
  return (
    <Panel title="Storage" aside={account !== undefined && <AddressText address={account} />}>
      {slots.length === 0 ? (
        <p class="muted">No slot has been used so far.</p>
      ) : (
        <table class="decoded">
          <VariableHead />
          <tbody>
            {slots.map((slot) => (
              <SlotRows key={slot.slot} slot={slot} />
            ))}
          </tbody>
        </table>
      )}
      {storage.length > MAX_SLOTS && <p class="muted">and {storage.length - MAX_SLOTS} more slots</p>}
    </Panel>
  )
}

function SlotRows({ slot: { slot, value, variables, isWritten } }: { readonly slot: NamedSlot }) {
  const note = isWritten ? <Badge tone="busy">written</Badge> : null
  if (variables.length === 0) {
    return (
      <tr>
        <td class="hex wrap">slot {hexOfWord(slot)}</td>
        <td>{note}</td>
        <td class="hex wrap">{hexOfWord(value)}</td>
      </tr>
    )
  }
  return (
    <>
      {variableRows(variables).map((row) => (
        <VariableCells key={row.key} row={row}>
          {note}
        </VariableCells>
      ))}
    </>
  )
}

function VariableTable({ values, empty }: { readonly values: readonly VariableValue[]; readonly empty: string }) {
  const rows = useMemo(() => variableRows(values), [values])
  if (rows.length === 0) return <p class="muted">{empty}</p>
  return (
    <table class="decoded">
      <VariableHead />
      <tbody>
        {rows.map((row) => (
          <VariableCells key={row.key} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function VariableHead() {
  return (
    <thead>
      <tr>
        <th>Name</th>
        <th>Type</th>
        <th>Value</th>
      </tr>
    </thead>
  )
}

function VariableCells({ row, children }: { readonly row: VariableRow; readonly children?: ComponentChildren }) {
  const { name, type, text, depth } = row
  return (
    <tr>
      <td class={`method wrap indent-${Math.min(depth, 4)}`}>{name || '–'}</td>
      <td class="muted">
        {type} {children}
      </td>
      <td>
        {type.startsWith('address') && /^0x[0-9a-f]{40}$/i.test(text) ? (
          <AddressText address={text} />
        ) : (
          <span class="hex wrap">{text}</span>
        )}
      </td>
    </tr>
  )
}
