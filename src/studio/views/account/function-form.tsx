import { useState } from 'preact/hooks'
import type { AbiFunction } from 'viem'
import { useStore, useStudio } from '../../client/studio.ts'
import { decodeResults, encodedInput, isReading } from '../../model/abi/contract-call.ts'
import type { DecodedValue } from '../../model/abi/decoded.ts'
import { debuggedCall } from '../../model/debugger/debug-subject.ts'
import { hrefOf } from '../../router/route.ts'
import { DecodedView } from '../../widgets/decoded-view.tsx'
import { ignoreDoubleClick, useSingleRun } from '../../widgets/use-single-run.ts'
import { failureText } from '../failure-text.ts'
import { SenderChoice } from '../sender-choice.tsx'
import { SentTransaction } from '../sent-transaction.tsx'

/** `call`: what a debugger can step through, as a transaction object. */
type Outcome =
  | { readonly kind: 'values'; readonly values: readonly DecodedValue[]; readonly call?: object }
  | { readonly kind: 'sent'; readonly hash: string }
  | { readonly kind: 'problem'; readonly message: string; readonly parameter?: number; readonly call?: object }

/** A function: a field by parameter, and a button that calls it or sends a transaction. */
export function FunctionForm(props: {
  readonly address: string
  readonly item: AbiFunction
  /** Accounts that a wallet or the node signs for. */
  readonly senders: readonly string[]
}) {
  const { address, item, senders } = props
  const { client, abis, senders: signers, names } = useStudio()
  const { book } = useStore(abis.state)
  const context = { names: useStore(names), token: address }
  const [texts, setTexts] = useState<readonly string[]>(item.inputs.map(() => ''))
  const [chosen, setChosen] = useState<string>()
  const [value, setValue] = useState('')
  const [outcome, setOutcome] = useState<Outcome>()
  const reads = isReading(item)
  // A chosen account may have been disconnected since.
  const from = senders.find((one) => one === chosen) ?? senders[0]
  const single = useSingleRun()
  const submit = (event: Event) => {
    event.preventDefault()
    void single.run(callOrSend)
  }
  const callOrSend = async () => {
    const encoded = encodedInput(item, texts)
    if (encoded.kind === 'invalid') return setOutcome({ ...encoded, kind: 'problem' })
    const wei = weiOf(value)
    if (wei === undefined) return setOutcome({ kind: 'problem', message: 'Value: write wei as a whole number.' })
    const sent = { to: address, data: encoded.data, ...(wei > 0n && { value: hex(wei) }) }
    const call = { ...sent, ...(from && { from }) }
    try {
      setOutcome(reads ? await read(call) : { kind: 'sent', hash: await signers.send(from!, sent) })
    } catch (error) {
      setOutcome({ kind: 'problem', message: failureText(book, error, context), call })
    }
  }
  const read = async (call: object): Promise<Outcome> => {
    const output = String(await client.request('eth_call', [call, 'pending']))
    const values = decodeResults(item, output)
    if (values !== undefined) return { kind: 'values', values, call }
    return { kind: 'problem', message: `The contract returned ${output}, which does not fit the ABI.`, call }
  }
  return (
    <form class="function-form" onSubmit={submit}>
      {item.inputs.map((input, index) => (
        <label key={index}>
          <span>
            {input.name || `value ${index}`} <span class="muted">{input.type}</span>
          </span>
          <input
            value={texts[index]}
            spellcheck={false}
            aria-invalid={outcome?.kind === 'problem' && outcome.parameter === index}
            onInput={({ currentTarget }) => setTexts(texts.with(index, currentTarget.value))}
          />
        </label>
      ))}
      {item.stateMutability === 'payable' && (
        <label>
          <span>
            Value <span class="muted">wei</span>
          </span>
          <input value={value} onInput={({ currentTarget }) => setValue(currentTarget.value)} placeholder="0" />
        </label>
      )}
      {!reads && senders.length > 0 && <SenderChoice accounts={senders} sender={from!} onChoice={setChosen} />}
      <button
        type="submit"
        disabled={single.isBusy || (!reads && senders.length === 0)}
        onClick={reads ? undefined : ignoreDoubleClick}
      >
        {reads ? 'Call' : 'Send transaction'}
      </button>
      {outcome !== undefined && <OutcomeText outcome={outcome} token={address} />}
    </form>
  )
}

function OutcomeText({ outcome, token }: { readonly outcome: Outcome; readonly token: string }) {
  switch (outcome.kind) {
    case 'values':
      return (
        <div class="outcome" role="status">
          <DecodedView decoded={{ name: '', signature: '', values: outcome.values }} token={token} />
          <DebugLink call={outcome.call} />
        </div>
      )
    case 'sent':
      return (
        <p class="outcome" role="status">
          <SentTransaction hash={outcome.hash} />
        </p>
      )
    case 'problem':
      return (
        <p class="notice problem outcome" role="alert">
          {outcome.message} <DebugLink call={outcome.call} />
        </p>
      )
  }
}

function DebugLink({ call }: { readonly call: object | undefined }) {
  const canTrace = useStore(useStudio().capabilities)?.traces === true
  const subject = call && canTrace ? debuggedCall(JSON.stringify(call)) : undefined
  return subject === undefined ? null : <a href={hrefOf({ view: 'debug', subject })}>Debug this call</a>
}

/** @returns `undefined` if it is no number */
function weiOf(text: string): bigint | undefined {
  const digits = text.trim().replaceAll(/[_,]/g, '')
  if (digits === '') return 0n
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
