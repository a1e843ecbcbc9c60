import type { ComponentChildren } from 'preact'
import { errorText } from '../../live/request-error.ts'
import type { Loaded } from './use-request.ts'

/** A titled part of a view. */
export function Panel(props: {
  readonly title?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}) {
  const { title, aside, children } = props
  return (
    <section class={`panel ${props.class ?? ''}`}>
      {(title !== undefined || aside !== undefined) && (
        <header class="panel-head">
          {title !== undefined && <h2>{title}</h2>}
          {aside !== undefined && <div class="aside">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

export interface Fact {
  readonly label: string
  /** Explains the label. */
  readonly hint?: string
  readonly value: ComponentChildren
}

/** Names and values; facts without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | undefined)[] }) {
  return (
    <dl class="facts">
      {facts.map((fact) =>
        fact === undefined || fact.value === undefined || fact.value === null ? null : (
          <div key={fact.label}>
            <dt title={fact.hint}>{fact.label}</dt>
            <dd>{fact.value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A message in the place of content. */
export function Notice(props: { readonly kind?: 'plain' | 'problem'; readonly children: ComponentChildren }) {
  const { kind = 'plain', children } = props
  return (
    <p class={`notice ${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}

/** What is wrong, for people. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <Notice kind="problem">{text}</Notice>
}

/** The content of a request: loading, the error of the node, or the value. */
export function LoadedContent<T>(props: {
  readonly loaded: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}): ComponentChildren {
  const { loaded, children } = props
  if (loaded.kind === 'loading') return <Notice>Loading …</Notice>
  if (loaded.kind === 'failed') return <Problem text={errorText(loaded.error)} />
  if (loaded.outdated === undefined) return children(loaded.value)
  return (
    <>
      <Notice kind="problem">What follows is out of date: {errorText(loaded.outdated)}</Notice>
      {children(loaded.value)}
    </>
  )
}

/** A bar with the share of a whole. */
export function Meter({ percent, label }: { readonly percent: number; readonly label: string }) {
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="meter-all" width="100" height="6" rx="3" />
      <rect class="meter-part" width={percent > 0 ? Math.max(2, Math.min(100, percent)) : 0} height="6" rx="3" />
    </svg>
  )
}

export type BadgeTone = 'good' | 'bad' | 'busy' | 'plain'

export function Badge({ tone, children }: { readonly tone: BadgeTone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

export interface Tab {
  readonly id: string
  readonly label: string
  readonly href: string
  /** Shown beside the label. */
  readonly count?: number | undefined
}

/** Links between the parts of a view; the address of the page says which is shown. */
export function TabLinks({ tabs, current }: { readonly tabs: readonly Tab[]; readonly current: string }) {
  return (
    <nav class="tabs" aria-label="Parts of this page">
      {tabs.map(({ id, label, href, count }) => (
        <a key={id} href={href} aria-current={id === current ? 'page' : undefined}>
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}
