import { useState } from 'preact/hooks'

/** A button whose action cannot be undone: it asks before it acts. */
export function ConfirmButton(props: {
  readonly label: string
  /** The question, with what is lost. */
  readonly question: string
  readonly confirm: string
  readonly onConfirm: () => void
}) {
  const { label, question, confirm, onConfirm } = props
  const [isAsking, setAsking] = useState(false)
  if (!isAsking) {
    return (
      <button type="button" class="link" onClick={() => setAsking(true)}>
        {label}
      </button>
    )
  }
  const act = () => {
    setAsking(false)
    onConfirm()
  }
  return (
    <span class="confirm" role="alert">
      {question}
      <button type="button" class="link" onClick={act}>
        {confirm}
      </button>
      <button type="button" class="link" onClick={() => setAsking(false)}>
        Cancel
      </button>
    </span>
  )
}
