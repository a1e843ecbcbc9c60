import { useEffect, useState } from 'preact/hooks'
import { errorText, RequestError } from '../../../live/request-error.ts'
import { parametersFrom } from '../../model/json-parameters.ts'
import { type MethodDocument, methodDocuments } from '../../model/method-document.ts'
import { SNIPPET_FORMS, snippetOf } from '../../model/request-snippets.ts'
import { goTo } from '../../router/use-route.ts'
import { useStore, useStudio } from '../../studio.ts'
import { Badge, Notice, Panel } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'

interface Run {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly milliseconds: number
  readonly isError: boolean
  readonly text: string
}

/** Results that are kept. */
const MAX_RUNS = 20
/** Characters of a result that are kept, to be copied. */
const MAX_KEPT = 1_000_000
/** Characters of a result that are drawn. */
const MAX_TEXT = 20_000

let lastRun = 0

/** Sends any request, with the methods that the node documents. */
export function ConsolePanel({ method }: { readonly method: string | undefined }) {
  const { client, capabilities, now } = useStudio()
  const discovers = useStore(capabilities)?.discovery
  const loaded = useRequest(discovers ? 'discover' : undefined, async () =>
    methodDocuments(await client.request('rpc.discover')),
  )
  const documents = loaded.kind === 'ready' ? loaded.value : []
  const [runs, setRuns] = useState<readonly Run[]>([])
  const run = async (name: string, params: readonly unknown[]) => {
    const begun = now()
    const outcome = await client.request(name, params).then(
      (result) => ({ isError: false, text: JSON.stringify(result, undefined, 2).slice(0, MAX_KEPT) }),
      (error: unknown) => ({ isError: true, text: failureText(error) }),
    )
    lastRun += 1
    const done = { id: lastRun, method: name, params, milliseconds: now() - begun, ...outcome }
    setRuns((before) => [done, ...before].slice(0, MAX_RUNS))
  }
  return (
    <div class="view">
      <h1>Console</h1>
      {discovers === false && <Notice>This node does not describe its methods (rpc.discover): type any name.</Notice>}
      <RequestForm documents={documents} given={method} onRun={run} />
      {runs.map((each) => (
        <RunPanel key={each.id} run={each} url={client.endpoint.http} />
      ))}
    </div>
  )
}

const FIRST_METHOD = 'eth_blockNumber'

function RequestForm(props: {
  readonly documents: readonly MethodDocument[]
  readonly given: string | undefined
  readonly onRun: (method: string, params: readonly unknown[]) => void
}) {
  const { documents, given, onRun } = props
  const method = given ?? FIRST_METHOD
  const known = documents.find(({ name }) => name === method)
  const [text, setText] = useState('[]')
  const [problem, setProblem] = useState<string>()
  const example = JSON.stringify(known?.example ?? [])
  useEffect(() => {
    setText(example)
    setProblem(undefined)
  }, [method, example])
  const submit = (event: Event) => {
    event.preventDefault()
    const params = parametersFrom(text)
    setProblem(params.kind === 'invalid' ? params.message : undefined)
    if (params.kind === 'parameters') onRun(method, params.list)
  }
  return (
    <Panel>
      <form class="console-form" onSubmit={submit}>
        <label>
          <span>Method</span>
          <input
            list="methods"
            value={method}
            spellcheck={false}
            onChange={({ currentTarget }) => goTo({ view: 'console', method: currentTarget.value.trim() })}
          />
          <datalist id="methods">
            {documents.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        {known !== undefined && <MethodFacts method={known} />}
        <label>
          <span>
            Parameters <span class="muted">JSON array</span>
          </span>
          <textarea
            rows={3}
            spellcheck={false}
            value={text}
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Send
        </button>
        {problem !== undefined && (
          <p class="notice problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Panel>
  )
}

function MethodFacts({ method: { summary, params } }: { readonly method: MethodDocument }) {
  return (
    <div class="method-facts">
      {/* Names are between backticks. */}
      <p>{summary.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</p>
      {params.length > 0 && (
        <ul>
          {params.map(({ name, type, isRequired }) => (
            <li key={name}>
              <span class="method">{name}</span> <span class="muted">{type}</span>
              {!isRequired && <span class="muted"> · optional</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function RunPanel({ run, url }: { readonly run: Run; readonly url: string }) {
  const { method, params, milliseconds, isError, text } = run
  return (
    <Panel
      title={<span class="method">{method}</span>}
      aside={
        <span class="buttons">
          <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'error' : `${milliseconds} ms`}</Badge>
          {SNIPPET_FORMS.map((form) => (
            <span key={form} class="with-copy">
              {form}
              <CopyButton text={snippetOf(form, { url, method, params })} label={`as ${form}`} />
            </span>
          ))}
        </span>
      }
    >
      <p class="hex wrap muted">{JSON.stringify(params).slice(0, MAX_TEXT)}</p>
      <div class="hex-block">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
        <pre class="hex" tabIndex={0}>
          {text.slice(0, MAX_TEXT)}
          {text.length > MAX_TEXT && '…'}
        </pre>
        <CopyButton text={text} label="result" />
      </div>
    </Panel>
  )
}

function failureText(error: unknown): string {
  if (!(error instanceof RequestError) || error.code !== 'REFUSED') return errorText(error)
  const { rpcCode: code, message, data } = error
  return JSON.stringify({ code, message, data }, undefined, 2)
}
