import { useState } from 'preact/hooks'
import { REGISTRY_ADDRESS } from '../../../live/names/known-addresses.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { formCommand, type StockForm } from '../../model/stock/stock-form.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { failureText } from '../failure-text.ts'
import { SentTransaction } from '../sent-transaction.tsx'
import { ActionNote, attempt } from './action-note.tsx'

interface ActionProps {
  readonly form: StockForm
  readonly stock: StockFacts
  /** `undefined`: no account that can send has the role. */
  readonly sender: string | undefined
  readonly onDone: () => void
}

/** One corporate action: fields, what it changes, why it is impossible, what came of it. */
export function StockActionForm({ form, stock, sender, onDone }: ActionProps) {
  const { client, senders, abis, names } = useStudio()
  const known = useStore(names)
  const [texts, setTexts] = useState<readonly string[]>(form.fields.map(({ initial = '' }) => initial))
  const meaning = { names: known, token: stock.address }
  const to = form.contract === 'registry' ? REGISTRY_ADDRESS : stock.address
  const { outputs, refusal } = useTrial({ form, stock, sender, to }, texts)
  const preview = attempt(() => form.preview(texts, stock, outputs))
  const refused = refusal === undefined ? undefined : failureText(abis.state.value.book, refusal, meaning)
  const obstacle = obstacleOf(form, stock, sender)
  const problem = preview.problem ?? (obstacle === undefined ? refused : undefined)
  const run = async (given: readonly string[]) => {
    if (sender === undefined) throw new Error(obstacle)
    const data = form.input(given, stock, sender, stock.blockTime)
    const hash = await senders.send(sender, { to, data }).catch((error: unknown) => {
      throw new Error(failureText(abis.state.value.book, error, meaning))
    })
    await senders.included(hash)
    onDone()
    return <SentTransaction hash={hash} />
  }
  return (
    <Panel
      title={form.title}
      aside={sender !== undefined && <span class="muted">by {known.of(sender)?.name ?? sender}</span>}
    >
      <ActionForm
        fields={form.fields}
        action={form.action}
        run={run}
        isDisabled={obstacle !== undefined || problem !== undefined}
        onTexts={setTexts}
        note={
          <ActionNote
            problems={[obstacle, problem]}
            preview={preview.value}
            command={formCommand(form, texts, stock, { url: client.endpoint.http, sender: sender ?? '' })}
          />
        }
      />
    </Panel>
  )
}

/** What the form reads for its preview, and whether the contract would refuse the call now. */
function useTrial(
  { form, stock, sender, to }: Omit<ActionProps, 'onDone'> & { readonly to: string },
  texts: readonly string[],
): { readonly outputs: readonly unknown[]; readonly refusal: unknown } {
  const { client } = useStudio()
  const reads = attempt(() => form.reads?.(texts, sender ?? '') ?? []).value ?? []
  const call = sender && attempt(() => form.input(texts, stock, sender, stock.blockTime)).value
  const load = async () => {
    const [outputs, refusal] = await Promise.all([
      Promise.all(reads.map((data) => client.request('eth_call', [{ to: stock.address, data }, 'pending']))),
      call === undefined
        ? undefined
        : client.request('eth_call', [{ from: sender, to, data: call }, 'pending']).then(
            () => undefined,
            (error: unknown) => error,
          ),
    ])
    return { outputs, refusal }
  }
  const isNothing = reads.length === 0 && call === undefined
  const loaded = useRequest(isNothing ? undefined : [sender, call, ...reads].join(), load, stock.blockTime)
  return loaded.kind === 'ready' ? loaded.value : { outputs: [], refusal: undefined }
}

/** Why the contract would refuse whatever is filled in. */
function obstacleOf(form: StockForm, { pausedFeatures }: StockFacts, sender: string | undefined): string | undefined {
  if (sender === undefined) return `No account that can send has ${form.role}: connect a wallet, or grant the role.`
  const isPaused = form.feature !== undefined && pausedFeatures.includes(form.feature)
  return isPaused ? `The feature ${form.feature} is paused (ContractPaused): unpause it first.` : undefined
}
