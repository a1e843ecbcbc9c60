import { Component, type ComponentChildren } from 'preact'
import { errorText } from '../../live/request-error.ts'
import { Problem } from './layout.tsx'

interface Props {
  /** The shown place; another one is drawn anew. */
  readonly place: string
  readonly children: ComponentChildren
}

interface State {
  readonly place?: string
  readonly error?: unknown
}

/** Shows the error of a view that cannot be drawn, and leaves the rest of the page as it is. */
export class ErrorBoundary extends Component<Props, State> {
  static override getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  static override getDerivedStateFromProps({ place }: Props, before: State): State | null {
    return before.place === place ? null : { place, error: undefined }
  }

  override render({ children }: Props, { error }: State): ComponentChildren {
    if (error === undefined) return children
    return (
      <div class="view">
        <h1>This view cannot be drawn</h1>
        <Problem text={errorText(error)} />
        <p>The node may have sent something unexpected. The other views still work.</p>
        <button type="button" onClick={() => this.setState({ error: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
