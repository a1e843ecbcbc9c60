import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { errorText } from '../../live/request-error.ts'
import { ignoreDoubleClick, useSingleRun } from './use-single-run.ts'

export interface ActionField {
  readonly label: string
  readonly initial?: string
  readonly placeholder?: string
  /** The texts to choose from; any text without. */
  readonly choices?: readonly string[]
}

export interface ActionOutcome {
  readonly content: ComponentChildren
  readonly isProblem: boolean
}

/** Fields and a button that does something to the node; below it what came of it. */
export function ActionForm(props: {
  readonly fields: readonly ActionField[]
  readonly action: string
  /** Gets the texts of the fields; returns what happened, or throws an error that says what to write. */
  readonly run: (texts: readonly string[]) => Promise<ComponentChildren>
  /** Gets the texts of the fields whenever one changes. */
  readonly onTexts?: (texts: readonly string[]) => void
  /** Shown above the outcome. */
  readonly note?: ComponentChildren
  readonly isDisabled?: boolean
}) {
  const { fields, action, run, onTexts, note, isDisabled = false } = props
  const [texts, setTexts] = useState<readonly string[]>(fields.map(({ initial = '' }) => initial))
  const [outcome, setOutcome] = useState<ActionOutcome>()
  const single = useSingleRun()
  const submit = (event: Event) => {
    event.preventDefault()
    void single.run(async () => {
      try {
        setOutcome({ content: await run(texts), isProblem: false })
      } catch (error) {
        setOutcome({ content: errorText(error), isProblem: true })
      }
    })
  }
  return (
    <form class="action-form" onSubmit={submit}>
      {fields.map((field, index) => (
        <FormField
          key={field.label}
          field={field}
          text={texts[index]!}
          onText={(text) => {
            const changed = texts.with(index, text)
            setTexts(changed)
            onTexts?.(changed)
          }}
        />
      ))}
      <button type="submit" disabled={single.isBusy || isDisabled} onClick={ignoreDoubleClick}>
        {action}
      </button>
      {note !== undefined && <div class="form-note">{note}</div>}
      <OutcomeText outcome={outcome} />
    </form>
  )
}

/** What came of an action. */
export function OutcomeText({ outcome }: { readonly outcome: ActionOutcome | undefined }) {
  if (outcome === undefined) return null
  const { content, isProblem } = outcome
  return (
    <p class={isProblem ? 'notice problem' : 'outcome-text'} role={isProblem ? 'alert' : 'status'}>
      {content}
    </p>
  )
}

function FormField(props: {
  readonly field: ActionField
  readonly text: string
  readonly onText: (text: string) => void
}) {
  const { field, text, onText } = props
  const { label, choices, placeholder } = field
  if (choices !== undefined) {
    return (
      <label>
        <span>{label}</span>
        <select value={text} onChange={({ currentTarget }) => onText(currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
    )
  }
  return (
    <label>
      <span>{label}</span>
      <input
        value={text}
        placeholder={placeholder}
        spellcheck={false}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  )
}
