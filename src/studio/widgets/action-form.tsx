import { useState } from 'preact/hooks'
import { errorText } from '../../live/request-error.ts'
import { useSingleRun } from './use-single-run.ts'

export interface ActionField {
  readonly label: string
  readonly initial?: string
  readonly placeholder?: string
}

/** Fields and a button that does something to the node; below it what came of it. */
export function ActionForm(props: {
  readonly fields: readonly ActionField[]
  readonly action: string
  /** Gets the texts of the fields; returns what happened, or throws an error that says what to write. */
  readonly run: (texts: readonly string[]) => Promise<string>
}) {
  const { fields, action, run } = props
  const [texts, setTexts] = useState<readonly string[]>(fields.map(({ initial = '' }) => initial))
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isProblem: boolean }>()
  const single = useSingleRun()
  const submit = (event: Event) => {
    event.preventDefault()
    void single.run(async () => {
      try {
        setOutcome({ text: await run(texts), isProblem: false })
      } catch (error) {
        setOutcome({ text: errorText(error), isProblem: true })
      }
    })
  }
  return (
    <form class="action-form" onSubmit={submit}>
      {fields.map(({ label, placeholder }, index) => (
        <label key={label}>
          <span>{label}</span>
          <input
            value={texts[index]}
            placeholder={placeholder}
            spellcheck={false}
            onInput={({ currentTarget }) => setTexts(texts.with(index, currentTarget.value))}
          />
        </label>
      ))}
      <button type="submit" disabled={single.isBusy}>
        {action}
      </button>
      {outcome !== undefined && (
        <p class={outcome.isProblem ? 'notice problem' : 'outcome-text'} role={outcome.isProblem ? 'alert' : 'status'}>
          {outcome.text}
        </p>
      )}
    </form>
  )
}
