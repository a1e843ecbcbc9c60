import { useEffect, useState } from 'preact/hooks'
import { errorText, RequestError } from '../../../live/request-error.ts'
import { type ConsoleRun, withRun } from '../../client/console-runs.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { subjectOfRequest } from '../../model/debugger/debug-subject.ts'
import { isSharable, parametersFrom } from '../../model/json-parameters.ts'
import { type MethodDocument, methodDocuments } from '../../model/method-document.ts'
import { SNIPPET_FORMS, snippetOf } from '../../model/request-snippets.ts'
import { schemaText } from '../../model/schema-text.ts'
import { hrefOf, isMethodName } from '../../router/route.ts'
import { goTo } from '../../router/use-route.ts'
import { Badge, Notice, Panel, Problem } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** Characters of a result that are kept, to be copied. */
const MAX_KEPT = 1_000_000
/** Characters of a result that are drawn. */
const MAX_TEXT = 20_000

/** Sends any request, with the methods that the node documents. */
export function ConsolePanel(props: { readonly method: string | undefined; readonly params: string | undefined }) {
  const { method, params: given } = props
  const { client, capabilities, consoleRuns, now } = useStudio()
  const discovers = useStore(capabilities)?.discovery
  const loaded = useRequest(discovers ? 'discover' : undefined, async () =>
    methodDocuments(await client.request('rpc.discover')),
  )
  const documents = loaded.kind === 'ready' ? loaded.value : []
  const runs = useStore(consoleRuns)
  const run = async (name: string, params: readonly unknown[]) => {
    const begun = now()
    const outcome = await client.request(name, params).then(
      (result) => ({ isError: false, text: JSON.stringify(result, undefined, 2).slice(0, MAX_KEPT) }),
      (error: unknown) => ({ isError: true, text: failureText(error) }),
    )
    const done = { method: name, params, milliseconds: now() - begun, ...outcome }
    consoleRuns.update((before) => withRun(before, done))
  }
  return (
    <div class="view">
      <h1>Console</h1>
      {discovers === false && <Notice>This node does not describe its methods (rpc.discover): type any name.</Notice>}
      <RequestForm documents={documents} given={method} params={given} onRun={run} />
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
  readonly params: string | undefined
  readonly onRun: (method: string, params: readonly unknown[]) => void
}) {
  const { documents, given, params: shared, onRun } = props
  const [method, setMethod] = useState(given ?? FIRST_METHOD)
  const known = documents.find(({ name }) => name === method)
  const [text, setText] = useState('[]')
  const [problem, setProblem] = useState<string>()
  const example = JSON.stringify(known?.example ?? [])
  useEffect(() => setMethod(given ?? FIRST_METHOD), [given])
  useEffect(() => {
    setText(example)
    setProblem(undefined)
  }, [method, example])
  // After the example, which it replaces.
  useEffect(() => {
    if (shared !== undefined && method === given) setText(shared)
  }, [method, given, example, shared])
  const submit = (event: Event) => {
    event.preventDefault()
    const params = parametersFrom(text)
    setProblem(params.kind === 'invalid' ? params.message : undefined)
    if (params.kind !== 'parameters') return
    if (isMethodName(method)) {
      goTo({ view: 'console', method, ...(isSharable(method, text) && { params: text }) })
    }
    onRun(method, params.list)
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
            onInput={({ currentTarget }) => setMethod(currentTarget.value.trim())}
            onChange={({ currentTarget }) => {
              const name = currentTarget.value.trim()
              if (isMethodName(name)) goTo({ view: 'console', method: name })
            }}
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
        <Problem text={problem} />
      </form>
    </Panel>
  )
}

function MethodFacts({ method }: { readonly method: MethodDocument }) {
  const { summary, params } = method
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
      <MethodSchemas key={method.name} method={method} />
    </div>
  )
}

/** Written when it is opened: schemas of blocks and traces are long. */
function MethodSchemas({ method: { params, result, definitions } }: { readonly method: MethodDocument }) {
  const [isOpen, setOpen] = useState(false)
  const schemas = [...params.map(({ name, schema }) => [name, schema] as const), ['result', result] as const]
  return (
    <details class="schemas" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Schemas of parameters and result</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
        <pre class="hex" tabIndex={0}>
          {schemas.map(([name, schema]) => `${name}: ${schemaText(schema, definitions)}`).join('\n\n')}
        </pre>
      )}
    </details>
  )
}

function RunPanel({ run, url }: { readonly run: ConsoleRun; readonly url: string }) {
  const { method, params, milliseconds, isError, text } = run
  const canTrace = useStore(useStudio().capabilities)?.traces === true
  const subject = canTrace ? subjectOfRequest(method, params) : undefined
  return (
    <Panel
      title={<span class="method">{method}</span>}
      aside={
        <span class="buttons">
          <Badge tone={isError ? 'bad' : 'good'}>{isError ? 'error' : `${milliseconds} ms`}</Badge>
          {subject !== undefined && <a href={hrefOf({ view: 'debug', subject })}>Debug</a>}
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
