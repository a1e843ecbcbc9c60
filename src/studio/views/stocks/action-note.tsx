import { Fragment } from 'preact'
import { errorText } from '../../../live/request-error.ts'
import { CopyButton } from '../../widgets/text.tsx'

/** Below the fields of an action: why it is impossible, what it changes, and the command that does the same. */
export function ActionNote(props: {
  readonly problems: readonly (string | undefined)[]
  readonly preview: string | undefined
  readonly command: string
}) {
  const { problems, preview, command } = props
  return (
    <>
      {problems.map((problem) => problem !== undefined && <p class="obstacle">{problem}</p>)}
      {preview !== undefined && <p class="preview">{preview}</p>}
      <span class="command">
        <code class="hex wrap">
          {command.split(' ').map((word, index) => (
            <Fragment key={index}>
              {index > 0 && ' '}
              <span>{word}</span>
            </Fragment>
          ))}
        </code>
        <CopyButton text={command} label="command" />
      </span>
    </>
  )
}

/** The result of a function that throws an error that says what to write. */
export function attempt<T>(run: () => T): { readonly value?: T; readonly problem?: string } {
  try {
    return { value: run() }
  } catch (error) {
    return { problem: errorText(error) }
  }
}
